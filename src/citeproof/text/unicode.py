"""Unicode to comparable text: compatibility forms, diacritics, Greek, look-alikes, controls."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable
from functools import lru_cache

from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table

_ROWS = load_package_table("citeproof.text", "plain_letters.toml").items()
_PLAIN: dict[str, str] = {letter: plain for plain, letters in _ROWS for letter in letters}
_CAPITALS = {c.upper(): plain.capitalize() for c, plain in _PLAIN.items() if c.islower() and c != "ß"}
_LETTERS = str.maketrans(_CAPITALS | _PLAIN)
for _code in (*range(0x391, 0x3A2), *range(0x3A3, 0x3AA), *range(0x3B1, 0x3CA)):  # Greek, by its names
    _name = unicodedata.name(chr(_code)).split()[-1].replace("LAMDA", "LAMBDA")
    _LETTERS[_code] = _name.capitalize() if chr(_code).isupper() else _name.lower()
_DIGITS = {sign: plain for sign, plain in _LETTERS.items() if plain.isdecimal()}
_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u061c\U000e0000-\U000e007f]")
_SURROGATE = re.compile("[\ud800-\udfff]")  # half a character: no encoding can write it
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_UNREADABLE = re.compile("[\ufffd\ue000-\uf8ff]{1,9}")  # what a PDF gives no letter for
_MOST_UNREADABLE = 8
_MARKS = re.compile("[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]")


def strip_marks(text: str) -> str:
    """Return `text` without diacritics, in Latin letters where there is a plain one; case kept.

    Greek letters become their names, because titles spell them both ways. Scripts that have no
    Latin form (Cyrillic, CJK, Arabic) stay as they are.
    """
    if text.isascii():
        return text
    text = _INVISIBLE.sub("", text).translate(_LETTERS)
    if text.isascii():
        return text
    text = unicodedata.normalize("NFKD", text)
    return unicodedata.normalize("NFC", _MARKS.sub("", text)).translate(_LETTERS)


@lru_cache(maxsize=8192)
def find_script(text: str) -> str:
    """Return the script of most letters, "LATIN" or "CYRILLIC"; that of Chinese and Japanese is "CJK"."""
    if text.isascii():
        return "LATIN" if any(map(str.isalpha, text)) else ""
    letters = filter(str.isalpha, unicodedata.normalize("NFKC", text))
    scripts = Counter(unicodedata.name(letter, "").partition(" ")[0] for letter in letters)
    most = max(scripts, key=scripts.__getitem__, default="")
    return "CJK" if most in ("HIRAGANA", "KATAKANA") else most


def are_in_other_scripts(text: str, other: str) -> bool:
    """Return whether two texts cannot be compared by their letters: "何恺明" and "Kaiming He"."""
    scripts = {find_script(text), find_script(other)}
    return len(scripts) == 2 and "" not in scripts


def read_digits(text: str) -> str:
    """Return `text` with the digits of other scripts as ours: "٢٠١٥", "２０１５" ⇒ "2015"."""
    return text if text.isascii() else text.translate(_DIGITS)


def show_controls(text: str) -> str:
    """Return `text` safe to show on a terminal: controls, escapes and bidi overrides spelled out."""
    if text.isascii() and text.isprintable():
        return text
    text = _INVISIBLE.sub(lambda m: f"\\u{ord(m[0]):04x}", text)
    text = _CONTROL.sub(lambda m: f"\\x{ord(m[0]):02x}", text)
    text = _SURROGATE.sub(lambda m: f"\\u{ord(m[0]):04x}", text)
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def fits_unreadable(text: str, known: str, make_key: Callable[[str], str]) -> bool:
    """Return whether `text` is `known` but for characters that could not be read: "classi�er".

    Each may be up to three letters (a ligature); most of the letters must be there.
    """
    if text.isascii() or not _UNREADABLE.search(text):
        return False
    pieces = [make_key(piece) for piece in _UNREADABLE.split(text)]
    whole = make_key(known)
    if len(pieces) > _MOST_UNREADABLE + 1 or 10 * sum(map(len, pieces)) < 7 * len(whole):
        return False
    return re.fullmatch(r"\w{0,3}".join(map(re.escape, pieces)), whole) is not None


def is_suspicious(text: str) -> bool:
    """Return whether an identifier holds characters that only look like the ASCII it should be."""
    return not text.isascii() or _CONTROL.search(text) is not None


def show_one_line(text: str) -> str:
    """Return `text` on one line with its controls spelled out: a line break could begin a forged tag."""
    return show_controls(" ".join(text.split()))

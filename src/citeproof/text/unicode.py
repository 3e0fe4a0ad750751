"""Unicode to comparable text: compatibility forms, diacritics, Greek, look-alikes, controls."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table

GREEK = {  # α: "alpha", Α: "Alpha"
    sign: name.lower() if sign.islower() else name.capitalize()
    for sign in "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρςστυφχψω"
    for name in [unicodedata.name(sign).rpartition(" ")[2].replace("LAMDA", "LAMBDA")]
}
_LETTERS = str.maketrans(
    GREEK
    | {
        letter: plain
        for plain, letters in load_package_table("citeproof.text", "plain_letters.toml").items()
        for letter in letters
    }
)
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

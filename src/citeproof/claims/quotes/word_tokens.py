"""Text to words that can be compared, each with its place: numbers, words, signs, single CJK characters.

Markup is blanked and not cut out, so that every place stays the one of the text as given.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from citeproof.text import lazy_patterns as re
from citeproof.text.unicode import strip_marks

# Scripts that have no blanks between words: every character is a word.
_SINGLE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_HIDDEN = "\u00ad\u200b-\u200d\u2060\ufeff\ufffe\x02"  # two of them are how PDFium writes a hyphen
_LETTER = rf"[^\W\d_{_SINGLE}]"
_BROKEN = r"[-‐\u00ad\ufffe\x02][ \t]{0,3}\r?\n[ \t]{0,20}(?=[^\W\d_A-Z])"  # gener-⏎alise
_WITHIN = rf"{_LETTER}|{_BROKEN}|[\u0300-\u036f{_HIDDEN}]|['’ʼ](?={_LETTER})"
_TOKEN = re.compile(
    r"(?:(?<![\w)\]}.,])[-−–])?\d{1,99}(?:[,'’\u00a0\u2009\u202f]\d{3}(?!\d)){0,30}(?:[.·]\d{1,99}){0,9}"
    rf"|{_LETTER}(?:{_WITHIN}){{0,99}}"
    rf"|[{_SINGLE}]"
    r"|[<>≤≥≦≧⩽⩾≪≫=≠≈±%‰°€£¥+×]|\$(?=\d[\d.,]{0,20}(?![\d.,$]))"
)
_LINK = re.compile(r"!?\[([^\[\]]{0,500})\]\([^()\s]{0,2000}(?:[ \t]{1,9}[\"'][^\"']{0,300}[\"'])?\)")
_TAG = re.compile(
    r"</?[a-zA-Z][\w:-]{0,40}(?:\s{1,9}[\w:-]{1,40}(?:\s?=\s?(?:\"[^\"<>]{0,300}\"|'[^'<>]{0,300}'|[^\s\"'<>]{1,300}))){0,20}"
    r"\s{0,9}/?>"
)
_MARGIN = re.compile(r"(?:^|(?<=\f))(?:[ \t]{0,9}(?:>[ \t]?){1,9}|#{1,6}[ \t])", re.MULTILINE)
_NOTE = re.compile(r"\[\^[^\[\]\s]{1,60}\]")
_ENTITY = re.compile(r"&(lt|gt|amp|nbsp|quot|apos|ndash|mdash|hellip|le|ge);")
_ENTITIES = {
    "lt": "<",
    "gt": ">",
    "le": "≤",
    "ge": "≥",
    "ndash": "–",
    "mdash": "—",
    "hellip": "…",
    "apos": "'",
}
_GONE = str.maketrans({**dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff\ufffe\x02")})
_SIGNS = str.maketrans({"≦": "≤", "⩽": "≤", "≧": "≥", "⩾": "≥", "×": "x", "−": "-", "–": "-", "·": "."})
_HYPHEN = re.compile(r"[-‐\u00ad\ufffe\x02]?\s{1,30}")
_GROUPING = re.compile("[,'’ \u00a0\u2009\u202f]")


def blank_markup(text: str) -> str:
    """Return a text of the same length in which links, tags, margins and notes of Markdown are blanks."""
    if "](" in text:
        text = _LINK.sub(lambda m: " " * (m.start(1) - m.start()) + m[1] + " " * (m.end() - m.end(1)), text)
    if "<" in text:
        text = _TAG.sub(_blank_match, text)
    if ">" in text or "#" in text:
        text = _MARGIN.sub(_blank_match, text)
    if "[^" in text:
        text = _NOTE.sub(_blank_match, text)
    if "&" in text:
        text = _ENTITY.sub(lambda m: _ENTITIES.get(m[1], " ").ljust(len(m[0])), text)
    return text


def split_words(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and the comparable form of each word of a text."""
    for match in _TOKEN.finditer(text):
        yield match.start(), match.end(), fold_word(match[0])


@lru_cache(maxsize=1 << 16)
def fold_word(word: str) -> str:
    """Return a word as it is compared: no case, no accents, no ligatures, numbers in one form."""
    if word.isascii() and word.isalpha():
        return word.lower()
    if word[-1].isdecimal():
        return _GROUPING.sub("", unicodedata.normalize("NFKC", word).translate(_SIGNS))  # 1,024
    if "\n" in word:
        word = _HYPHEN.sub("", word)
    plain = strip_marks(unicodedata.normalize("NFKC", word.translate(_GONE)).translate(_SIGNS))
    return plain.casefold().replace('"', "'") or word


def is_number(word: str) -> bool:
    """Return whether a comparable form is that of a number in digits."""
    return word[-1:].isdecimal()


def _blank_match(match: re.Match[str]) -> str:
    return " " * (match.end() - match.start())

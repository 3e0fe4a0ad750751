"""The words of a page with their places, read through pdfium's C interface.

Only the first and the last character of a word are asked for their place: calls cost more than
characters. Line ends follow pdfium, which keeps the order in which the page was written.
"""

from __future__ import annotations

import re
import unicodedata

from citeproof.extractors.pdf.accents import JOINER, accented, with_strays
from citeproof.extractors.pdf.glyphs import Glyphs
from citeproof.extractors.pdf.shape import Run, Word

_TOKEN = re.compile(r"[^\s\x02]+\x02?|\n|\x02")
_TRAILING = re.compile(r"(\d{1,3}(?:[,–‐-]\d{1,3}){0,12})$")  # a superscript that is glued to its word
_LIGATURES = str.maketrans(
    {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
)
_HYPHEN = "\x02"  # pdfium's mark for a hyphen at a line end
_ENDS = ("\n", _HYPHEN)
_FAR = 100_000.0  # points


def runs(glyphs: Glyphs) -> list[Run]:
    """Return the words of a page, run by run: a run ends where pdfium sees a line end or a wide gap."""
    glyphs.text = accented(glyphs)
    found: list[Run] = []
    words: list[Word] = []
    first = last = 0

    def close() -> None:
        if words:
            bold = glyphs.bold(first) and glyphs.bold(last)
            found.append(Run(list(words), bold, glyphs.upright(first)))
            words.clear()

    for match in _TOKEN.finditer(glyphs.text):
        token = match[0]
        if token in _ENDS:
            if token == _HYPHEN and words:
                words[-1] = words[-1]._replace(text=words[-1].text + token)
            close()
            continue
        start, end = match.span()
        pieces = _words(glyphs, start, end)
        if not pieces:
            continue
        if words and _apart(words[-1], pieces[0]):
            close()
        if not words:
            first = start
        words += pieces
        last = max(start, end - 2)
        if token.endswith(_HYPHEN):
            close()
    close()
    return with_strays(found)


def _apart(before: Word, word: Word) -> bool:
    """Return whether two words do not stand on one line beside each other."""
    size = max(before.size, word.size, 4.0)
    gap = word.left - before.right
    return abs(word.base - before.base) > 0.6 * size or gap > 1.6 * size or gap < -0.8 * size


def _words(glyphs: Glyphs, start: int, end: int) -> list[Word]:
    """Return one token as a word, or as a word and the superscript number that is glued to it."""
    text = glyphs.text[start:end]
    hyphen = text.endswith(_HYPHEN)
    last = end - 2 if hyphen else end - 1
    left, base = glyphs.origin(start)
    near, right, size = glyphs.box(last)
    if not (abs(left) < _FAR and abs(right) < _FAR and abs(base) < _FAR and 0 <= size < _FAR):
        return []  # a hostile page may put it anywhere, or nowhere
    if last == start:
        left = min(left, near)
    glued = text[-1].isdigit() and not text[0].isdigit() and _TRAILING.search(text[-60:])
    if glued:
        at = end - len(glued[1])
        edge, height = glyphs.origin(at)
        if base - height > 0.12 * size:
            head = _clean(glyphs.text[start:at])
            _, _, full = glyphs.box(start)
            return [
                Word(head, left, edge, base, full),
                Word(glued[1], edge, right, height, size, raised=True),
            ]
    cleaned = _clean(text)
    return [Word(cleaned, left, right, base, size)] if cleaned else []


def _clean(text: str) -> str:
    """Return a word without joiners, its ligatures spelled out and its accents composed."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", text.replace(JOINER, "").translate(_LIGATURES))

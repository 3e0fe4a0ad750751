"""The words of a page with their places, read through pdfium's C interface.

Only the first and the last character of a word are asked for their place: calls cost more than
characters. Line ends follow pdfium, which keeps the order in which the page was written.
"""

from __future__ import annotations

import re
import unicodedata

from citeproof.extractors.pdf.accents import compose_accents, restore_stray_accents
from citeproof.extractors.pdf.page_glyphs import JOINER, Glyphs
from citeproof.extractors.pdf.page_layout import PdfRun, PdfWord

_TOKEN = re.compile(r"[^\s\x02]+\x02?|\n|\x02")
# a superscript that is glued to its word, or to the full stop behind it
_TRAILING = re.compile(r"(?:^|(?<=\D))(\d{1,3}(?:[,–‐-]\d{1,3}){0,12})([.,;:)\]”’]{0,3})$")
_LEADING = re.compile(r"\d{1,3}(?=[^\W\d_]|[“„\"«(])")  # the number of a note, glued to its first word
_AFTER = ".,;:)]”’"
_RAISE = 0.12  # of its height a superscript is above the line, at least
_LIGATURES = str.maketrans(
    {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
)
_LIGATURE = re.compile("[\ufb00-\ufb06]")
_HYPHEN = "\x02"  # pdfium's mark for a hyphen at a line end
_ENDS = ("\n", _HYPHEN)
_FAR = 100_000.0  # points


def read_runs(glyphs: Glyphs) -> list[PdfRun]:
    """Return the words of a page, run by run: a run ends where pdfium sees a line end or a wide gap."""
    glyphs.text = compose_accents(glyphs)
    runs: list[PdfRun] = []
    words: list[PdfWord] = []
    first = last = 0

    def close() -> None:
        nonlocal words
        if words:
            bold = glyphs.bold(first) and glyphs.bold(last)
            runs.append(PdfRun(words, bold, glyphs.upright(first)))
            words = []

    for match in _TOKEN.finditer(glyphs.text):
        token = match[0]
        if token in _ENDS:
            if token == _HYPHEN and words:
                words[-1] = words[-1]._replace(text=words[-1].text + token)
            close()
            continue
        start, end = match.span()
        pieces = _split_token(glyphs, token, start, end, first=not words)
        if not pieces:
            continue
        if words and _is_apart(words[-1], pieces[0]):
            close()
        if not words:
            first = start
        words += pieces
        last = max(start, end - 2)
        if token[-1] == _HYPHEN:
            close()
    close()
    return restore_stray_accents(runs)


def _is_apart(before: PdfWord, word: PdfWord) -> bool:
    """Return whether two words do not occur on one line next to each other."""
    _, _, edge, base, tall, _ = before
    _, left, _, level, size, _ = word
    size = max(tall, size, 4.0)
    return not (-0.8 * size <= left - edge <= 1.6 * size and -0.6 * size <= level - base <= 0.6 * size)


def _split_token(glyphs: Glyphs, text: str, start: int, end: int, *, first: bool) -> list[PdfWord]:
    """Return one token as a word, or as a word and the superscript numbers that are glued to it."""
    last = end - 2 if text[-1] == _HYPHEN else end - 1
    left, base, near, right, size = glyphs.extent(start, last)
    if not (-_FAR < left < _FAR and -_FAR < right < _FAR and -_FAR < base < _FAR and 0 <= size < _FAR):
        return []  # a hostile page may put it anywhere, or nowhere
    if last == start and near < left:
        left = near
    cleaned = text if text.isascii() else _clean_word(text)
    whole = [PdfWord(cleaned, left, right, base, size)] if cleaned else []
    if text.isalpha():  # as most are
        return whole
    if first and text[0].isdigit() and (mark := _LEADING.match(text)):
        return _split_leading_mark(glyphs, start, len(mark[0]), whole)
    if text.rstrip(_AFTER)[-1:].isdigit() and (glued := _TRAILING.search(text[-60:])):
        return _split_trailing_mark(glyphs, start, end, glued, whole)
    return whole


def _split_leading_mark(glyphs: Glyphs, start: int, digits: int, whole: list[PdfWord]) -> list[PdfWord]:
    """Return the words of a token that begins with digits: two, if these are raised."""
    edge, base = glyphs.origin(start + digits)
    _, _, size = glyphs.box(start)
    if not whole or base - whole[0].base <= _RAISE * whole[0].size:
        return whole
    word = whole[0]
    mark = PdfWord(word.text[:digits], word.left, edge, word.base, size, raised=True)
    return [mark, word._replace(text=word.text[digits:], left=edge, base=base)]


def _split_trailing_mark(
    glyphs: Glyphs, start: int, end: int, glued: re.Match[str], whole: list[PdfWord]
) -> list[PdfWord]:
    """Return the words of a token that ends with digits: these, if they are raised, apart from the rest."""
    stop = end - len(glued[2])
    at = stop - len(glued[1])
    if at == start and stop == end:  # nothing next to it to compare with; the rest of the line will tell
        return whole
    edge, height = glyphs.origin(at)
    right, base = glyphs.origin(stop) if stop < end else (whole[0].right, 0.0)
    base = glyphs.origin(start)[1] if at > start else base
    _, _, size = glyphs.box(at)
    if base - height <= _RAISE * size:
        return whole
    words = [PdfWord(glued[1], edge, right, height, size, raised=True)]
    if at > start:
        _, _, full = glyphs.box(start)
        words.insert(0, PdfWord(_clean_word(glyphs.text[start:at]), whole[0].left, edge, base, full))
    if stop < end:
        words.append(PdfWord(glued[2], right, whole[0].right, base, whole[0].size))
    return words


def _clean_word(text: str) -> str:
    """Return a word without joiners, its ligatures spelled out and its accents composed."""
    if text.isascii():
        return text
    text = text.replace(JOINER, "")
    text = text.translate(_LIGATURES) if _LIGATURE.search(text) else text
    return unicodedata.normalize("NFC", text)

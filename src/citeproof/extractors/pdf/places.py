"""Entries to raw references: text, key and the place on the page."""

from __future__ import annotations

from collections.abc import Sequence

from citeproof.extractors.entries import flags
from citeproof.extractors.pdf.joining import Vocabulary, closed, text_of
from citeproof.extractors.pdf.segment import Entry
from citeproof.extractors.pdf.shape import Line
from citeproof.extractors.segments import MAX_ENTRY
from citeproof.vocabulary import Place, RawReference


def reference(entry: Entry, key: str, name: str, words: Vocabulary) -> RawReference:
    """Return one entry as a raw reference."""
    text = closed(text_of(entry.lines, words, MAX_ENTRY + 40)[entry.skipped :].strip()[:MAX_ENTRY])
    return RawReference(key=key, text=text, place=place(entry, name), suspicious=flags(text))


def place(entry: Entry, name: str) -> Place:
    """Return page and box of an entry: the box holds its lines in the column where it begins."""
    first = entry.lines[0]
    mine = [line for line in entry.lines if (line.page, line.column) == (first.page, first.column)]
    return Place(file=name, page=first.page, box=_box(mine))


def _box(lines: Sequence[Line]) -> tuple[float, float, float, float]:
    left, right = min(line.left for line in lines), max(line.right for line in lines)
    top, bottom = min(line.top for line in lines), max(line.bottom for line in lines)
    return round(left, 1), round(top, 1), round(right, 1), round(bottom, 1)

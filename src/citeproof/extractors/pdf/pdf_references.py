"""Entries to raw references: text, key and the place on the page."""

from __future__ import annotations

from collections.abc import Sequence

from citeproof.extractors.pdf.line_joining import DocumentWords, close_addresses, join_lines
from citeproof.extractors.pdf.list_entries import PdfEntry
from citeproof.extractors.pdf.page_layout import PdfLine
from citeproof.extractors.prose.entry_segments import MAX_ENTRY
from citeproof.extractors.prose.raw_references import flag_suspicious_text
from citeproof.vocabulary import Place, RawReference


def build_pdf_reference(entry: PdfEntry, key: str, name: str, words: DocumentWords) -> RawReference:
    """Return one entry as a raw reference."""
    text = close_addresses(
        join_lines(entry.lines, words, MAX_ENTRY + 40)[entry.skipped :].strip()[:MAX_ENTRY]
    )
    return RawReference(
        key=key, text=text, place=locate_entry(entry, name), suspicious=flag_suspicious_text(text)
    )


def locate_entry(entry: PdfEntry, name: str) -> Place:
    """Return page and box of an entry: the box holds its lines in the column where it begins."""
    first = entry.lines[0]
    mine = [line for line in entry.lines if (line.page, line.column) == (first.page, first.column)]
    return Place(file=name, page=first.page, box=_compute_box(mine))


def _compute_box(lines: Sequence[PdfLine]) -> tuple[float, float, float, float]:
    left, right = min(line.left for line in lines), max(line.right for line in lines)
    top, bottom = min(line.top for line in lines), max(line.bottom for line in lines)
    return round(left, 1), round(top, 1), round(right, 1), round(bottom, 1)

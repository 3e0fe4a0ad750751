"""Citations in footnotes: the notes at the foot of the pages, and those in them that are references."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from citeproof.reading.extractors.pdf import reference_signs
from citeproof.reading.extractors.pdf.line_joining import DocumentWords, join_lines
from citeproof.reading.extractors.pdf.list_entries import PdfEntry, split_entries
from citeproof.reading.extractors.pdf.page_layout import PageText, PdfLine
from citeproof.reading.extractors.prose.text_lines import is_notes_heading
from citeproof.text.dates import YEAR

_NOTE = re.compile(r"(\d{1,4})(?!st\b|nd\b|rd\b|th\b)[.)]?\s?(?=[^\W\d_]|[„“\"«(])")
_MARK = re.compile(r"[\[(]?\d{1,4}[.)\]]{0,2}\s?")
_LEAD = re.compile(rf"(?i)(?:{reference_signs.WORDS['lead']})[:,]?\s+")
_BACK = re.compile(r"(?i)\b(?:ibid|ebd|ebenda|a\. ?a\. ?o|op\. ?cit|loc\. ?cit)\b")
_JUMP = 4  # numbers may be lost where a note is not known from the text
_AHEAD = 25  # lines in which the number that should come next is searched for
_WHOLE = re.compile(rf"(?<!\d){YEAR}(?!\d)|[”“»]")  # what comes before it was a citation, not a name
_SHORT = 45  # characters; a shorter citation refers to one given before
_MOSTLY = 0.85  # of a page's lines in small print are no footnotes but a page in small print


@dataclass(slots=True)
class Footnote:
    """One footnote: its printed number and its lines."""

    number: str
    lines: list[PdfLine]


def collect_footnotes(pages: Sequence[PageText]) -> list[Footnote]:
    """Return the footnotes of a document in order, and mark their lines."""
    small = _find_small_print(pages)
    numbers = [int(match[1]) if (match := _NOTE.match(line.text)) else 0 for line in small]
    notes: list[Footnote] = []
    last = 0
    for index, (line, number) in enumerate(zip(small, numbers, strict=True)):
        line.note = True
        skips = last + 1 < number <= last + _JUMP and last + 1 not in numbers[index : index + _AHEAD]
        if number == last + 1 or skips or (number == 1 and last > 0):
            last = number
            notes.append(Footnote(str(number), [line]))
        elif notes and line.page - notes[-1].lines[-1].page <= 1:
            notes[-1].lines.append(line)
    return notes


def _find_small_print(pages: Sequence[PageText]) -> list[PdfLine]:
    """Return the lines of all pages that are below the text in smaller print."""
    body = _measure_body_size(pages)
    lines: list[PdfLine] = []
    last = 0
    for page in pages:
        small = _find_small_lines(page, body)
        if len(small) > _MOSTLY * len(page.lines) and not _has_next_notes(small, last):
            continue
        lines += small
        for number in (int(match[1]) for line in small if (match := _NOTE.match(line.text))):
            last = number if last < number <= last + _JUMP else last
    return lines


def _has_next_notes(small: Sequence[PdfLine], last: int) -> bool:
    """Return whether a page in small print holds the notes that should come next."""
    numbers = [int(match[1]) for line in small if (match := _NOTE.match(line.text))]
    return last > 0 and any(last - _JUMP < number <= last + _JUMP for number in numbers)


def _measure_body_size(pages: Sequence[PageText]) -> float:
    sizes: Counter[float] = Counter()
    for page in pages:
        for line in page.lines:
            sizes[round(line.size * 2) / 2] += len(line.text)
    much = 0.15 * sizes.total()
    return max((size for size, letters in sizes.items() if letters >= much), default=0.0)


def _find_small_lines(page: PageText, body: float) -> list[PdfLine]:
    """Return the lines at the foot of each column that are set smaller than the text."""
    small: list[PdfLine] = []
    for column in sorted({line.column for line in page.lines}):
        mine = [line for line in page.lines if line.column == column]
        for line in reversed(mine):
            if line.size > 0.95 * body:
                break
            small.append(line)
    chosen = {id(line) for line in small}
    return [line for line in page.lines if id(line) in chosen]


def find_endnotes(lines: Sequence[PdfLine]) -> list[Footnote]:
    """Return the notes that are under a heading such as Anmerkungen."""
    for index in reversed([i for i, line in enumerate(lines) if is_notes_heading(line.text)]):
        entries, way = split_entries(lines[index + 1 :])
        if way == "number" and len(entries) > 1:
            return [Footnote(entry.label, entry.lines) for entry in entries if entry.label]
    return []


@dataclass(slots=True)
class FootnoteCitation:
    """One citation inside a note: its text, and the note's lines for its place."""

    text: str
    entry: PdfEntry


def find_note_citations(notes: Sequence[Footnote], words: DocumentWords) -> list[FootnoteCitation]:
    """Return the references that the notes hold; a note may hold several, or none."""
    return [
        FootnoteCitation(part, PdfEntry(note.lines, note.number))
        for note in notes
        for part in _split_note_text(_MARK.sub("", join_lines(note.lines, words, 20_000), count=1))
    ]


def _split_note_text(text: str) -> list[str]:
    parts: list[str] = []
    for piece in text.split("; "):
        begins = reference_signs.is_reference_start(_strip_lead_words(piece))
        if parts and not (begins and _WHOLE.search(parts[-1])):
            parts[-1] += "; " + piece
        else:
            parts.append(piece)
    return [bare for part in parts if _is_full_citation(bare := _strip_lead_words(part))]


def _strip_lead_words(text: str) -> str:
    """Return a citation without the words that lead to it: "Vgl. dazu"."""
    for _ in range(4):
        shorter = _LEAD.sub("", text.lstrip(), count=1)
        if not _LEAD.match(text.lstrip()):
            break
        text = shorter
    return text.strip()


def _is_full_citation(text: str) -> bool:
    """Return whether a part of a note is a reference in full: names, a title, a year."""
    if len(text) < _SHORT or len(text) > 1200 or _BACK.search(text[:60]):
        return False
    dated = reference_signs.YEAR.search(text) is not None
    return dated and reference_signs.is_reference_start(text) and reference_signs.is_reference(text)

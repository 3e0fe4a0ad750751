"""A whole PDF to its references, in order: pages, lists, entries, sentences that cite them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from citeproof.reading.extractors.decoded_text import refuse_flood
from citeproof.reading.extractors.pdf import pdf_pages, reference_lists, reference_signs
from citeproof.reading.extractors.pdf.line_joining import (
    DocumentWords,
    append_line,
    close_addresses,
    join_lines,
)
from citeproof.reading.extractors.pdf.list_entries import PdfEntry, split_entries
from citeproof.reading.extractors.pdf.page_layout import PageText, PdfLine
from citeproof.reading.extractors.pdf.reference_lists import ReferenceList
from citeproof.reading.extractors.prose.citing_sentences import MAX_BODY, attach_sentences
from citeproof.reading.extractors.prose.entry_segments import MAX_ENTRY
from citeproof.reading.extractors.prose.raw_references import BACK, flag_suspicious_text
from citeproof.reading.extractors.prose.text_lines import is_notes_heading
from citeproof.text import lazy_patterns as re
from citeproof.text.dates import YEAR, find_day
from citeproof.text.names import read_saved_by
from citeproof.vocabulary import Document, DocumentFacts, Extraction, Place, Problem, RawReference

_NAME = re.compile(r"[^\W\d_]{4,}")
_CHUNK = 4000  # characters are joined at a time: a text that grows line by line is copied each time
_NOTE = re.compile(r"(\d{1,4})(?!st\b|nd\b|rd\b|th\b)[.)]?\s?(?=[^\W\d_]|[„“\"«(])")
_MARK = re.compile(r"[\[(]?\d{1,4}[.)\]]{0,2}\s?")
_LEAD = re.compile(rf"(?i)(?:{reference_signs.WORDS['lead']})[:,]?\s+")
_JUMP = 4  # numbers may be lost where a note is not known from the text
_AHEAD = 25  # lines in which the number that should come next is searched for
_WHOLE = re.compile(rf"(?<!\d){YEAR}(?!\d)|[”“»]")  # what comes before it was a citation, not a name
_SHORT = 45  # characters; a shorter citation refers to one given before
_MOSTLY = 0.85  # of a page's lines in small print are no footnotes but a page in small print


class _PdfReferences(NamedTuple):
    """Where the references of a document are."""

    lines: list[PdfLine]
    words: DocumentWords
    notes: list[Footnote]
    found: list[ReferenceList]
    cited: list[FootnoteCitation]


def extract_pdf(document: Document) -> Extraction:
    """Return the references of a PDF and what could not be read in it."""
    pdf = pdf_pages.open_pdf(document)
    try:
        dated = find_day(pdf.get_metadata_value("CreationDate"))
        about = DocumentFacts(saved_by=read_saved_by(pdf.get_metadata_value("Author")))
        pages, problems = pdf_pages.read_pages(pdf, document.name)
    finally:
        pdf.close()
    name = document.name
    read = _find_references(pages)
    lines, words, notes, lists, cited = read.lines, read.words, read.notes, read.found, read.cited
    refuse_flood(sum(len(listing.entries) for listing in lists) + len(cited), name)
    problems += [*_remove_prose(lists, name), *_report_short_notes(notes, cited, name)]
    listed = _build_listed(lists, lines, words, name)
    known = {(word, year) for entry in listed for word, year in _list_name_years(entry.text)}
    noted = _build_noted(
        [citation for citation in cited if not known.intersection(_list_name_years(citation.text))],
        lines,
        words,
        name,
    )
    problems += [*_find_missing_numbers(lists, name), *_report_empty_result([*listed, *noted], pages, name)]
    problems += _report_unknown_letters([*listed, *noted])
    return Extraction((*listed, *noted), tuple(problems), _count_numbered(lists), "pdf", about, dated)


def find_listed_lines(pages: Sequence[PageText]) -> tuple[list[PdfLine], set[int]]:
    """Return the lines of a document in reading order, and which of them are references, not body."""
    read = _find_references(pages)
    taken = {index for listing in read.found for index in listing.lines}
    cited = {id(line) for citation in read.cited for line in citation.entry.lines}
    return read.lines, taken | {index for index, line in enumerate(read.lines) if id(line) in cited}


def _find_references(pages: Sequence[PageText]) -> _PdfReferences:
    """Return the lists; where there is none, what foot- and endnotes cite, or a list without a heading."""
    lines = reference_lists.order_lists([line for page in pages for line in page.lines])
    words = DocumentWords(lines)
    notes = collect_footnotes(pages)
    lists = reference_lists.find_reference_lists(lines)
    cited = find_note_citations(notes, words)
    if not lists and not cited:
        notes = find_endnotes(lines)
        cited = find_note_citations(notes, words)
    if not lists:
        loose = [] if _are_footnotes(cited) else reference_lists.find_unannounced_list(lines)
        if sum(len(listing.entries) for listing in loose) >= len(cited):
            lists, cited = loose, []
    return _PdfReferences(lines, words, notes, lists, cited)


def _count_numbered(lists: Sequence[ReferenceList]) -> int | None:
    """Return how far the lists count, together; None if none of them prints numbers."""
    numbers = [int(entry.label) for listing in lists for entry in listing.entries if entry.label.isdecimal()]
    peaks = [number for number, then in pairwise([*numbers, 0]) if then <= number]
    notes = sum(int(entry.label) < max(numbers, default=0) for entry in _list_numbered_notes(lists))
    return sum(peaks) - notes if peaks else None


def _list_numbered_notes(lists: Sequence[ReferenceList]) -> list[PdfEntry]:
    return [entry for listing in lists for entry in listing.notes if entry.label.isdecimal()]


def _are_footnotes(cited: Sequence[FootnoteCitation]) -> bool:
    """Return whether citations are in footnotes, not in a list in small print: by pages, raised marks."""
    raised = sum(citation.entry.lines[0].numbered for citation in cited)
    return len({citation.entry.lines[0].page for citation in cited}) > 2 or 2 * raised > len(cited)


def _remove_prose(lists: Sequence[ReferenceList], name: str) -> list[Problem]:
    problems: list[Problem] = []
    for listing in lists:
        message = "a note, not a reference"
        prose = [
            entry
            for entry in listing.entries
            if reference_signs.is_prose(entry.rough, marked=bool(entry.label))
        ]
        listing.entries = [entry for entry in listing.entries if entry not in prose]
        listing.notes += prose
        problems += [
            Problem(_locate_entry(entry, name), message, text=entry.rough[:500], note=True) for entry in prose
        ]
    return problems


def _list_name_years(text: str) -> list[tuple[str, str]]:
    years = {match[0][:4] for match in reference_signs.YEAR.finditer(text)}
    names = _NAME.findall(text.lower()[:80])[:3]
    return [(name, year) for name in names for year in years]


def _build_listed(
    lists: Sequence[ReferenceList], lines: Sequence[PdfLine], words: DocumentWords, name: str
) -> tuple[RawReference, ...]:
    """Return the entries of all lists with the sentences that cite them.

    Where several lists count from one each, a list is cited by the text before it.
    """
    taken = {index for listing in lists for index in listing.lines}
    labels = [entry.label for listing in lists for entry in listing.entries if entry.label]
    apart = len(lists) > 1 and len(set(labels)) < len(labels)
    groups = (
        [listing.entries for listing in lists]
        if apart
        else [[entry for listing in lists for entry in listing.entries]]
    )
    ends = [min(listing.lines) for listing in lists] if apart else [len(lines)]
    references: list[RawReference] = []
    start = 0
    for number, (group, end) in enumerate(zip(groups, ends, strict=True), 1):
        mine: Sequence[RawReference] = [
            _build_pdf_reference(entry, entry.label or f"ref-{len(references) + i}", name, words)
            for i, entry in enumerate(group, 1)
        ]
        body = [line for index, line in enumerate(lines[start:end], start) if index not in taken]
        start = end
        raised = any(entry.label.isdecimal() for entry in group)
        mine = attach_sentences(mine, _join_running_text(body, words, raised=raised))
        references += [replace(entry, key=f"{number}.{entry.key}") for entry in mine] if number > 1 else mine
    return tuple(references)


def _build_noted(
    cited: Sequence[FootnoteCitation], lines: Sequence[PdfLine], words: DocumentWords, name: str
) -> tuple[RawReference, ...]:
    """Return the citations of the footnotes; a note is cited where its raised number stands."""
    if not cited:
        return ()
    body = _join_running_text([line for line in lines if not line.note], words, raised=True)
    citations = [
        RawReference(
            citation.entry.label, close_addresses(citation.text), _locate_entry(citation.entry, name)
        )
        for citation in cited
    ]
    seen: Counter[str] = Counter()
    noted: list[RawReference] = []
    for reference in attach_sentences(citations, body):
        seen[reference.key] += 1
        again = f".{seen[reference.key]}" if seen[reference.key] > 1 else ""  # a note may hold several
        noted.append(replace(reference, key=f"note-{reference.key}{again}"))
    return tuple(noted)


def _find_missing_numbers(lists: Sequence[ReferenceList], name: str) -> list[Problem]:
    """Return a problem for each printed number that was left out before another."""
    problems: list[Problem] = []
    notes = {int(entry.label) for entry in _list_numbered_notes(lists)}
    last = 0
    for listing in lists:
        for entry in listing.entries:
            if not entry.label.isdecimal():
                continue
            number = int(entry.label)
            while last + 1 in notes and last + 1 < number:
                last += 1
            if number > last + 1:
                missing = str(last + 1) if number == last + 2 else f"{last + 1} to {number - 1}"
                message = f"reference {missing} is missing before {number}"
                problems.append(Problem(_locate_entry(entry, name), message, "check the numbering"))
            last = number
    return problems


def _report_short_notes(
    notes: Sequence[Footnote], cited: Sequence[FootnoteCitation], name: str
) -> list[Problem]:
    """Return a note on the footnotes that name no work in full, where others do."""
    full = {id(citation.entry.lines[0]) for citation in cited}
    short = [note for note in notes if id(note.lines[0]) not in full]
    if not cited or not short:
        return []
    message = f"{len(short)} of {len(notes)} notes contain no full reference (short titles, ibid., remarks)"
    first = _locate_entry(PdfEntry(short[0].lines, short[0].number), name)
    return [Problem(first, message, text=short[0].lines[0].text[:500], note=True)]


def _report_unknown_letters(references: Sequence[RawReference]) -> list[Problem]:
    """Return a problem for the references that hold characters which the PDF gives no letter for."""
    odd = [reference for reference in references if pdf_pages.NO_LETTER.search(reference.text)]
    if not odd:
        return []
    some = "1 reference holds" if len(odd) == 1 else f"{len(odd)} references hold"
    message = f"{some} characters without Unicode, which cannot be read and are shown as �"
    hint = "compare these references with the page: the PDF does not say which letters its fonts show there"
    return [Problem(odd[0].place, message, hint, odd[0].text[:500], note=True)]


def _report_empty_result(
    references: Sequence[RawReference], pages: Sequence[PageText], name: str
) -> list[Problem]:
    if references or not any(page.lines for page in pages):
        return []
    hint = "add a heading such as References, or pass the references as a text file"
    return [Problem(Place(file=name, page=1), "no reference list was found", hint)]


def _join_running_text(lines: Iterable[PdfLine], words: DocumentWords, *, raised: bool) -> str:
    """Return the lines as one text; raised numbers become `[3]` where they cite numbered references."""
    parts: list[str] = []
    whole, total = "", 0
    for line in lines:
        whole = append_line(whole, (line.marked or line.text) if raised else line.text, words)
        if len(whole) > _CHUNK and not whole.endswith("\x02"):
            parts.append(whole)
            total += len(whole)
            whole = ""
        if total > MAX_BODY:
            break
    return " ".join([*parts, whole]).replace("\x02", "")


def _build_pdf_reference(entry: PdfEntry, key: str, name: str, words: DocumentWords) -> RawReference:
    joined = join_lines(entry.lines, words, MAX_ENTRY + 40)[entry.skipped :].strip()
    text = close_addresses(joined[:MAX_ENTRY])
    return RawReference(key, text, _locate_entry(entry, name), suspicious=flag_suspicious_text(text))


def _locate_entry(entry: PdfEntry, name: str) -> Place:
    """Return page and box of an entry: the box holds its lines in the column where it begins."""
    first = entry.lines[0]
    mine = [line for line in entry.lines if (line.page, line.column) == (first.page, first.column)]
    left, right = min(line.left for line in mine), max(line.right for line in mine)
    top, bottom = min(line.top for line in mine), max(line.bottom for line in mine)
    return Place(
        file=name, page=first.page, box=(round(left, 1), round(top, 1), round(right, 1), round(bottom, 1))
    )


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
    if len(text) < _SHORT or len(text) > 1200 or BACK.search(text[:60]):
        return False
    dated = reference_signs.YEAR.search(text) is not None
    return dated and reference_signs.is_reference_start(text) and reference_signs.is_reference(text)

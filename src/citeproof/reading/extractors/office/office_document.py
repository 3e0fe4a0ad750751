"""The references of a word processor's document, whichever format its manuscript was read from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from citeproof.reading.extractors.decoded_text import refuse_flood
from citeproof.reading.extractors.office.coded_citations import merge_coded_works
from citeproof.reading.extractors.office.manuscript import Manuscript, Paragraph, strip_marks
from citeproof.reading.extractors.office.printed_lists import read_printed_lists
from citeproof.reading.extractors.prose.citing_sentences import attach_sentences
from citeproof.reading.extractors.prose.entry_links import append_links
from citeproof.reading.extractors.prose.entry_segments import is_likely_reference
from citeproof.text import ids
from citeproof.vocabulary import DocumentFacts, Extraction, Problem, RawReference

_LEAD = re.compile(
    r"(?:(?:see|also|cf\.|compare|e\.g\.,?|and|siehe|vgl\.|auch|voir|aussi|ver|véase|vedi)\s{1,3}){0,3}",
    re.IGNORECASE,
)
_NAMES = re.compile(r"[^\W\d_a-z][^,;:“”\"]{1,80},\s")  # "Mark S. Granovetter, “…"
_FEWEST_WORDS = 6  # fewer are a short form: "Smith, Title (2010)"


def extract_office_document(written: Manuscript, form: str) -> Extraction:
    """Return the coded works in order of citation, then what is only printed; else the notes that cite."""
    listed = read_printed_lists(written)
    refuse_flood(len(listed.entries), written.file)
    running = [paragraph for paragraph in written.paragraphs if paragraph.number not in listed.used]
    references, notes = merge_coded_works(written, listed, running)
    if references:
        notes += _report_citing_notes(written, running)
    else:
        references = read_note_references(written, running)
    refuse_flood(len(references), written.file)
    count = listed.expected if listed.entries else len(references) or None
    problems = (*written.problems, *listed.problems, *notes)
    return Extraction(
        tuple(references), problems, count, form, DocumentFacts(saved_by=written.saved_by), written.dated
    )


def read_note_references(written: Manuscript, running: Sequence[Paragraph]) -> list[RawReference]:
    """Return the foot- and endnotes that are references, in a document that has no other."""
    references = [
        RawReference(
            note.note,
            append_links(strip_marks(note.text), note.addresses),
            written.locate_paragraph(note.number),
        )
        for note in _find_citing_notes(running)
    ]
    cited = attach_sentences(
        references, "\n\n".join(strip_marks(paragraph.text) for paragraph in running if not paragraph.note)
    )
    return [part for citation in cited for part in _split_note(citation)]


def _split_note(note: RawReference) -> Iterator[RawReference]:
    """Yield the works of a note that names several, with a semicolon between them."""
    pieces = [piece.strip() for piece in note.text.split("; ") if piece.strip()]
    several = len(pieces) > 1 and all(map(is_likely_reference, pieces))
    parts: list[str] = []
    for piece in pieces if several else [note.text]:
        if parts and not (_is_full_reference(parts[-1]) and _is_full_reference(piece)):
            parts[-1] = f"{parts[-1]}; {piece}"
        else:
            parts.append(piece)
    for number, text in enumerate(parts, 1):
        yield replace(note, key=note.key if number == 1 else f"{note.key}-{number}", text=text)


def _is_full_reference(piece: str) -> bool:
    """Return whether a part of a note is a reference by itself: names first, a year, and enough words."""
    words = _LEAD.sub("", piece, count=1)
    return is_likely_reference(words) and len(words.split()) >= _FEWEST_WORDS and bool(_NAMES.match(words))


def _report_citing_notes(written: Manuscript, running: Sequence[Paragraph]) -> list[Problem]:
    notes = [note for note in _find_citing_notes(running) if strip_marks(note.text) == note.text]
    if not notes:
        return []
    message = f"notes that look like references but are not in the checked list: {len(notes)}"
    return [Problem(written.locate_paragraph(notes[0].number), message, "", notes[0].text[:500], note=True)]


def _find_citing_notes(running: Sequence[Paragraph]) -> list[Paragraph]:
    return [
        paragraph
        for paragraph in running
        if paragraph.note and (is_likely_reference(paragraph.text) or ids.find_ids(paragraph.text))
    ]

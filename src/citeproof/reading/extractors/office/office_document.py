"""The references of a word processor's document, whichever format its manuscript was read from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from citeproof.reading.extractors.decoded_text import refuse_flood
from citeproof.reading.extractors.office.field_codes import CodedWork
from citeproof.reading.extractors.office.manuscript import Manuscript, Paragraph, split_marks, strip_marks
from citeproof.reading.extractors.office.printed_lists import PrintedLists, append_links, read_printed_lists
from citeproof.reading.extractors.prose.citing_sentences import MAX_SENTENCES, attach_sentences
from citeproof.reading.extractors.prose.entry_segments import is_likely_reference
from citeproof.reading.extractors.prose.sentence_spans import find_sentence_spans, render_sentence
from citeproof.text import ids, names, title
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import WORK_IDS, DocumentFacts, Extraction, Place, Problem, RawReference

_LEAD = re.compile(
    r"(?:(?:see|also|cf\.|compare|e\.g\.,?|and|siehe|vgl\.|auch|voir|aussi|ver|véase|vedi)\s{1,3}){0,3}",
    re.IGNORECASE,
)
_NAMES = re.compile(r"[^\W\d_a-z][^,;:“”\"]{1,80},\s")  # "Mark S. Granovetter, “…"
_FEWEST_WORDS = 6  # fewer are a short form: "Smith, Title (2010)"
_NOTE = re.compile(r"\[(\^e?\d{1,5})\]")
_SHORTEST = 8  # letters of a title that are enough to find it in an entry
_MOST_COMPARED = 250_000  # pairs of work and entry that are compared with each other
_MOST_REPORTED = 50  # works of one kind of fault that are reported one by one
Found = tuple[list[RawReference], list[Problem]]


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


@dataclass(slots=True)
class _WorkCitations:
    """One work, the places that cite it and their sentences, the number of its entry in the list."""

    work: CodedWork
    place: Place
    sentences: list[str] = field(default_factory=list)
    entry: int | None = None


def merge_coded_works(written: Manuscript, listed: PrintedLists, running: Sequence[Paragraph]) -> Found:
    """Return the coded works in order of citation, then the entries that no code cites, and what is amiss."""
    problems: list[Problem] = []
    body = "\n\n".join(strip_marks(paragraph.text) for paragraph in running)
    cited = _collect_cited_works(written, running, problems)
    if not cited:
        return list(attach_sentences(listed.entries, body)), problems
    for citation, entry in zip(
        cited, match_entries([citation.work for citation in cited], listed.entries), strict=True
    ):
        citation.entry = entry
    taken = {citation.entry for citation in cited}
    rest = [entry for index, entry in enumerate(listed.entries) if index not in taken]
    problems += _find_discrepancies(cited, rest, listed)
    works = [_build_coded_reference(work, listed.entries, number) for number, work in enumerate(cited, 1)]
    return [*works, *attach_sentences(rest, body)], problems


def _collect_cited_works(
    written: Manuscript, running: Sequence[Paragraph], problems: list[Problem]
) -> list[_WorkCitations]:
    """Return each cited work once, in order of first citation."""
    sentences = find_code_sentences(running)
    citations: list[_WorkCitations] = []
    known: dict[str, _WorkCitations] = {}
    for number, code in enumerate(written.codes):
        place = written.places[number]
        for work in (*code.works, *_find_kept_sources(written, code.keys, place, problems)):
            citation = next((known[mark] for mark in work.marks if mark in known), None)
            if citation is None:
                citations.append(citation := _WorkCitations(work, place))
            known.update(dict.fromkeys(work.marks, citation))
            citation.sentences += [s for s in sentences.get(number, ()) if s not in citation.sentences]
    unused = [key for key, work in written.sources.items() if not any(mark in known for mark in work.marks)]
    if unused and citations:
        message = f"sources of the document that are never cited ({len(unused)}): {', '.join(unused[:5])}"
        problems.append(Problem(written.locate_paragraph(1), message, note=True))
    return citations


def _find_kept_sources(
    written: Manuscript, keys: Sequence[str], place: Place, problems: list[Problem]
) -> Iterator[CodedWork]:
    for key in keys:
        if key in written.sources:
            yield written.sources[key]
        else:
            message = f"source {key!r} is cited, but the document does not contain it"
            hint = "choose the source again in Word, or delete the citation"
            problems.append(Problem(place, message, hint))


def find_code_sentences(running: Sequence[Paragraph]) -> dict[int, list[str]]:
    """Return the sentences of each code; what is cited in a note is cited where the note hangs."""
    sentences: dict[int, list[str]] = {}
    hanging: dict[str, list[str]] = {}
    for paragraph in running:
        text, marks = split_marks(paragraph.text)
        cited = iter([*marks, (-1, len(text) + 1)])
        number, at = next(cited)
        for start, end in find_sentence_spans(text):
            if not paragraph.note:
                for note in _NOTE.finditer(text, start, end):
                    hanging.setdefault(note[1], []).append(render_sentence(text, start, end, note.start()))
            # a mark at the very end of the text belongs to its last sentence
            while at < end or (at == end == len(text)):
                citing = hanging.get(paragraph.note) or [render_sentence(text, start, end, at)]
                sentences[number] = [*sentences.get(number, []), *citing][:MAX_SENTENCES]
                number, at = next(cited)
    return sentences


def match_entries(works: Sequence[CodedWork], entries: Sequence[RawReference]) -> list[int | None]:
    """Return the entry of each work: by identifier or title, then by first author and year."""
    free = set(range(len(entries)))
    by_id: dict[tuple[str, str], int] = {}
    for index, entry in enumerate(entries):
        for scheme, value, _, _ in ids.find_ids(entry.text):
            if scheme in WORK_IDS:
                by_id.setdefault((scheme, value), index)
    keys = [title.make_title_key(entry.text[: title.MAX_TITLE]) for entry in entries]
    starts = list(accumulate((len(key) + 1 for key in keys), initial=0))
    whole = "\0".join(keys)
    matched: list[int | None] = []
    for work in works:
        near = [by_id[pair] for pair in work.claimed.ids.pairs if pair in by_id]
        fits = [index for index in (*near, *_find_by_title(work, whole, starts)) if index in free]
        best = max(fits, key=lambda index: _count_agreement(work, entries[index].text), default=None)
        free.discard(-1 if best is None else best)
        matched.append(best)
    return _match_by_author(works, entries, matched, free)


def _match_by_author(
    works: Sequence[CodedWork], entries: Sequence[RawReference], matched: list[int | None], free: set[int]
) -> list[int | None]:
    """Return `matched` with the works added whose first author and year only one entry has."""
    if len(free) * matched.count(None) > _MOST_COMPARED:
        return matched
    for number, work in enumerate(works):
        left = [
            i
            for i in sorted(free)
            if matched[number] is None and _count_agreement(work, entries[i].text) == 2
        ]
        if len(left) == 1:
            matched[number] = left[0]
            free.discard(left[0])
    return matched


def _find_by_title(work: CodedWork, whole: str, starts: Sequence[int]) -> list[int]:
    key = title.make_title_key(work.claimed.title or "")
    fitting: list[int] = []
    at = whole.find(key) if len(key) >= _SHORTEST else -1
    while at >= 0 and len(fitting) < 20:
        fitting.append(bisect_right(starts, at) - 1)
        at = whole.find(key, starts[fitting[-1] + 1])
    return fitting


def _count_agreement(work: CodedWork, text: str) -> int:
    """Return how many of year and first author an entry has."""
    first = names.make_family_key(work.claimed.authors[0]) if work.claimed.authors else ""
    year = bool(work.claimed.year) and str(work.claimed.year) in text
    return year + (bool(first) and first in title.make_title_key(text[:300]))


def _build_coded_reference(
    citation: _WorkCitations, entries: Sequence[RawReference], number: int
) -> RawReference:
    work = citation.work
    entry = entries[citation.entry] if citation.entry is not None else None
    printed_key = entry.key if entry and not entry.key.startswith("ref-") else ""
    return RawReference(
        key=printed_key or work.key or f"ref-{number}",
        text=entry.text if entry else work.text,
        place=entry.place if entry else citation.place,
        kind=work.kind,
        claimed=work.claimed,
        citing=tuple(citation.sentences[:MAX_SENTENCES]),
        suspicious=work.suspicious,
    )


def _find_discrepancies(
    cited: Sequence[_WorkCitations], rest: Sequence[RawReference], listed: PrintedLists
) -> list[Problem]:
    """Return where the codes and the printed list do not tell the same."""
    if not listed.entries:
        message = f"the document prints no reference list; works cited by field codes: {len(cited)}"
        return [Problem(cited[0].place, message, note=True)]
    unprinted = [
        Problem(
            citation.place,
            f"cited, but not in the printed list: {_describe_work(citation.work)}",
            "update the bibliography",
        )
        for citation in cited
        if citation.entry is None
    ]
    uncited = [
        Problem(
            entry.place,
            "in the printed list, but not cited by a field code; read as text",
            text=entry.text[:500],
            note=True,  # a text may well list what it does not cite
        )
        for entry in rest
    ]
    return [*_limit_problems(unprinted), *_limit_problems(uncited)]


def _limit_problems(problems: list[Problem]) -> list[Problem]:
    if len(problems) <= _MOST_REPORTED:
        return problems
    more = replace(problems[_MOST_REPORTED], message=f"{len(problems) - _MOST_REPORTED} more of this kind")
    return [*problems[:_MOST_REPORTED], more]


def _describe_work(work: CodedWork) -> str:
    author = work.claimed.authors[0].family if work.claimed.authors else ""
    parts = [author, str(work.claimed.year or ""), work.claimed.title or work.key]
    return ", ".join(part for part in parts if part)[:200]

"""Plain text in any citation style: the reference lists under their headings, or a file that is one.

What pasting leaves behind is taken off first: quote marks, page numbers, running heads (`line_furniture.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby, takewhile

from citeproof.reading.extractors.decoded_text import MAX_RUNNING, DecodedText, decode, refuse_flood
from citeproof.reading.extractors.prose.citing_sentences import attach_sentences
from citeproof.reading.extractors.prose.entry_segments import (
    MAX_ENTRY,
    EntrySegment,
    is_identifier_only,
    is_likely_reference,
    split_segments,
)
from citeproof.reading.extractors.prose.entry_starts import has_leading_name
from citeproof.reading.extractors.prose.field_records import names_columns, read_table_records
from citeproof.reading.extractors.prose.line_furniture import blank_small_talk, remove_line_furniture
from citeproof.reading.extractors.prose.loose_references import InlineWorks, find_listed_works
from citeproof.reading.extractors.prose.prose_mask import blank_spans, is_own_voice
from citeproof.reading.extractors.prose.raw_references import (
    build_references,
    count_expected,
    find_number_gaps,
    find_overlong_lines,
    join_unused_lines,
)
from citeproof.reading.extractors.prose.text_lines import (
    TextLine,
    is_closing_heading,
    is_reference_heading,
    split_lines,
)
from citeproof.text import dates, ids
from citeproof.text import lazy_patterns as re
from citeproof.text.unicode import find_script
from citeproof.vocabulary import Document, Extraction, Extractor, Problem, RawReference

_SENTENCE_END = re.compile(r"[a-z]{3}[.!?]\s[A-Z]")
_READ, _LONG = 3000, 200  # characters of a paragraph
_PROSE = 600  # characters; a longer entry without year or identifier is a paragraph, not a reference
_FEWEST = 3  # words of a reference
_SMALL = re.compile(r"[a-z' ]{1,99}[.!?]?")  # what is written without a capital or a number cites nothing
_HEADING = "add a line that says References above them"
_SECTION = re.compile(
    r"(?:[A-Z]|[A-Z]?\.?\d{1,2}(?:\.\d{1,2}){1,3}|[A-Z](?:\.\d{1,2}){1,3})[.)]?\s{1,4}[^\W\d_a-z]"
)
_CAPTION = re.compile(
    r"(?:Table|Figure|Fig\.|Tab\.|Tabelle|Abbildung|Abb\.|Tableau|Tabla|Figura)\s[A-Z]?\.?\d{1,3}[.:]"
)
_NUMBERED = re.compile(r"\s{0,12}(?:([\[(])(\d{1,4})[\])]|(\d{1,4})[.)])\s")
# "周志华《机器学习》，…，2016年", "* 王小明、李華（2019）。…": people, then a title in its brackets or a year
_UNSPACED = re.compile(
    r"\s{0,9}(?:[-*+•]\s{1,4})?(?P<work>(?P<people>[^\d\s。！？《『「“（(\[][^\d。！？《『「“（(\[]{1,60})"
    r"(?:[《『「“](?=.{1,300}\d{4})|[（(]\d{4}|(?=[^。]{0,200}\[[A-Z](?:/[A-Z]{2})?\]))"
    r".{4,600})\s{0,9}"
)
_LONGEST = 80  # characters of a heading
_MOST_WORDS = 8  # of a heading that no number marks
_BLOCK = 6  # lines of an entry that are examined
_LEAST_BEFORE = 2  # references before it


def _recognise_plain_text(document: Document) -> float:
    """Return a low certainty: every text is plain text, and most are something more."""
    return 0.3 if document.data.strip() else 0.2


def _extract_plain_text(document: Document) -> Extraction:
    """Return the entries under the reference headings, or all entries if there is none."""
    decoded = decode(document, MAX_RUNNING)
    problems = list(decoded.problems)
    lines = list(split_lines(decoded.text))
    problems += find_overlong_lines(decoded, lines)
    lines = remove_line_furniture(lines)
    sections = _find_text_sections(lines)
    if not sections:
        read, count = _read_unheaded_text(decoded, lines, problems)
        return Extraction(read, tuple(problems), count, EXTRACTOR.name)
    listings = _read_listings(lines, sections)
    listings = [listing for listing in listings if _is_reference_list(listing[2])] or listings[-1:]
    references: list[RawReference] = []
    for _, _, entries in listings:
        references += build_references(decoded, entries, {}, problems, len(references) + 1)
        problems += find_number_gaps(entries, decoded)
    refuse_flood(len(references), document.name)
    inside = {at for start, end, _ in listings for at in range(start - 1, end)}
    body = join_unused_lines(decoded, lines, inside)
    counts = [count for _, _, entries in listings if (count := count_expected(entries))]
    return Extraction(
        attach_sentences(references, body), tuple(problems), sum(counts) or None, EXTRACTOR.name
    )


def find_text_body(decoded: DecodedText) -> str:
    """Return the text without its reference lists, page numbers and running heads; form feeds stay."""
    lines = remove_line_furniture(list(split_lines(decoded.text)))
    listings = _read_listings(lines, _find_text_sections(lines))
    lists = [listing for listing in listings if _is_reference_list(listing[2])]
    inside = {at for start, end, _ in lists for at in range(start - 1, end)}
    if not listings and _is_reference_list(split_entries(blank_small_talk(lines))):
        return ""
    parts: list[str] = []
    at = 0
    for index, line in enumerate(lines):
        parts.append("\f" * decoded.text.count("\f", at, line.start))
        at = max(at, line.end)
        shown = line.text and index not in inside
        words = decoded.text[line.start : line.end].replace("\f", "\n\f") if shown else ""
        parts += [words, "\n"]
    return "".join(parts)


def _read_listings(
    lines: list[TextLine], sections: list[tuple[int, int]]
) -> list[tuple[int, int, list[EntrySegment]]]:
    """Return what is under reference headings, cut into entries: (first line, end, entries)."""
    ends = [(start, find_list_end(lines, start, end)) for start, end in sections]
    return [(start, end, split_entries(blank_small_talk(lines[start:end]))) for start, end in ends]


def split_entries(lines: Sequence[TextLine]) -> list[EntrySegment]:
    """Return the entries of a list; citations without spaces (Chinese, Japanese) are one a line."""
    used: set[int] = set()
    alone = find_unspaced_works(lines, used)
    rest = [replace(line, text="") if at in used else line for at, line in enumerate(lines)]
    return sorted([*alone, *split_segments(rest)], key=lambda entry: entry.start)


def find_unspaced_works(lines: Sequence[TextLine], used: set[int]) -> list[EntrySegment]:
    """Return the Chinese and Japanese citations that are a line each: they have no words to be known by.

    The lines that were read go into `used`. Lines next to each other are cited works all, or none is.
    """
    found: list[EntrySegment] = []
    for unspaced, run in groupby(
        enumerate(lines), lambda pair: find_script(pair[1].text[:_LONGEST]) == "CJK"
    ):
        works = [(at, line, _UNSPACED.match(line.text)) for at, line in run if unspaced and at not in used]
        if all(match and find_script(match["people"]) == "CJK" for _, _, match in works):
            used.update(at for at, _, _ in works)
            found += [
                EntrySegment(m["work"][:MAX_ENTRY], line.start + m.start("work"), line.end)
                for _, line, m in works
                if m
            ]
    return found


def _read_unheaded_text(
    decoded: DecodedText, lines: list[TextLine], problems: list[Problem]
) -> tuple[tuple[RawReference, ...], int | None]:
    """Return the references of a text without reference heading, and what it counts up to."""
    if names_columns(next((line.text for line in lines if not line.blank), "")):  # of a spreadsheet
        rows = [
            EntrySegment(row.text[:MAX_ENTRY], row.start, row.end, row.label, row.claimed)
            for row in read_table_records(decoded.text)
        ]
        return tuple(build_references(decoded, rows, {}, problems)), None
    used: set[int] = set()
    segments = split_entries(blank_small_talk(lines))
    speaks = any(is_own_voice(line.text) for line in lines if not line.blank)  # an answer, a letter
    if speaks and not _is_reference_list(segments) and (works := find_listed_works(lines, used)):
        text = blank_spans(decoded.text, [(lines[at].start, lines[at].end) for at in used])
        linked = InlineWorks(text, works).list_identified(works)
        segments = sorted([*works, *linked], key=lambda segment: segment.start)
        references = build_references(decoded, segments, {}, problems)
        problems += find_number_gaps(works, decoded)
        return attach_sentences(references, join_unused_lines(decoded, lines, used)), count_expected(works)
    cited = InlineWorks(decoded.text, ())
    titled = cited.list_titled(())
    inline = [citation for citation in titled if any(_has_work_inside(each, citation) for each in segments)]
    segments = [segment for segment in segments if not _is_running_text(segment, inline)]
    problems += () if segments else cited.list_missing(decoded, ())
    if len(segments) > _LEAST_BEFORE and _is_list_title(segments, lines):
        first = segments.pop(0)
        place = decoded.locate_span(first.start, first.end)
        problems.append(Problem(place, "the title of the list, not a reference", "", first.text, note=True))
    segments, prose = _separate_paragraphs(sorted([*segments, *inline], key=lambda segment: segment.start))
    problems += [
        Problem(decoded.locate_span(s.start, s.end), "a paragraph, not a reference", _HEADING, s.text[:500])
        for s in prose
    ]
    references = build_references(decoded, segments, {}, problems)
    problems += find_number_gaps(segments, decoded)
    return tuple(references), count_expected(segments)


def _has_work_inside(segment: EntrySegment, work: EntrySegment) -> bool:
    """Return whether a work is cited in the middle of a sentence, which is no reference itself."""
    inside = segment.start < work.start and work.end <= segment.end
    return inside and not segment.label and not has_leading_name(segment.text)


def _is_list_title(segments: Sequence[EntrySegment], lines: Sequence[TextLine]) -> bool:
    """Return whether the first entry is what a list is called: words alone above an empty line."""
    first, *others = segments
    below = next((line.blank for line in lines if line.start > first.end), False)
    plain = not first.label and re.search(r"[\d.,;:]", first.text) is None
    return below and plain and all(map(_is_reference_list, ([other] for other in others)))


def _is_running_text(segment: EntrySegment, inline: list[EntrySegment]) -> bool:
    """Return whether a segment is a sentence: it cites works in it, or it is a few words without a year."""
    few = len(segment.text.split()) < _FEWEST and not is_identifier_only(segment.text)
    few = (few or _SMALL.fullmatch(segment.text.strip()) is not None) and not segment.label
    few = few and not _UNSPACED.match(segment.text)
    return few or any(_has_work_inside(segment, citation) for citation in inline)


def _find_text_sections(lines: list[TextLine]) -> list[tuple[int, int]]:
    """Return the spans of lines under reference headings."""
    spans: list[tuple[int, int]] = []
    start: int | None = None
    for index, line in enumerate(lines):
        announced = is_reference_heading(line.text)
        if start is not None and (announced or is_closing_heading(line.text)):
            spans.append((start, index))
            start = None
        if announced:
            start = index + 1
    if start is not None:
        spans.append((start, len(lines)))
    return [
        (low, high) for low, high in spans if any(not line.blank for line in lines[low : min(high, low + 50)])
    ]


def _is_reference_list(segments: list[EntrySegment]) -> bool:
    likely = sum(bool(is_likely_reference(s.text) or _UNSPACED.match(s.text)) for s in segments)
    return bool(segments) and 2 * likely >= len(segments)


def _separate_paragraphs(segments: list[EntrySegment]) -> tuple[list[EntrySegment], list[EntrySegment]]:
    """Part entries from paragraphs, in a file that has no heading to go by."""
    is_prose = [not s.label and (_is_letter(s.text) or _is_long_prose(s.text)) for s in segments]
    entries = [segment for segment, prose in zip(segments, is_prose, strict=True) if not prose]
    return entries, [segment for segment, prose in zip(segments, is_prose, strict=True) if prose]


def _is_letter(text: str) -> bool:
    """Return whether a paragraph is what an answer says itself: sentences, and none of a citation's signs."""
    sentences = len(_SENTENCE_END.findall(text[:_READ]))
    if not sentences or has_leading_name(text) or ids.find_ids(text):
        return False
    return is_own_voice(text) or (sentences > 1 and len(text) > _LONG and not dates.find_years(text))


def _is_long_prose(text: str) -> bool:
    sentences = len(_SENTENCE_END.findall(text[:_READ]))
    return len(text) > _PROSE and not (is_likely_reference(text) and sentences < 8)


EXTRACTOR = Extractor("plain_text", (".txt", ".text"), _recognise_plain_text, _extract_plain_text)


def find_list_end(lines: Sequence[TextLine], start: int, end: int) -> int:
    """Return where the list in lines [start, end) ends: before a heading behind which no reference begins."""
    numbers = {index: _read_number(lines[index].text) for index in range(start, end)}
    starts = [
        index
        for index in range(start, end)
        if _is_start(lines[index : min(end, index + _BLOCK)], numbers[index])
    ]
    if len(starts) < _LEAST_BEFORE:
        return end
    last = starts[-1]
    counted = max((number for index, number in numbers.items() if index <= last), default=0)
    for index in range(last + 1, end):
        if numbers[index] == counted + 1 > 1:
            counted += 1  # an entry without a year
        elif lines[index - 1].blank and _is_heading(lines, index, end):
            rest = range(index + 1, end)
            return end if any(numbers[later] == counted + 1 > 1 for later in rest) else index
    return end


def _read_number(text: str) -> int:
    match = _NUMBERED.match(text)
    return int(match[2] or match[3]) if match else 0


def _is_start(lines: Sequence[TextLine], number: int) -> bool:
    """Return whether the first line begins a reference: by a number or names, and a year or identifier."""
    if not number and not has_leading_name(lines[0].text):
        return False
    block = takewhile(lambda line: not line.blank, lines)
    return is_likely_reference(" ".join(line.text for line in block))


def _is_heading(lines: Sequence[TextLine], index: int, end: int) -> bool:
    text = lines[index].text.strip()
    if not text or len(text) > _LONGEST or dates.find_years(text):
        return False
    if _CAPTION.match(text):
        return True
    if text[-1] in ".,;" or "," in text:
        return False
    if _SECTION.match(text):
        return True
    words = [word for word in text.split() if len(word) > 3]
    titled = bool(words) and all(word[0].isupper() for word in words) and text[-1].isalpha()
    below = " ".join(line.text for line in lines[index + 1 : min(end, index + _BLOCK)])
    titled = titled and len(text.split()) <= _MOST_WORDS and not has_leading_name(text)
    return titled and bool(below.strip()) and not is_likely_reference(below)

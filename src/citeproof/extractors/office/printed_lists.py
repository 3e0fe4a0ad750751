"""The reference lists a manuscript prints, and their entries."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from citeproof.extractors.decoded_text import DecodedText
from citeproof.extractors.office.manuscript import Manuscript, Paragraph, strip_marks
from citeproof.extractors.office.unheaded_lists import find_unheaded_lists, is_entry_paragraph
from citeproof.extractors.prose.entry_links import append_links
from citeproof.extractors.prose.entry_segments import is_likely_reference, split_segments
from citeproof.extractors.prose.entry_starts import has_leading_name
from citeproof.extractors.prose.raw_references import build_references, count_expected, find_number_gaps
from citeproof.extractors.prose.text_lines import is_closing_heading, is_reference_heading, split_lines
from citeproof.vocabulary import Place, Problem, RawReference

_ENTRY_STYLE = re.compile(
    r"bibliogra|references$|^reference$|reference[ _-]?(?:item|list|text|entry)|bib[ _-]?(?:entry|item)"
    r"|literaturverzeichnis|works cited",
    re.IGNORECASE,
)
_HEADING_STYLE = re.compile(
    r"head|title|überschrift|caption|footnote|endnote reference|comment", re.IGNORECASE
)
_CAPTION = re.compile(
    r"(?:fig(?:ure|\.)|table|tab\.|scheme|abb(?:ildung|\.)|tabelle)\s{0,2}S?\d{1,3}\b", re.IGNORECASE
)
_NUMBERED = re.compile(r"\s{0,9}(?:\[\d{1,6}\]|\d{1,6}[.)])\s")
_TIGHT = re.compile(r"^\s{0,12}(\[\d{1,6}\])(?=\S)", re.MULTILINE)  # "[1]A. Author": the space is a tab stop


@dataclass(frozen=True, slots=True)
class PrintedLists:
    """The entries of all lists, what was wrong with them, and how many the lists count themselves."""

    entries: tuple[RawReference, ...]
    problems: tuple[Problem, ...]
    expected: int | None
    used: frozenset[int]  # numbers of the paragraphs that are list, not running text


def is_entry_style(name: str) -> bool:
    """Return whether a paragraph style of this name is one for the entries of a bibliography."""
    return bool(_ENTRY_STYLE.search(name[:100])) and not _HEADING_STYLE.search(name[:100])


def read_printed_lists(written: Manuscript) -> PrintedLists:
    """Return the entries of every list of the manuscript."""
    entries: list[RawReference] = []
    problems: list[Problem] = []
    counts: list[int] = []
    used: set[int] = set()
    headed = find_printed_lists(written.paragraphs)
    found = headed or find_unheaded_lists([one for one in written.paragraphs if not one.note])
    for paragraphs in found:
        if not headed:
            problems.append(_make_heading_note(written, paragraphs))
        used.update(one.number for one in paragraphs)
        inner = [one for one in paragraphs if not one.level]
        entries += _read_list_entries(inner, written, problems, counts, len(entries))
    return PrintedLists(tuple(entries), tuple(problems), sum(counts) if counts else None, frozenset(used))


def _make_heading_note(written: Manuscript, paragraphs: Sequence[Paragraph]) -> Problem:
    message = f"these references have no heading; {len(paragraphs)} paragraphs look like a list"
    text, hint = strip_marks(paragraphs[0].text)[:500], "add the heading References above them"
    return Problem(_make_place(written, paragraphs), message, hint, text, note=True)


def _read_list_entries(
    paragraphs: list[Paragraph], written: Manuscript, problems: list[Problem], counts: list[int], before: int
) -> list[RawReference]:
    """Return the entries of one list, whose paragraphs may hold several or a part of one."""
    starts: list[int] = []
    texts: list[str] = []
    at = 0
    for one in paragraphs:
        said = _join_line_breaks(one, alone=len(paragraphs) == 1)
        text = _TIGHT.sub(r"\1 ", f"[{one.label}] {said}" if one.label else said)
        starts.append(at)
        texts.append(text)
        at += len(text) + 2
    # taken as one byte a character, so that places are offsets in the joined text
    decoded = DecodedText(written.file, "\n\n".join(texts), "utf-8", [], _bytewise=True)
    found = split_segments(list(split_lines(decoded.text)))
    faults: list[Problem] = []
    kept = build_references(decoded, found, {}, faults, before + 1)
    faults += find_number_gaps(found, decoded)
    counts.append(count_expected(found) or len(found))

    def spot(place: Place) -> list[Paragraph]:
        first, last = (bisect_right(starts, at or 0) - 1 for at in (place.start, place.end))
        return paragraphs[first : last + 1]

    problems += [replace(fault, place=_make_place(written, spot(fault.place))) for fault in faults]
    return [_locate_printed_entry(one, written, spot(one.place)) for one in kept]


def _locate_printed_entry(
    one: RawReference, written: Manuscript, paragraphs: Sequence[Paragraph]
) -> RawReference:
    """Return an entry where its paragraphs stand, with their links, without a number that is still in it."""
    label = paragraphs[0].label if paragraphs else ""
    key, text = one.key, one.text
    if label and text.startswith(f"[{label}] "):  # the only one with a number, among others without
        key, text = label, text.removeprefix(f"[{label}] ")
    text = append_links(text, [link for paragraph in paragraphs for link in paragraph.addresses])
    return replace(one, key=key, text=text, place=_make_place(written, paragraphs))


def _join_line_breaks(one: Paragraph, *, alone: bool) -> str:
    """Return a paragraph's text; breaks of line stay only where they part entries."""
    text = strip_marks(one.text)
    pieces = text.split("\n")
    if len(pieces) == 1 or (alone and not one.label):
        return text
    starts = [bool(_NUMBERED.match(piece)) or has_leading_name(piece) for piece in pieces]
    entries = sum(start and is_likely_reference(piece) for start, piece in zip(starts, pieces, strict=True))
    return text if entries > 1 else " ".join(piece.strip() for piece in pieces)


def _make_place(written: Manuscript, paragraphs: Sequence[Paragraph]) -> Place:
    if not paragraphs:
        return written.locate_paragraph(1)
    return replace(written.locate_paragraph(paragraphs[0].number), end_line=paragraphs[-1].number)


def find_printed_lists(paragraphs: Sequence[Paragraph]) -> list[list[Paragraph]]:
    """Return the reference lists: those a program made or styled, and what is under a heading."""
    taken: list[list[Paragraph]] = []
    opened: list[Paragraph] | None = None
    level = 0
    made = any(one.listed for one in paragraphs)
    body = [one for one in paragraphs if not one.note]
    for index, one in enumerate(body):
        announced = _is_announcing(body, index)
        if announced:
            opened, level = [], one.level or 1
            taken.append(opened)
        elif opened is not None and not one.listed and _is_list_end(one, level, opened):
            opened = None
        if one.listed and opened is None:
            opened, level = [], 9
            taken.append(opened)
        if opened is not None and not announced:
            opened.append(one)
    kept = [_trim_numbered_list(_drop_unmarked(one)) for one in taken if one]
    if made:  # a heading elsewhere is only believed when entries are under it
        kept = [
            one
            for one in kept
            if any(p.listed for p in one) or sum(is_likely_reference(p.text) for p in one) * 2 > len(one)
        ]
    return [one for one in kept if one]


def _drop_unmarked(paragraphs: list[Paragraph]) -> list[Paragraph]:
    """Return a list without what is between its marked entries and cannot be one: "Books", "We cite:"."""
    if not any(one.listed for one in paragraphs):
        return paragraphs
    return [p for p in paragraphs if p.listed or p.label or p.level or is_likely_reference(p.text)]


def _is_announcing(body: Sequence[Paragraph], index: int) -> bool:
    """Return whether a paragraph heads a reference list, by style, by weight or by what follows."""
    one = body[index]
    if len(one.text) > 80 or not is_reference_heading(strip_marks(one.text)):
        return False
    following = body[index + 1] if index + 1 < len(body) else None
    if following is None:
        return False
    stands_out = bool(one.level or one.bold or following.listed or following.label)
    return stands_out or is_likely_reference(following.text)


def _is_list_end(one: Paragraph, level: int, opened: list[Paragraph]) -> bool:
    """Return whether a paragraph comes after the list that is open."""
    if one.level:
        return one.level <= level
    if any(paragraph.listed for paragraph in opened):
        return not is_entry_paragraph(one)  # one typed by hand behind those a program made
    short = len(one.text) < 100 and not one.label and not is_likely_reference(one.text)
    return (short and (is_closing_heading(one.text) or (one.bold and bool(opened)))) or (
        not one.label and bool(_CAPTION.match(one.text))
    )


def _trim_numbered_list(paragraphs: list[Paragraph]) -> list[Paragraph]:
    """Return a list without the paragraphs that follow the last of its automatic numbers."""
    numbered = [index for index, one in enumerate(paragraphs) if one.label]
    return paragraphs[: numbered[-1] + 1] if len(numbered) * 2 > len(paragraphs) else paragraphs

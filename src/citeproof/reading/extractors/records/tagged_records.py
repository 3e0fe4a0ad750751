"""Files of records with one tag a line (RIS, MEDLINE): cut, located, read.

Own code: the usual library silently returns nothing for a file with one space less or with a byte order
mark, and loses the record behind a missing end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from citeproof.reading.extractors.base import read_sample
from citeproof.reading.extractors.decoded_text import DecodedText, decode, refuse_flood
from citeproof.reading.extractors.records.record_fields import (
    RecordFields,
    choose_record_kind,
    has_identifying_field,
    normalise_record_fields,
)
from citeproof.vocabulary import Document, Extraction, Kind, Problem, RawReference

MAX_FIELDS = 10_000  # tags of one record that are read; a collaboration has some 5,000 authors
MAX_PROBLEMS = 500  # reported one by one
_MAX_TEXT = 20_000
_MAX_VALUE = 20_000  # characters of one field that are stored
_NOTHING = " \t\r\n\f\v\ufeff"
_BLANK_LINE = re.compile(r"\n[ \t\r]{0,99}\n")


@dataclass(frozen=True, slots=True)
class TagSyntax:
    """How one format writes its tags, and how its records begin and end."""

    tag: re.Pattern[str]  # groups: the tag, its value
    opens: str  # the tag that begins a record
    closes: str = ""  # the tag that ends it, where there is one
    blank_ends: bool = False  # a blank line ends a record
    unread: frozenset[str] = frozenset()  # tags that are not needed: abstracts, keywords


@dataclass(slots=True)
class TaggedRecord:
    """One record: its tags with their values in order; `end` is behind its last line."""

    start: int
    end: int
    fields: dict[str, list[str]] = field(default_factory=dict)
    size: int = 0
    closed: bool = False

    def first(self, *tags: str) -> str:
        """Return the first value there is of these tags, the earlier tag first, on one line."""
        for tag in tags:
            for value in self.fields.get(tag, ()):
                if text := _join_value_lines(value):
                    return text
        return ""

    def all(self, *tags: str) -> list[str]:
        """Return every value of these tags, each on one line, tag by tag."""
        return [
            text for tag in tags for value in self.fields.get(tag, ()) if (text := _join_value_lines(value))
        ]


@dataclass(frozen=True, slots=True)
class StrayText:
    """Text that is in no record."""

    start: int
    end: int


def read_beginning(document: Document) -> str:
    """Return the beginning of a document for detection, whatever its line ends, in UTF-16 too."""
    return read_sample(document).replace("\0", "").replace("\r", "\n").lstrip("\ufffd")


Read = tuple[str, Kind | None, RecordFields]  # key, stated kind, fields


def split_records(text: str, syntax: TagSyntax) -> Iterator[TaggedRecord | StrayText]:
    """Yield the records of a text, and what is between them, in order."""
    entry: TaggedRecord | None = None
    tag, behind = "", 0
    for match in syntax.tag.finditer(text):
        start = match.start()
        if start > behind + 1:  # more than the line end: lines that continue, or are outside
            outside, entry_ends = _read_gap(text, behind, start, entry, tag, syntax)
            if entry_ends and entry is not None:
                entry.closed = not syntax.closes
                yield entry
                entry = None
            if outside:
                yield StrayText(behind, start)
        tag, behind = match[1].upper(), match.end()
        if entry is not None and tag == syntax.opens:
            entry.closed = not syntax.closes
            yield entry
            entry = None
        if tag != syntax.closes:
            entry = entry or TaggedRecord(start, behind)
            _add_field(entry, tag, match[2] or "", behind, syntax)
        elif entry is not None:
            entry.closed, entry.end = True, behind
            yield entry
            entry = None
    yield from _finish_records(text, behind, entry, tag, syntax)


def _read_gap(
    text: str, start: int, end: int, entry: TaggedRecord | None, tag: str, syntax: TagSyntax
) -> tuple[bool, bool]:
    """Return whether the text between two tags is outside the records, and whether one ends before it."""
    gap = text[start:end]
    if entry is None:
        return bool(gap.strip(_NOTHING)), False
    lines = _BLANK_LINE.search(gap) if syntax.blank_ends else None
    more = gap[: lines.start()] if lines else gap
    if more and not more.isspace():
        values = entry.fields.get(tag)
        if values and len(values[-1]) < _MAX_VALUE:
            values[-1] = f"{values[-1]}\n{more.strip()}"[:_MAX_VALUE]
        entry.end = start + len(more)
    return lines is not None and gap[lines.end() :].strip() != "", lines is not None


def _finish_records(
    text: str, behind: int, entry: TaggedRecord | None, tag: str, syntax: TagSyntax
) -> Iterator[TaggedRecord | StrayText]:
    outside, _ = _read_gap(text, behind, len(text), entry, tag, syntax)
    if entry is not None:
        entry.closed = not syntax.closes
        yield entry
    if outside:
        yield StrayText(max(behind, entry.end if entry else 0), len(text))


def _add_field(entry: TaggedRecord, tag: str, value: str, end: int, syntax: TagSyntax) -> None:
    entry.size += 1
    entry.end = end
    if entry.size > MAX_FIELDS or tag in syntax.unread:
        return
    if tag in entry.fields:
        entry.fields[tag].append(value[:_MAX_VALUE])
    else:
        entry.fields[tag] = [value[:_MAX_VALUE]]


def extract_records(
    document: Document, name: str, choose: Callable[[str], TagSyntax], read: Callable[[TaggedRecord], Read]
) -> Extraction:
    """Return one reference for each record of `document`; what is wrong with one never costs another."""
    decoded = _convert_mac_line_ends(decode(document))
    syntax = choose(decoded.text)
    problems = list(decoded.problems)
    references: list[RawReference] = []
    count = 0
    for item in split_records(decoded.text, syntax):
        start, end = _trim_span(decoded.text, item.start, item.end)
        if isinstance(item, StrayText):
            text = decoded.text[start : min(end, start + 500)]
            hint = "check that no record lost its first line"
            problems.append(
                Problem(decoded.locate_span(start, end), "text outside the records", hint, text, note=True)
            )
            continue
        count += 1
        refuse_flood(count, document.name)
        reference, noted = _build_record_reference(
            decoded, start, end, item, read, len(references) + 1, syntax
        )
        problems += noted
        if reference is not None:
            references.append(reference)
    return Extraction(tuple(references), _limit_problem_list(problems), count, name)


def _build_record_reference(
    decoded: DecodedText,
    start: int,
    end: int,
    entry: TaggedRecord,
    read: Callable[[TaggedRecord], Read],
    number: int,
    syntax: TagSyntax,
) -> tuple[RawReference | None, list[Problem]]:
    place, text = decoded.locate_span(start, end), decoded.text[start : min(end, start + _MAX_TEXT)]
    key, stated, fields = read(entry)
    claimed, flags = normalise_record_fields(fields)
    key = key[:200] or f"ref-{number}"
    problems = [Problem(place, f"record {key!r}: {message}", hint) for _, message, hint in flags]
    if not has_identifying_field(claimed):
        message = "a record without title, authors or identifier"
        return None, [*problems, Problem(place, message, "complete it, or delete it", text[:500])]
    if not entry.closed:
        message = f"record {key!r} is not closed ({syntax.closes}); it was read up to the next one"
        problems.append(Problem(place, message, f"put a line {syntax.closes} behind it", text[:500]))
    if entry.size > MAX_FIELDS:
        message = f"record {key!r} has more than {MAX_FIELDS:,} fields; the rest was not read"
        problems.append(Problem(place, message, "split it into several records"))
    codes = tuple(dict.fromkeys(code for code, _, _ in flags))
    kind = choose_record_kind(stated, claimed)
    return RawReference(key, text, place, kind, claimed, suspicious=codes), problems


def _convert_mac_line_ends(decoded: DecodedText) -> DecodedText:
    """Return a text with the line ends of old Macs as everybody's: its places stay the same."""
    if "\n" in decoded.text or "\r" not in decoded.text:
        return decoded
    return replace(decoded, text=decoded.text.replace("\r", "\n"))


def _trim_span(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span without the white space and byte order marks at its ends."""
    while start < end and (text[start].isspace() or text[start] == "\ufeff"):
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _limit_problem_list(problems: list[Problem]) -> tuple[Problem, ...]:
    """Return the problems; beyond a bound the rest is reported as a number."""
    if len(problems) <= MAX_PROBLEMS:
        return tuple(problems)
    more = f"{len(problems) - MAX_PROBLEMS:,} more problems of this kind"
    return (*problems[:MAX_PROBLEMS], Problem(problems[MAX_PROBLEMS].place, more, "fix the first ones"))


def _join_value_lines(value: str) -> str:
    return " ".join(value.split()) if "\n" in value or "  " in value else value.strip()

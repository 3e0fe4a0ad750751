"""What the fields of one bibliographic record claim, whatever format they was in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache

from citeproof.reading.extractors.base import read_sample
from citeproof.reading.extractors.decoded_text import DecodedText, decode, refuse_flood
from citeproof.reading.extractors.records.bibtex_fields import Flag
from citeproof.text import bibtex_kind, dates, ids, names, pages, title
from citeproof.text import lazy_patterns as re
from citeproof.text.doi import is_short
from citeproof.text.unicode import is_suspicious
from citeproof.vocabulary import (
    Claimed,
    Document,
    Extraction,
    FieldOrigin,
    Ids,
    Kind,
    Name,
    Origin,
    Place,
    Problem,
    RawReference,
)
from citeproof.vocabulary.quick_dataclass import dataclass, field, replace

MAX_VALUE = 4000  # characters of one field that are read
Flags = tuple[Flag, ...]
_CUT = frozenset(("et al", "and others", "others", "...", "…", "u. a", "et. al"))
_SERIAL = re.compile(r"(?<![\w-])(?:97[89][\s-]?)?\d[\d -]{6,16}[\dXx](?![\w-])")
MAX_FIELDS = 10_000  # tags of one record that are read; a collaboration has some 5,000 authors
MAX_PROBLEMS = 500  # reported one by one
_MAX_TEXT = 20_000
_MAX_VALUE = 20_000  # characters of one field that are stored
_NOTHING = " \t\r\n\f\v\ufeff"
_BLANK_LINE = re.compile(r"\n[ \t\r]{0,99}\n")


@dataclass(slots=True)
class RecordFields:
    """The fields of a record as they are; `ids` are (scheme, text), `free` may hold identifiers."""

    title: str = ""
    authors: Sequence[Name] = ()
    et_al: bool = False
    editors: Sequence[Name] = ()
    date: str = ""
    venue: str = ""
    series: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    publisher: str = ""
    edition: str = ""
    ids: Sequence[tuple[str, str]] = ()
    free: Sequence[str] = field(default=())


def normalise_record_fields(
    record: RecordFields, origin: Origin = Origin.STRUCTURED, confidence: float = 1.0
) -> tuple[Claimed, Flags]:
    """Return what a record claims, and what is wrong with its identifiers.

    `origin` and `confidence` tell of fields that another program read out of running text.
    """
    pairs, flags = _normalise_ids(record)
    fields = {
        "title": _clean_field(record.title),
        "authors": tuple(record.authors),
        "editors": tuple(record.editors),
        "year": dates.find_year(record.date) if record.date else None,
        "venue": _clean_field(record.venue),
        "series": _clean_field(record.series),
        "volume": _clean_field(record.volume),
        "issue": _clean_field(record.issue),
        "pages": pages.normalise(record.pages) if record.pages else None,
        "publisher": _clean_field(record.publisher),
        "edition": _clean_field(record.edition),
        "ids": Ids(pairs),
    }
    stated = tuple(name for name, value in fields.items() if value)
    return Claimed(**fields, et_al=record.et_al, origins=_list_origins(stated, origin, confidence)), flags  # type: ignore[arg-type] # by name


@cache
def _list_origins(stated: tuple[str, ...], origin: Origin, confidence: float) -> tuple[FieldOrigin, ...]:
    return tuple(FieldOrigin(name, origin, confidence) for name in stated)


def build_record_reference(
    key: str,
    text: str,
    place: Place,
    read: tuple[RecordFields, Kind | None],
    cited: tuple[str, ...] = (),
    *,
    word: str = "reference",
    how: tuple[Origin, float] = (Origin.STRUCTURED, 1.0),
) -> tuple[RawReference | None, list[Problem]]:
    """Return the reference of a record, None if nothing identifies it, and what is wrong with its ids."""
    fields, stated = read
    claimed, flags = normalise_record_fields(fields, *how)
    problems = [Problem(place, f"{word} {key!r}: {message}", hint) for _, message, hint in flags]
    if not (claimed.title or claimed.authors or claimed.ids or (claimed.venue and claimed.year)):
        return None, problems
    codes = tuple(dict.fromkeys(code for code, _, _ in flags))
    kind = choose_record_kind(stated, claimed)
    return RawReference(key, text, place, kind, claimed, cited, codes), problems


def read_people(listed: Iterable[str]) -> tuple[tuple[Name, ...], bool]:
    """Return the people of a list of "Family, Given", and whether it says that it is cut."""
    persons: list[Name] = []
    cut = False
    for text in listed:
        if len(persons) >= names.MAX_NAMES:
            return tuple(persons), True
        whole = text.strip()
        if whole.lower().rstrip(".") in _CUT:
            cut = True
        elif ";" in whole and "&" not in whole:
            several, some_cut = names.split_names(whole[:100_000])
            persons += several
            cut = cut or some_cut
        elif whole:
            persons.append(_read_person(whole))
    return tuple(
        name for name in persons if name.family[:1].isalpha() or any(map(str.isalnum, name.family))
    ), cut


def _read_person(text: str) -> Name:
    """Return who one name is; reference managers mark an organisation by a comma behind it."""
    if text.endswith(",") and text.count(",") == 1 and " " in text:
        return Name(names.tidy_name(text[: names.MAX_NAME].rstrip(",")), collective=True)
    return names.parse(text.rstrip(", "))


def choose_record_kind(stated: Kind | None, claimed: Claimed, work: str = "") -> Kind:
    """Return the kind of work: as stated, a preprint where it appeared as one, else from its fields."""
    if stated not in (None, Kind.UNKNOWN, Kind.ARTICLE):
        return stated
    venue = claimed.venue or ""
    if stated is Kind.ARTICLE:
        return bibtex_kind.find_kind("article", {"journal": venue})
    fields = {"journal": venue, "publisher": claimed.publisher or "", "note": work}
    fields |= {scheme: value for scheme, value in claimed.ids.pairs if scheme in ("doi", "url")}
    kind = bibtex_kind.find_kind("misc", fields)
    return Kind.PREPRINT if kind is Kind.UNKNOWN and claimed.ids.first("arxiv") else kind


def find_serial_numbers(text: str) -> list[tuple[str, str]]:
    """Return the ISSNs and ISBNs of a field that holds either, as (scheme, text): eight digits or more."""
    pairs = []
    for match in _SERIAL.finditer(text[:500]):
        digits = sum(c.isalnum() for c in match[0])
        if digits == 8 or digits in (10, 13):
            pairs.append(("issn" if digits == 8 else "isbn", match[0].strip()))
    return pairs


def _clean_field(value: str) -> str | None:
    return (title.clean(value[:MAX_VALUE]) or None) if value else None


def _normalise_ids(stated: RecordFields) -> tuple[tuple[tuple[str, str], ...], Flags]:
    pairs: list[tuple[str, str]] = []
    flags: list[Flag] = []
    for scheme, text in stated.ids:
        value = text[:MAX_VALUE].strip()
        normal = ids.normalise_id(scheme, value) if value else None
        if normal is None and value and not (scheme == "doi" and is_short(value)):
            message = f"{scheme} {value[:80]!r} is malformed"
            flags.append((f"malformed_{scheme}", message, f"check the {scheme}"))
        elif normal is not None:
            pairs += ids.expand_doi(normal) if scheme == "doi" else [(scheme, normal)]
            if scheme in ("doi", "arxiv") and is_suspicious(normal):
                message = f"{scheme} {normal[:80]!r} holds characters that only look like ASCII"
                flags.append(("suspicious_characters", message, f"type the {scheme} again"))
    for text in stated.free:
        if text.startswith("http") and " " not in text:
            pairs += ids.identify_url(text[:MAX_VALUE])
        else:
            pairs += [(scheme, value) for scheme, value, _, _ in ids.find_ids(text[:MAX_VALUE])]
    return tuple(dict.fromkeys(pairs)), tuple(flags)


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
        reference, noted = _build_tagged_reference(
            decoded, start, end, item, read, len(references) + 1, syntax
        )
        problems += noted
        if reference is not None:
            references.append(reference)
    return Extraction(tuple(references), _limit_problem_list(problems), count, name)


def _build_tagged_reference(
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
    key = key[:200] or f"ref-{number}"
    reference, problems = build_record_reference(key, text, place, (fields, stated), word="record")
    if reference is None:
        message = "a record without title, authors or identifier"
        return None, [*problems, Problem(place, message, "complete it, or delete it", text[:500])]
    if not entry.closed:
        message = f"record {key!r} is not closed ({syntax.closes}); it was read up to the next one"
        problems.append(Problem(place, message, f"put a line {syntax.closes} behind it", text[:500]))
    if entry.size > MAX_FIELDS:
        message = f"record {key!r} has more than {MAX_FIELDS:,} fields; the rest was not read"
        problems.append(Problem(place, message, "split it into several records"))
    return reference, problems


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

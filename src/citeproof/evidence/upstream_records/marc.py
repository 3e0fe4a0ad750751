"""MARC 21 XML, the format of library catalogues, to records.

Read are 245 (title), 240/246/880 (other titles), 100/110/700/710 (people and bodies), 264/260 (publisher
and year), 020/024/776 (identifiers), 502 (thesis) and 773 (what contains a part). ISBD punctuation at
the ends of subfields and the control characters around leading articles are dropped.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from lxml import etree

from citeproof.evidence.upstream_records import json_fields
from citeproof.text import dates, names, pages
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Ids, Kind, Name, Record, Version

_MOST_FIELDS = 2000
_MOST_YEARS = 10
_ENDS = " /:;=,"
_CUT = re.compile(
    r"\[?(?:u\.\s?a\.|et\.? al\b|und (?:\w+ )?weitere|and (?:\w+ )?others)\.?\]?|\.\.\.|…", re.IGNORECASE
)
_AUTHOR = frozenset(("aut", "verfasserin", "verfasser", "author", "cre", "dis"))
_EDITOR = frozenset(("edt", "herausgeberin", "herausgeber", "editor", "com", "hrsg", "ed", "eds", "comp"))
_MORE_DATES = frozenset("rtm")  # 008: reprint and original, publication and copyright, first and last
_KINDS = {"m": Kind.BOOK, "a": Kind.CHAPTER, "b": Kind.ARTICLE}  # leader: monograph, part, part of a serial
_BUDDHIST = re.compile(r"(?<!\d)2[45]\d\d(?!\d)")
_PAGED = re.compile(r"\b(?:Seite|S\.|pages?|pp?\.)\s?([\dA-Za-z]{1,9}(?:\s?[-–]\s?[\dA-Za-z]{1,9})?)")


class _MarcField(NamedTuple):
    first: str  # first indicator
    second: str
    parts: tuple[tuple[str, str], ...]  # subfield code, text

    def all(self, code: str) -> list[str]:
        return [text for name, text in self.parts if name == code and text]

    def get(self, code: str) -> str:
        return next(iter(self.all(code)), "")


class _MarcRecord(NamedTuple):
    leader: str
    control: dict[str, str]
    data: dict[str, list[_MarcField]]

    def all(self, *tags: str) -> Iterator[_MarcField]:
        for tag in tags:
            yield from self.data.get(tag, ())


def make_record(item: etree._Element) -> Record | None:
    """Return the work that a MARC `record` element describes; None if it has no usable title."""
    marc = _read_fields(item)
    titles, marks = json_fields.split_retraction_mark(_read_titles(marc))
    if not titles:
        return None
    people, complete = _read_people(marc)
    kind = _find_kind(marc)
    publishers = [_trim_punctuation(f.get("b")) for f in marc.all("264", "260") if f.second != "4"]
    return Record(
        source="",
        id=marc.control.get("001", ""),
        titles=titles,
        authors=people,
        authors_complete=complete,
        versions=_read_versions(marc, kind),
        kind=kind,
        publisher=next(filter(None, map(json_fields.read_text, publishers)), None),
        ids=Ids(_read_ids(marc)),
        marks=marks,
    )


def _read_fields(item: etree._Element) -> _MarcRecord:
    leader, control, data = "", {}, dict[str, list[_MarcField]]()
    for element in list(item)[:_MOST_FIELDS]:
        name, tag = _strip_namespace(element), element.get("tag") or ""
        if name == "leader":
            leader = element.text or ""
        elif name == "controlfield":
            control[tag] = (element.text or "").strip()[:100]
        elif name == "datafield":
            parts = tuple(
                (p.get("code") or "", json_fields.squeeze_text(p.text))
                for p in element
                if _strip_namespace(p) == "subfield"
            )
            data.setdefault(tag, []).append(
                _MarcField(element.get("ind1") or "", element.get("ind2") or "", parts)
            )
    return _MarcRecord(leader, control, data)


def _strip_namespace(element: etree._Element) -> str:
    """Return an element's name without its namespace; "" for comments."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _trim_punctuation(text: str) -> str:
    """Return a subfield without the ISBD punctuation that leads to the next one, and without brackets."""
    text = text.strip().rstrip(_ENDS).strip()
    return text[1:-1].strip() if text[:1] == "[" and text[-1:] == "]" else text


def _read_titles(marc: _MarcRecord) -> tuple[str, ...]:
    """Return title with subtitle, title alone, the part's own title, then parallel and other titles."""
    parts: list[str] = []
    original = [f for f in marc.all("880") if f.get("6").startswith("245")]
    for field in (*list(marc.all("245"))[:1], *marc.all("246", "240"), *original):
        main, *parallel = [_trim_punctuation(part) for part in f"{field.get('a')} ".split(" = ")]
        subtitle, *more = [_trim_punctuation(part) for part in f"{field.get('b')} ".split(" = ")]
        part = _trim_punctuation(field.get("p"))
        parts += json_fields.list_titles(
            f"{main}. {part}" if part else main, subtitle, main, part, *parallel, *more
        )
    return tuple(dict.fromkeys(parts))


def _read_people(marc: _MarcRecord) -> tuple[tuple[Name, ...], bool]:
    """Return the authors, or the editors where there are none, and whether the list is complete."""
    stated = next((field.get("c") for field in marc.all("245")), "")
    authors, editors = [], []
    for tag in ("100", "110", "111", "700", "710", "711"):
        for field in marc.all(tag):
            if not (name := _read_name(field, tag)):
                continue
            roles = {
                role.rpartition("/")[2].strip(" .").lower() for role in (*field.all("4"), *field.all("e"))
            }
            unsaid = not roles and (tag[0] == "1" or name.family in stated)
            if roles & _AUTHOR or unsaid:
                authors.append(name)
            elif roles & _EDITOR:
                editors.append(name)
    listed = tuple(dict.fromkeys(authors or editors))[: json_fields.MAX_ROWS]
    return listed, not _CUT.search(stated)


def _read_name(field: _MarcField, tag: str) -> Name | None:
    whole = _trim_punctuation(field.get("a"))
    if not whole or not any(map(str.isalpha, whole)):
        return None
    if tag[1:] != "00":
        parts = [_trim_punctuation(part).rstrip(".") for part in (whole, *field.all("b"))]
        return Name(". ".join(filter(None, parts))[: names.MAX_NAME], collective=True)
    return names.parse(whole) if "," in whole else Name(whole[: names.MAX_NAME])


def _find_kind(marc: _MarcRecord) -> Kind:
    if "502" in marc.data:
        return Kind.THESIS
    kind = _KINDS.get(marc.leader[7:8], Kind.UNKNOWN)
    in_serial = any(field.get("x") for field in marc.all("773"))
    return Kind.ARTICLE if kind is Kind.CHAPTER and in_serial else kind


def _read_versions(marc: _MarcRecord, kind: Kind) -> tuple[Version, ...]:
    """Return one version for each year: of this edition first, then of the original and other formats."""
    coded = marc.control.get("008", "")
    stated = [f.get("c") for f in marc.all("264", "260")] + [f.get("c") for f in marc.all("534")]
    stated += [f.get("d") for f in marc.all("776")]
    years = [_read_year(_trim_punctuation(text).lstrip("©cp")) for text in stated] + [_read_year(coded[7:11])]
    years += [_read_year(coded[11:15])] if coded[6:7] in _MORE_DATES else []
    known: list[int | None] = list(dict.fromkeys(year for year in years if year))
    venue, volume, issue, paged = _read_container(marc)
    return tuple(Version(year, venue, kind, volume, issue, paged) for year in known[:_MOST_YEARS] or [None])


def _read_year(text: str) -> int | None:
    """Return a year; one of the Buddhist era, which Thai books have, as that of the common one."""
    buddhist = _BUDDHIST.search(text)
    return dates.find_year(text) or (int(buddhist[0]) - 543 if buddhist else None)


def _read_container(marc: _MarcRecord) -> tuple[str | None, str | None, str | None, str | None]:
    """Return title, volume, issue and pages of what contains a part (773)."""
    coded: dict[str, str] = {}
    venue, paged = None, None
    for field in marc.all("773"):
        venue = venue or json_fields.read_text(_trim_punctuation(field.get("t"))) or None
        for text in field.all("g"):
            key, colon, value = text.partition(":")
            if colon and key.isalpha():
                coded[key.lower()] = value
            elif match := _PAGED.search(text):
                paged = match[1]
    return venue, coded.get("volume"), coded.get("number"), pages.normalise(coded.get("pages") or paged or "")


def _read_ids(marc: _MarcRecord) -> tuple[tuple[str, str], ...]:
    """Return the edition's own identifiers, then the ISBNs of its other formats."""
    own = [value.split(" ")[0] for field in marc.all("020") for value in field.all("a")]
    other = [value for field in marc.all("776") for value in field.all("z")]
    stated = [f.get("a") for f in marc.all("024") if f.get("2").lower() == "doi"]
    serials = [f.get("a") for f in marc.all("022")]
    return json_fields.collect_ids(("doi", stated), ("isbn", [*own, *other]), ("issn", serials))

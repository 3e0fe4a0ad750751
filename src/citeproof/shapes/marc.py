"""MARC 21 XML, the format of library catalogues, to records.

Read are 245 (title), 240/246/880 (other titles), 100/110/700/710 (people and bodies), 264/260 (publisher
and year), 020/024/776 (identifiers), 502 (thesis) and 773 (what contains a part). ISBD punctuation at
the ends of subfields and the control characters around leading articles are dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from lxml import etree

from citeproof.shapes import fields
from citeproof.text import dates, names, pages
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


class _Field(NamedTuple):
    first: str  # first indicator
    second: str
    parts: tuple[tuple[str, str], ...]  # subfield code, text

    def all(self, code: str) -> list[str]:
        return [text for name, text in self.parts if name == code and text]

    def get(self, code: str) -> str:
        return next(iter(self.all(code)), "")


class _Marc(NamedTuple):
    leader: str
    control: dict[str, str]
    data: dict[str, list[_Field]]

    def all(self, *tags: str) -> Iterator[_Field]:
        for tag in tags:
            yield from self.data.get(tag, ())


def record(item: etree._Element) -> Record | None:
    """Return the work that a MARC `record` element describes; None if it has no usable title."""
    marc = _read(item)
    titles, marks = fields.unmarked(_titles(marc))
    if not titles:
        return None
    people, complete = _people(marc)
    kind = _kind(marc)
    publishers = [_trimmed(f.get("b")) for f in marc.all("264", "260") if f.second != "4"]
    return Record(
        source="",
        id=marc.control.get("001", ""),
        titles=titles,
        authors=people,
        authors_complete=complete,
        versions=_versions(marc, kind),
        kind=kind,
        publisher=next(filter(None, map(fields.text, publishers)), None),
        ids=Ids(_ids(marc)),
        marks=marks,
    )


def _read(item: etree._Element) -> _Marc:
    leader, control, data = "", {}, dict[str, list[_Field]]()
    for element in list(item)[:_MOST_FIELDS]:
        name, tag = _local(element), element.get("tag") or ""
        if name == "leader":
            leader = element.text or ""
        elif name == "controlfield":
            control[tag] = (element.text or "").strip()[:100]
        elif name == "datafield":
            parts = tuple(
                (p.get("code") or "", fields.squeezed(p.text)) for p in element if _local(p) == "subfield"
            )
            data.setdefault(tag, []).append(
                _Field(element.get("ind1") or "", element.get("ind2") or "", parts)
            )
    return _Marc(leader, control, data)


def _local(element: etree._Element) -> str:
    """Return an element's name without its namespace; "" for comments."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _trimmed(text: str) -> str:
    """Return a subfield without the ISBD punctuation that leads to the next one, and without brackets."""
    text = text.strip().rstrip(_ENDS).strip()
    return text[1:-1].strip() if text[:1] == "[" and text[-1:] == "]" else text


def _titles(marc: _Marc) -> tuple[str, ...]:
    """Return title with subtitle, title alone, the part's own title, then parallel and other titles."""
    found: list[str] = []
    original = [f for f in marc.all("880") if f.get("6").startswith("245")]
    for field in (*list(marc.all("245"))[:1], *marc.all("246", "240"), *original):
        main, *parallel = [_trimmed(part) for part in f"{field.get('a')} ".split(" = ")]
        subtitle, *more = [_trimmed(part) for part in f"{field.get('b')} ".split(" = ")]
        part = _trimmed(field.get("p"))
        found += fields.titles(f"{main}. {part}" if part else main, subtitle, main, part, *parallel, *more)
    return tuple(dict.fromkeys(found))


def _people(marc: _Marc) -> tuple[tuple[Name, ...], bool]:
    """Return the authors, or the editors where there are none, and whether the list is complete."""
    stated = next((field.get("c") for field in marc.all("245")), "")
    authors, editors = [], []
    for tag in ("100", "110", "111", "700", "710", "711"):
        for field in marc.all(tag):
            if not (name := _name(field, tag)):
                continue
            roles = {
                role.rpartition("/")[2].strip(" .").lower() for role in (*field.all("4"), *field.all("e"))
            }
            unsaid = not roles and (tag[0] == "1" or name.family in stated)
            if roles & _AUTHOR or unsaid:
                authors.append(name)
            elif roles & _EDITOR:
                editors.append(name)
    listed = tuple(dict.fromkeys(authors or editors))[: fields.MAX_ROWS]
    return listed, not _CUT.search(stated)


def _name(field: _Field, tag: str) -> Name | None:
    whole = _trimmed(field.get("a"))
    if not whole or not any(map(str.isalpha, whole)):
        return None
    if tag[1:] != "00":
        parts = [_trimmed(part).rstrip(".") for part in (whole, *field.all("b"))]
        return Name(". ".join(filter(None, parts))[: names.MAX_NAME], collective=True)
    return names.parse(whole) if "," in whole else Name(whole[: names.MAX_NAME])


def _kind(marc: _Marc) -> Kind:
    if "502" in marc.data:
        return Kind.THESIS
    kind = _KINDS.get(marc.leader[7:8], Kind.UNKNOWN)
    in_serial = any(field.get("x") for field in marc.all("773"))
    return Kind.ARTICLE if kind is Kind.CHAPTER and in_serial else kind


def _versions(marc: _Marc, kind: Kind) -> tuple[Version, ...]:
    """Return one version for each year: of this edition first, then of the original and other formats."""
    coded = marc.control.get("008", "")
    stated = [f.get("c") for f in marc.all("264", "260")] + [f.get("c") for f in marc.all("534")]
    stated += [f.get("d") for f in marc.all("776")]
    years = [_year(_trimmed(text).lstrip("©cp")) for text in stated] + [_year(coded[7:11])]
    years += [_year(coded[11:15])] if coded[6:7] in _MORE_DATES else []
    known: list[int | None] = list(dict.fromkeys(year for year in years if year))
    venue, volume, issue, paged = _container(marc)
    return tuple(Version(year, venue, kind, volume, issue, paged) for year in known[:_MOST_YEARS] or [None])


def _year(text: str) -> int | None:
    """Return a year; one of the Buddhist era, which Thai books have, as that of the common one."""
    buddhist = _BUDDHIST.search(text)
    return dates.year(text) or (int(buddhist[0]) - 543 if buddhist else None)


def _container(marc: _Marc) -> tuple[str | None, str | None, str | None, str | None]:
    """Return title, volume, issue and pages of what contains a part (773)."""
    coded: dict[str, str] = {}
    venue, paged = None, None
    for field in marc.all("773"):
        venue = venue or fields.text(_trimmed(field.get("t"))) or None
        for text in field.all("g"):
            key, colon, value = text.partition(":")
            if colon and key.isalpha():
                coded[key.lower()] = value
            elif found := _PAGED.search(text):
                paged = found[1]
    return venue, coded.get("volume"), coded.get("number"), pages.normal(coded.get("pages") or paged or "")


def _ids(marc: _Marc) -> tuple[tuple[str, str], ...]:
    """Return the edition's own identifiers, then the ISBNs of its other formats."""
    own = [value.split(" ")[0] for field in marc.all("020") for value in field.all("a")]
    other = [value for field in marc.all("776") for value in field.all("z")]
    stated = [f.get("a") for f in marc.all("024") if f.get("2").lower() == "doi"]
    found = (*fields.pairs("doi", stated), *fields.pairs("isbn", own), *fields.pairs("isbn", other))
    return tuple(dict.fromkeys((*found, *fields.pairs("issn", [f.get("a") for f in marc.all("022")]))))

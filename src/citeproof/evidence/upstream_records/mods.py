"""One `mods` element of the ACL Anthology's MODS export to a record. Its id is the Anthology's.

The Anthology's id is in the address of the paper; `host` is the volume or journal it is part of.
"""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from citeproof.evidence.upstream_records import json_fields
from citeproof.text import dates, names, pages
from citeproof.text.package_tables import load_kinds
from citeproof.vocabulary import Ids, Kind, Name, Record, Version

SPACE = "{http://www.loc.gov/mods/v3}"


def make_record(mods: etree._Element) -> Record | None:
    """Return the record of one `mods`; None without a title."""
    info = _find_all(mods, "titleInfo")
    first = info[0] if info else None
    known = json_fields.list_titles(_read_path_text(first, "title"), _read_path_text(first, "subTitle"))
    titles, marks = json_fields.split_retraction_mark(known)
    if not titles:
        return None
    host = next((e for e in _find_all(mods, "relatedItem") if e.get("type") == "host"), None)
    genre = _read_path_text(mods, "genre")
    kind = Kind.ARTICLE if host is not None else load_kinds("mods").get(genre, Kind.UNKNOWN)
    pairs = tuple(_read_ids(mods))
    own = next((value for scheme, value in pairs if scheme == "acl"), "")
    publisher = _read_path_text(mods, "originInfo/publisher") or _read_path_text(host, "originInfo/publisher")
    return Record(
        source="",
        id=own,
        titles=titles,
        authors=_read_people(mods, "author") or (() if host is not None else _read_people(mods, "editor")),
        versions=(_read_version(mods, host, kind),),
        kind=kind,
        publisher=publisher or None,
        ids=Ids(pairs),
        marks=marks,
    )


def _read_people(mods: etree._Element, role: str) -> tuple[Name, ...]:
    authors = []
    for name in _find_all(mods, "name")[: json_fields.MAX_ROWS]:
        if _read_path_text(name, "role/roleTerm") != role:
            continue
        parts: dict[str, list[str]] = {}
        for part in _find_all(name, "namePart"):
            text = names.tidy_name((part.text or "")[: names.MAX_NAME])
            parts.setdefault(part.get("type", ""), []).append(text)
        family, given = (" ".join(parts.get(kind, ())) for kind in ("family", "given"))
        if family:
            authors.append(Name(family, given, " ".join(parts.get("termsOfAddress", ()))))
        elif whole := " ".join(parts.get("", ())):
            corporate = name.get("type") == "corporate"
            authors.append(Name(whole, collective=True) if corporate else names.parse(whole))
    return tuple(authors)


def _read_version(mods: etree._Element, host: etree._Element | None, kind: Kind) -> Version:
    part = mods.find(f"{SPACE}part")
    numbers = {e.get("type"): _read_path_text(e, "number") for e in _find_all(part, "detail")}
    start, end = _read_path_text(part, "extent/start"), _read_path_text(part, "extent/end")
    stated = (
        _read_path_text(mods, "originInfo/dateIssued"),
        _read_path_text(part, "date"),
        _read_path_text(host, "originInfo/dateIssued"),
    )
    return Version(
        next((year for year in map(dates.find_year, stated) if year), None),
        _read_path_text(host, "titleInfo/title") or None,
        kind,
        numbers.get("volume") or None,
        numbers.get("issue") or None,
        pages.normalise(f"{start}-{end}" if start and end else start),
    )


def _read_ids(mods: etree._Element) -> Iterator[tuple[str, str]]:
    """Yield the Anthology's id and the DOI; a volume's address ends in the number of its front matter."""
    address = _read_path_text(mods, "location/url")
    yield from json_fields.make_id_pairs("acl", [address])
    stated = [e.text for e in _find_all(mods, "identifier") if e.get("type") == "doi"]
    yield from (pair for pair in json_fields.make_id_pairs("doi", stated) if pair[0] == "doi")


def _find_all(element: etree._Element | None, tag: str) -> list[etree._Element]:
    return element.findall(f"{SPACE}{tag}") if element is not None else []


def _read_path_text(element: etree._Element | None, path: str) -> str:
    """Return the plain text at a path of MODS elements, "" if there is none."""
    if element is None:
        return ""
    child = element.find("/".join(SPACE + step for step in path.split("/")))
    return json_fields.read_text("".join(child.itertext())) if child is not None else ""

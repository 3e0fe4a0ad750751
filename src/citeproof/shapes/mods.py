"""One `mods` element of the ACL Anthology's MODS export to a record. Its id is the Anthology's.

The Anthology's id stands in the address of the paper; `host` is the volume or journal it is part of.
"""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from citeproof.shapes import fields
from citeproof.text import dates, names, pages
from citeproof.vocabulary import Ids, Kind, Name, Record, Version

SPACE = "{http://www.loc.gov/mods/v3}"
_KINDS = {
    "conference publication": Kind.BOOK,
    "book": Kind.BOOK,
    "thesis": Kind.THESIS,
    "academic journal": Kind.ARTICLE,
}


def record(mods: etree._Element) -> Record | None:
    """Return the record of one `mods`; None without a title."""
    info = _all(mods, "titleInfo")
    titles = fields.titles(_text(info[0], "title"), _text(info[0], "subTitle")) if info else ()
    titles, marks = fields.unmarked(titles)
    if not titles:
        return None
    host = next((e for e in _all(mods, "relatedItem") if e.get("type") == "host"), None)
    genre = _text(mods, "genre")
    kind = Kind.ARTICLE if host is not None else _KINDS.get(genre, Kind.UNKNOWN)
    pairs = tuple(_ids(mods))
    own = next((value for scheme, value in pairs if scheme == "acl"), "")
    publisher = _text(mods, "originInfo/publisher") or _text(host, "originInfo/publisher")
    return Record(
        source="",
        id=own,
        titles=titles,
        authors=_people(mods, "author") or (() if host is not None else _people(mods, "editor")),
        versions=(_version(mods, host, kind),),
        kind=kind,
        publisher=publisher or None,
        ids=Ids(pairs),
        marks=marks,
    )


def _people(mods: etree._Element, role: str) -> tuple[Name, ...]:
    found = []
    for name in _all(mods, "name")[: fields.MAX_ROWS]:
        if _text(name, "role/roleTerm") != role:
            continue
        parts: dict[str, list[str]] = {}
        for part in _all(name, "namePart"):
            parts.setdefault(part.get("type", ""), []).append(names.tidy((part.text or "")[: names.MAX_NAME]))
        family, given = (" ".join(parts.get(kind, ())) for kind in ("family", "given"))
        if family:
            found.append(Name(family, given, " ".join(parts.get("termsOfAddress", ()))))
        elif whole := " ".join(parts.get("", ())):
            found.append(
                Name(whole, collective=True) if name.get("type") == "corporate" else names.parse(whole)
            )
    return tuple(found)


def _version(mods: etree._Element, host: etree._Element | None, kind: Kind) -> Version:
    part = mods.find(f"{SPACE}part")
    numbers = {e.get("type"): _text(e, "number") for e in _all(part, "detail")}
    start, end = _text(part, "extent/start"), _text(part, "extent/end")
    stated = (_text(mods, "originInfo/dateIssued"), _text(part, "date"), _text(host, "originInfo/dateIssued"))
    return Version(
        next((year for year in map(dates.year, stated) if year), None),
        _text(host, "titleInfo/title") or None,
        kind,
        numbers.get("volume") or None,
        numbers.get("issue") or None,
        pages.normal(f"{start}-{end}" if start and end else start),
    )


def _ids(mods: etree._Element) -> Iterator[tuple[str, str]]:
    """Yield the Anthology's id and the DOI; a volume's address ends in the number of its front matter."""
    address = _text(mods, "location/url")
    yield from fields.pairs("acl", [address])
    stated = [e.text for e in _all(mods, "identifier") if e.get("type") == "doi"]
    yield from (pair for pair in fields.pairs("doi", stated) if pair[0] == "doi")


def _all(element: etree._Element | None, tag: str) -> list[etree._Element]:
    return element.findall(f"{SPACE}{tag}") if element is not None else []


def _text(element: etree._Element | None, path: str) -> str:
    """Return the plain text at a path of MODS elements, "" if there is none."""
    if element is None:
        return ""
    found = element.find("/".join(SPACE + step for step in path.split("/")))
    return fields.text("".join(found.itertext())) if found is not None else ""

"""A publication as DBLP describes it: a hit of its search, rows of its SPARQL service, an element of its XML.

The three name the same fields differently; each becomes a `_Described`, and that a `Record`. Proceedings
volumes are read as well, as books of their editors: whoever searches or indexes leaves them out, because
their titles match the venue part of any citation of a paper in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from lxml import etree

from citeproof.shapes.fields import pairs, people, rows, table, text, titles, unmarked
from citeproof.text import dates, ids, names, pages, venue_name
from citeproof.vocabulary import Ids, Kind, Record, Version

RECORD = "https://dblp.org/rec/"
VOLUMES = "proceedings"
TAGS = ("article", "inproceedings", "incollection", "book", "phdthesis", "mastersthesis", "data")

_SORTS = {  # what the search calls a sort of publication, and what the SPARQL service calls its class
    "Journal Articles": "article",
    "Conference and Workshop Papers": "inproceedings",
    "Parts in Books or Collections": "incollection",
    "Reference Works": "incollection",
    "Books and Theses": "book",
    "Editorship": VOLUMES,
    "Informal and Other Publications": "informal",
    "Informal or Other Publications": "informal",
    "Data and Artifacts": "data",
    "Withdrawn Items": "withdrawn",
    "Article": "article",
    "Inproceedings": "inproceedings",
    "Incollection": "incollection",
    "Reference": "incollection",
    "Book": "book",
    "Informal": "informal",
    "Data": "data",
    "Withdrawn": "withdrawn",
}
_KINDS = {
    "article": Kind.ARTICLE,
    "inproceedings": Kind.ARTICLE,
    "incollection": Kind.CHAPTER,
    "book": Kind.BOOK,
    VOLUMES: Kind.BOOK,
    "phdthesis": Kind.THESIS,
    "mastersthesis": Kind.THESIS,
    "data": Kind.DATASET,
    "software": Kind.SOFTWARE,
}
_KEPT = frozenset(("doi", "arxiv", "acl", "openreview", "pmid", "pmcid"))
_CORR = "CoRR"
_KEY = re.compile(r"[a-z]{2,20}(?:/[\w+.:-]{1,80}){2,4}", re.ASCII)


@dataclass(frozen=True, slots=True)
class _Described:
    """What every shape says about a publication."""

    key: str
    sort: str
    title: str
    people: Sequence[str]
    year: str = ""
    venue: str = ""
    volume: str = ""
    number: str = ""
    pages: str = ""
    publisher: str = ""
    links: Sequence[str] = ()
    isbns: Sequence[str] = ()
    withdrawn: bool = False


def record(info: object) -> Record | None:
    """Return the record of the `info` of a search hit; None if it names no publication."""
    hit = table(info)
    listed = table(hit.get("authors")).get("author")
    persons = rows(listed if isinstance(listed, list) else [listed])
    venue = hit.get("venue")
    sort = _SORTS.get(text(hit.get("type")), "")
    return _made(
        _Described(
            key=text(hit.get("key"), 200),
            sort=sort,
            title=text(hit.get("title")),
            people=[text(person.get("text"), names.MAX_NAME) for person in persons],
            year=text(hit.get("year"), 40),
            venue=text(venue[0] if isinstance(venue, list) and venue else venue),
            volume=text(hit.get("volume"), 60),
            number=text(hit.get("number"), 60),
            pages=text(hit.get("pages"), 60),
            publisher=text(hit.get("publisher"), 200),
            links=[text(hit.get("doi")), text(hit.get("ee"))],
            withdrawn=sort == "withdrawn",
        )
    )


def is_volume(info: object) -> bool:
    """Return whether a search hit is a volume of proceedings."""
    return _SORTS.get(text(table(info).get("type"))) == VOLUMES


def from_rows(bindings: Iterable[object]) -> list[Record]:
    """Return the records of the rows of a SPARQL answer: several rows, one for each author, are one."""
    found: dict[str, dict[str, dict[str, None]]] = {}
    order: dict[str, dict[str, int]] = {}
    for row in map(table, bindings):
        cells = {name: text(table(cell).get("value")) for name, cell in row.items()}
        key = cells.get("pub", "").removeprefix(RECORD)
        for name, value in cells.items():
            found.setdefault(key, {}).setdefault(name, {})[value] = None
        if cells.get("name"):
            place = cells.get("ord", "")
            order.setdefault(key, {})[cells["name"]] = int(place[:6]) if place[:6].isdecimal() else 9**9
    made = (_made(_folded(key, cells, order.get(key, {}))) for key, cells in found.items())
    return [one for one in made if one is not None]


def _folded(key: str, cells: dict[str, dict[str, None]], order: dict[str, int]) -> _Described:
    def first(name: str) -> str:
        return next(iter(cells.get(name, ())), "")

    classes = [_SORTS.get(value.rpartition("#")[2], "") for value in cells.get("class", ())]
    theses = [value for value in cells.get("type", ()) if value.lower().endswith("thesis")]
    sort = next((one for one in classes if one and one != "withdrawn"), "")
    return _Described(
        key=key,
        sort=theses[0].rpartition("#")[2].lower() if theses else sort,
        title=first("title"),
        people=sorted(order, key=lambda name: order[name]),
        year=first("year"),
        venue=first("venue"),
        volume=first("volume"),
        number=first("number"),
        pages=first("pages"),
        links=[*cells.get("doi", ()), *cells.get("page", ())],
        withdrawn="withdrawn" in classes,
    )


def from_element(element: etree._Element) -> Record | None:
    """Return the record of an element of DBLP's XML; None if it names no publication."""
    said: dict[str, list[str]] = {}
    for child in element:
        whole = "".join(child.itertext()) if len(child) else child.text
        if whole:
            said.setdefault(child.tag, []).append(whole)
    given = said.get
    marks = (element.get("publtype") or "").split()
    sort = element.tag
    if "informal" in marks:
        sort = "informal"
    elif "software" in marks:
        sort = "software"
    nothing = [""]
    return _made(
        _Described(
            key=element.get("key") or "",
            sort=sort,
            title=given("title", nothing)[0],
            people=given("author", ()) or (given("editor", ()) if sort in ("book", VOLUMES) else ()),
            year=given("year", nothing)[0],
            venue=(given("journal") or given("booktitle") or given("school") or nothing)[0],
            volume=given("volume", nothing)[0],
            number=given("number", nothing)[0],
            pages=given("pages", nothing)[0],
            publisher=given("publisher", nothing)[0],
            links=given("ee", ()),
            isbns=given("isbn", ()),
            withdrawn="withdrawn" in marks,
        )
    )


def _made(said: _Described) -> Record | None:
    found, marks = unmarked(titles(said.title))
    key = said.key
    if not found or not _KEY.fullmatch(key):
        return None
    venue = text(said.venue) or None
    kind = _kind(said, key, venue)
    appeared = Version(
        year=dates.year(said.year),
        venue=venue,
        kind=Kind.PREPRINT if kind is Kind.PREPRINT else Kind.UNKNOWN,
        volume=None if venue == _CORR else text(said.volume, 60) or None,
        issue=text(said.number, 60) or None,
        pages=pages.normal(said.pages[:60]),
    )
    if said.withdrawn:
        marks = ("withdrawn",)
    return Record(
        source="dblp",
        id=f"dblp:{key}",
        titles=found,
        authors=people(said.people[:3000]),
        versions=(appeared,),
        kind=kind,
        publisher=text(said.publisher, 200) or None,
        ids=Ids(_ids(said, key, venue)),
        marks=marks,
    )


def _kind(said: _Described, key: str, venue: str | None) -> Kind:
    if (
        venue is not None
        and (said.sort == "informal" or venue == _CORR)
        and venue_name.normal(venue).preprint
    ):
        return Kind.PREPRINT
    if key.startswith("phd/"):
        return Kind.THESIS
    return _KINDS.get(said.sort, Kind.UNKNOWN)


def _ids(said: _Described, key: str, venue: str | None) -> tuple[tuple[str, str], ...]:
    found = dict.fromkeys(pairs("dblp", (key,)))
    for link in said.links[:20]:
        is_doi = link.startswith(("10.", "https://doi.org/"))
        known: Any = pairs("doi", (link,)) if is_doi else ids.of_url(link[:2000])
        found.update(dict.fromkeys(pair for pair in known if pair[0] in _KEPT))
    if venue == _CORR:
        found.update(dict.fromkeys(pairs("arxiv", (said.volume,))))
    found.update(dict.fromkeys(pairs("isbn", said.isbns[:20])))
    return tuple(found)

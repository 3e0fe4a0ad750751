"""A publication as DBLP describes it: a hit of its search, rows of its SPARQL service, an element of its XML.

The three name the same fields differently; each becomes a `_DblpPublication`, and that a `Record`.
Proceedings volumes are read as well, as books of their editors: searches and indexes leave them out,
because their titles match the venue part of any citation of a paper in them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from lxml import etree

from citeproof.evidence.upstream_records.json_fields import (
    list_titles,
    make_id_pairs,
    parse_people,
    read_rows,
    read_table,
    read_text,
    split_retraction_mark,
)
from citeproof.text import dates, ids, names, pages, venue_name
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_kinds
from citeproof.vocabulary import Ids, Kind, Record, Version
from citeproof.vocabulary.quick_dataclass import dataclass

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
_KEPT = frozenset(("doi", "arxiv", "acl", "openreview", "pmid", "pmcid"))
_CORR = "CoRR"
_KEY = re.compile(r"[a-z]{2,20}(?:/[\w+.:-]{1,80}){2,4}", re.ASCII)


@dataclass(frozen=True, slots=True)
class _DblpPublication:
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


def make_record(info: object) -> Record | None:
    """Return the record of the `info` of a search hit; None if it names no publication."""
    hit = read_table(info)
    listed = read_table(hit.get("authors")).get("author")
    persons = read_rows(listed if isinstance(listed, list) else [listed])
    venue = hit.get("venue")
    sort = _SORTS.get(read_text(hit.get("type")), "")
    return _build_record(
        _DblpPublication(
            key=read_text(hit.get("key"), 200),
            sort=sort,
            title=read_text(hit.get("title")),
            people=[read_text(person.get("text"), names.MAX_NAME) for person in persons],
            year=read_text(hit.get("year"), 40),
            venue=read_text(venue[0] if isinstance(venue, list) and venue else venue),
            volume=read_text(hit.get("volume"), 60),
            number=read_text(hit.get("number"), 60),
            pages=read_text(hit.get("pages"), 60),
            publisher=read_text(hit.get("publisher"), 200),
            links=[read_text(hit.get("doi")), read_text(hit.get("ee"))],
            withdrawn=sort == "withdrawn",
        )
    )


def is_volume(info: object) -> bool:
    """Return whether a search hit is a volume of proceedings."""
    return _SORTS.get(read_text(read_table(info).get("type"))) == VOLUMES


def make_row_records(bindings: Iterable[object]) -> list[Record]:
    """Return the records of the rows of a SPARQL answer: several rows, one for each author, are one."""
    fields: dict[str, dict[str, dict[str, None]]] = {}
    order: dict[str, dict[str, int]] = {}
    for row in map(read_table, bindings):
        cells = {name: read_text(read_table(cell).get("value")) for name, cell in row.items()}
        key = cells.get("pub", "").removeprefix(RECORD)
        for name, value in cells.items():
            fields.setdefault(key, {}).setdefault(name, {})[value] = None
        if cells.get("name"):
            place = cells.get("ord", "")
            order.setdefault(key, {})[cells["name"]] = int(place[:6]) if place[:6].isdecimal() else 9**9
    made = (_build_record(_fold_rows(key, cells, order.get(key, {}))) for key, cells in fields.items())
    return [record for record in made if record is not None]


def _fold_rows(key: str, cells: dict[str, dict[str, None]], order: dict[str, int]) -> _DblpPublication:
    def first(name: str) -> str:
        return next(iter(cells.get(name, ())), "")

    classes = [_SORTS.get(value.rpartition("#")[2], "") for value in cells.get("class", ())]
    theses = [value for value in cells.get("type", ()) if value.lower().endswith("thesis")]
    sort = next((sort_name for sort_name in classes if sort_name and sort_name != "withdrawn"), "")
    return _DblpPublication(
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


def make_element_record(element: etree._Element) -> Record | None:
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
    return _build_record(
        _DblpPublication(
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


def _build_record(said: _DblpPublication) -> Record | None:
    titles, marks = split_retraction_mark(list_titles(said.title))
    key = said.key
    if not titles or not _KEY.fullmatch(key):
        return None
    venue = read_text(said.venue) or None
    kind = _find_kind(said, key, venue)
    appeared = Version(
        year=dates.find_year(said.year),
        venue=venue,
        kind=Kind.PREPRINT if kind is Kind.PREPRINT else Kind.UNKNOWN,
        volume=None if venue == _CORR else read_text(said.volume, 60) or None,
        issue=read_text(said.number, 60) or None,
        pages=pages.normalise(said.pages[:60]),
    )
    if said.withdrawn:
        marks = ("withdrawn",)
    return Record(
        source="dblp",
        id=f"dblp:{key}",
        titles=titles,
        authors=parse_people(said.people[:3000]),
        versions=(appeared,),
        kind=kind,
        publisher=read_text(said.publisher, 200) or None,
        ids=Ids(_read_ids(said, key, venue)),
        marks=marks,
    )


def _find_kind(said: _DblpPublication, key: str, venue: str | None) -> Kind:
    informal = said.sort == "informal" or venue == _CORR
    if venue is not None and informal and venue_name.parse_venue(venue).preprint:
        return Kind.PREPRINT
    if key.startswith("phd/"):
        return Kind.THESIS
    return load_kinds("dblp").get(said.sort, Kind.UNKNOWN)


def _read_ids(said: _DblpPublication, key: str, venue: str | None) -> tuple[tuple[str, str], ...]:
    pairs = dict.fromkeys(make_id_pairs("dblp", (key,)))
    for link in said.links[:20]:
        is_doi = link.startswith(("10.", "https://doi.org/"))
        known: Any = make_id_pairs("doi", (link,)) if is_doi else ids.identify_url(link[:2000])
        pairs.update(dict.fromkeys(pair for pair in known if pair[0] in _KEPT))
    if venue == _CORR:
        pairs.update(dict.fromkeys(make_id_pairs("arxiv", (said.volume,))))
    pairs.update(dict.fromkeys(make_id_pairs("isbn", said.isbns[:20])))
    return tuple(pairs)

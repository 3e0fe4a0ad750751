"""One document of the NASA ADS search to a record. Its id is the bibcode.

Names are "Family, Given", titles and pages are lists, the identifiers of all versions are in one list.
"""

from __future__ import annotations

from citeproof.evidence.upstream_records import json_fields
from citeproof.text import dates, pages
from citeproof.text.package_tables import load_kinds
from citeproof.vocabulary import Ids, Kind, Record, Version

FIELDS = (
    "bibcode,title,author,author_count,year,pubdate,pub,volume,issue,page,page_range,doi,identifier,isbn,"
    "doctype,publisher"
)


def make_record(item: dict[str, object]) -> Record | None:
    """Return the record of one document; None without a bibcode and a title."""
    own = json_fields.make_id_pairs("ads", [item.get("bibcode")])
    listed = json_fields.read_texts(item.get("title"))
    titles, marks = json_fields.split_retraction_mark(
        json_fields.list_titles(listed[0] if listed else "", "", *listed[1:])
    )
    if not own or not titles:
        return None
    people = item.get("author")
    listed_people = people[: json_fields.MAX_ROWS] if isinstance(people, list) else []
    found = [name for name in listed_people if isinstance(name, str)]
    counted = item.get("author_count")
    kind = load_kinds("ads").get(json_fields.read_text(item.get("doctype")), Kind.UNKNOWN)
    return Record(
        source="",
        id=own[0][1],
        titles=titles,
        authors=json_fields.parse_people(found),
        authors_complete=not (isinstance(counted, int) and counted > len(found))
        and not any(map(_is_cut, found)),
        versions=_read_versions(item, kind),
        kind=kind,
        publisher=json_fields.read_text(item.get("publisher")) or None,
        ids=Ids(_read_ids(item)),
        marks=marks,
    )


def _is_cut(name: str) -> bool:
    """Return whether what is in a name's place says that the list continues: ", . . ."."""
    return not any(map(str.isalnum, name)) and "." in name


def _read_versions(item: dict[str, object], kind: Kind) -> tuple[Version, ...]:
    """Return the appearance that the document describes, and its preprint where an identifier names one."""
    year = dates.find_year(json_fields.read_text(item.get("year")))
    span = json_fields.read_text(item.get("page_range")) or next(
        iter(json_fields.read_texts(item.get("page"))), ""
    )
    first = Version(
        year,
        json_fields.read_text(item.get("pub")) or None,
        kind,
        json_fields.read_text(item.get("volume")) or None,
        json_fields.read_text(item.get("issue")) or None,
        pages.normalise(span),
    )
    codes = [
        code
        for _, code in json_fields.make_id_pairs("ads", json_fields.read_texts(item.get("identifier")))
        if code[4:9] == "arXiv"
    ]
    preprints = [Version(int(code[:4]), "arXiv", Kind.PREPRINT) for code in codes[:1]]
    return (first, *(version for version in preprints if kind is not Kind.PREPRINT))


def _read_ids(item: dict[str, object]) -> tuple[tuple[str, str], ...]:
    """Return the bibcode, then whatever else the document is known as."""
    known = json_fields.read_texts(item.get("identifier"))[:100]
    return json_fields.collect_ids(
        ("ads", [item.get("bibcode")]),
        (
            "doi",
            [
                *json_fields.read_texts(item.get("doi")),
                *(value for value in known if value.startswith("10.")),
            ],
        ),
        ("arxiv", [value for value in known if value.startswith("arXiv:")]),
        ("ads", known),
        ("isbn", json_fields.read_texts(item.get("isbn"))),
    )

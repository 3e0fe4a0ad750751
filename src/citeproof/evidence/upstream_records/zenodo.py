"""A Zenodo record (the JSON of its REST API) to a `Record`."""

from __future__ import annotations

import re

from citeproof.evidence.upstream_records import json_fields
from citeproof.text import dates, pages
from citeproof.text.package_tables import load_kinds
from citeproof.vocabulary import Ids, Kind, Record, Version

_RELEASE = re.compile(r"[\w.-]{1,100}/([\w.-]{1,100})(: .{1,2000})?")
_SAME = frozenset(("isidenticalto", "isversionof", "hasversion"))


def make_record(item: dict[str, object]) -> Record | None:
    """Return the deposit that `item` describes; None if it has no usable title."""
    metadata = json_fields.read_table(item.get("metadata"))
    main = metadata.get("title") or item.get("title")
    match = _RELEASE.fullmatch(json_fields.read_text(metadata.get("title")))
    known = json_fields.list_titles(main, "", *([f"{match[1]}{match[2] or ''}", match[1]] if match else []))
    titles, marks = json_fields.split_retraction_mark(known)
    if not titles:
        return None
    given = json_fields.read_table(metadata.get("resource_type"))
    said = (json_fields.read_text(given.get(key)).lower() for key in ("subtype", "type"))
    kind = next(filter(None, map(load_kinds("zenodo").get, said)), Kind.UNKNOWN)
    creators = json_fields.read_rows(metadata.get("creators"))
    return Record(
        source="",
        id=str(item.get("id") or item.get("recid") or "")[:40],
        titles=titles,
        authors=json_fields.parse_people(json_fields.read_text(row.get("name"), 200) for row in creators),
        versions=_read_versions(metadata, kind),
        kind=kind,
        publisher=json_fields.read_text(json_fields.read_path(metadata, "imprint", "publisher")) or "Zenodo",
        ids=Ids(_read_ids(item, metadata)),
        marks=marks,
    )


def _read_versions(metadata: dict[str, object], kind: Kind) -> tuple[Version, ...]:
    """Return the deposit, and the journal it was published in where that is given."""
    year = dates.find_year(json_fields.read_text(metadata.get("publication_date")))
    deposit = Version(year, "Zenodo", kind)
    journal = json_fields.read_table(metadata.get("journal"))
    venue = json_fields.read_text(journal.get("title"))
    if not venue:
        return (deposit,)
    printed = Version(
        dates.find_year(json_fields.read_text(journal.get("year"))) or year,
        venue,
        kind,
        json_fields.read_text(journal.get("volume")) or None,
        json_fields.read_text(journal.get("issue")) or None,
        pages.normalise(json_fields.read_text(journal.get("pages"))),
    )
    return (printed, deposit)


def _read_ids(item: dict[str, object], metadata: dict[str, object]) -> tuple[tuple[str, str], ...]:
    """Return the DOI of this version, that of all versions, then what is said to be the same work."""
    own = [item.get("doi"), metadata.get("doi"), item.get("conceptdoi"), metadata.get("conceptdoi")]
    related = json_fields.read_rows(metadata.get("related_identifiers"))[:50]
    same = [row for row in related if json_fields.read_text(row.get("relation")).lower() in _SAME]
    number = json_fields.read_text(str(item.get("id") or ""), 20)
    link = [f"https://zenodo.org/records/{number}"] if number.isdigit() else []
    isbn = json_fields.read_path(metadata, "imprint", "isbn")
    same_dois = [row.get("identifier") for row in same if row.get("scheme") == "doi"]
    return json_fields.collect_ids(("doi", [*own, *same_dois]), ("isbn", [isbn]), ("url", link))

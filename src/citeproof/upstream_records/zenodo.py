"""A Zenodo record (the JSON of its REST API) to a `Record`."""

from __future__ import annotations

import re

from citeproof.text import dates, pages
from citeproof.upstream_records import json_fields
from citeproof.vocabulary import Ids, Kind, Name, Record, Version

_TYPES = {
    "software": Kind.SOFTWARE,
    "dataset": Kind.DATASET,
    "publication": Kind.ARTICLE,
    "article": Kind.ARTICLE,
    "conferencepaper": Kind.ARTICLE,
    "preprint": Kind.PREPRINT,
    "book": Kind.BOOK,
    "section": Kind.CHAPTER,
    "thesis": Kind.THESIS,
    "report": Kind.REPORT,
    "technicalnote": Kind.REPORT,
    "workingpaper": Kind.REPORT,
    "deliverable": Kind.REPORT,
}
_RELEASE = re.compile(r"[\w.-]{1,100}/([\w.-]{1,100})(: .{1,2000})?")
_SAME = frozenset(("isidenticalto", "isversionof", "hasversion"))


def make_record(item: dict[str, object]) -> Record | None:
    """Return the deposit that `item` describes; None if it has no usable title."""
    metadata = json_fields.read_table(item.get("metadata"))
    titles, marks = json_fields.split_retraction_mark(
        json_fields.list_titles(
            metadata.get("title") or item.get("title"), "", *_split_release_title(metadata)
        )
    )
    if not titles:
        return None
    kind = _find_kind(metadata)
    creators = json_fields.read_rows(metadata.get("creators"))
    return Record(
        source="",
        id=str(item.get("id") or item.get("recid") or "")[:40],
        titles=titles,
        authors=tuple(name for row in creators if (name := _read_creator(row))),
        versions=_read_versions(metadata, kind),
        kind=kind,
        publisher=json_fields.read_text(json_fields.read_table(metadata.get("imprint")).get("publisher"))
        or "Zenodo",
        ids=Ids(_read_ids(item, metadata)),
        marks=marks,
    )


def _split_release_title(metadata: dict[str, object]) -> list[str]:
    """Return a title of the GitHub link ("owner/repo: v1.2") without the owner, and the name alone."""
    match = _RELEASE.fullmatch(json_fields.read_text(metadata.get("title")))
    return [f"{match[1]}{match[2] or ''}", match[1]] if match else []


def _read_creator(row: dict[str, object]) -> Name | None:
    return next(iter(json_fields.parse_people([json_fields.read_text(row.get("name"), 200)])), None)


def _find_kind(metadata: dict[str, object]) -> Kind:
    given = json_fields.read_table(metadata.get("resource_type"))
    said = (json_fields.read_text(given.get(key)).lower() for key in ("subtype", "type"))
    return next((_TYPES[word] for word in said if word in _TYPES), Kind.UNKNOWN)


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
    isbn = json_fields.read_table(metadata.get("imprint")).get("isbn")
    return tuple(
        dict.fromkeys(
            (
                *json_fields.make_id_pairs("doi", own),
                *json_fields.make_id_pairs(
                    "doi", [row.get("identifier") for row in same if row.get("scheme") == "doi"]
                ),
                *json_fields.make_id_pairs("isbn", [isbn]),
                *json_fields.make_id_pairs("url", link),
            )
        )
    )

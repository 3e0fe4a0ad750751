"""A Zenodo record (the JSON of its REST API) to a `Record`."""

from __future__ import annotations

import re

from citeproof.shapes import fields
from citeproof.text import dates, pages
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


def record(item: dict[str, object]) -> Record | None:
    """Return the deposit that `item` describes; None if it has no usable title."""
    metadata = fields.table(item.get("metadata"))
    titles, marks = fields.unmarked(
        fields.titles(metadata.get("title") or item.get("title"), "", *_named(metadata))
    )
    if not titles:
        return None
    kind = _kind(metadata)
    creators = fields.rows(metadata.get("creators"))
    return Record(
        source="",
        id=str(item.get("id") or item.get("recid") or "")[:40],
        titles=titles,
        authors=tuple(name for row in creators if (name := _creator(row))),
        versions=_versions(metadata, kind),
        kind=kind,
        publisher=fields.text(fields.table(metadata.get("imprint")).get("publisher")) or "Zenodo",
        ids=Ids(_ids(item, metadata)),
        marks=marks,
    )


def _named(metadata: dict[str, object]) -> list[str]:
    """Return a title of the GitHub link ("owner/repo: v1.2") without the owner, and the name alone."""
    match = _RELEASE.fullmatch(fields.text(metadata.get("title")))
    return [f"{match[1]}{match[2] or ''}", match[1]] if match else []


def _creator(row: dict[str, object]) -> Name | None:
    return next(iter(fields.people([fields.text(row.get("name"), 200)])), None)


def _kind(metadata: dict[str, object]) -> Kind:
    given = fields.table(metadata.get("resource_type"))
    said = (fields.text(given.get(key)).lower() for key in ("subtype", "type"))
    return next((_TYPES[word] for word in said if word in _TYPES), Kind.UNKNOWN)


def _versions(metadata: dict[str, object], kind: Kind) -> tuple[Version, ...]:
    """Return the deposit, and the journal it was published in where that is given."""
    year = dates.year(fields.text(metadata.get("publication_date")))
    deposit = Version(year, "Zenodo", kind)
    journal = fields.table(metadata.get("journal"))
    venue = fields.text(journal.get("title"))
    if not venue:
        return (deposit,)
    printed = Version(
        dates.year(fields.text(journal.get("year"))) or year,
        venue,
        kind,
        fields.text(journal.get("volume")) or None,
        fields.text(journal.get("issue")) or None,
        pages.normal(fields.text(journal.get("pages"))),
    )
    return (printed, deposit)


def _ids(item: dict[str, object], metadata: dict[str, object]) -> tuple[tuple[str, str], ...]:
    """Return the DOI of this version, that of all versions, then what is said to be the same work."""
    own = [item.get("doi"), metadata.get("doi"), item.get("conceptdoi"), metadata.get("conceptdoi")]
    related = fields.rows(metadata.get("related_identifiers"))[:50]
    same = [row for row in related if fields.text(row.get("relation")).lower() in _SAME]
    number = fields.text(str(item.get("id") or ""), 20)
    link = [f"https://zenodo.org/records/{number}"] if number.isdigit() else []
    isbn = fields.table(metadata.get("imprint")).get("isbn")
    return tuple(
        dict.fromkeys(
            (
                *fields.pairs("doi", own),
                *fields.pairs("doi", [row.get("identifier") for row in same if row.get("scheme") == "doi"]),
                *fields.pairs("isbn", [isbn]),
                *fields.pairs("url", link),
            )
        )
    )

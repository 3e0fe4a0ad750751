"""What sources know, as JSON: records and lookups."""

from __future__ import annotations

from typing import assert_never

from citeproof.serial.cited import first_ids, name_json, other_ids
from citeproof.serial.plain import Json
from citeproof.vocabulary import Absent, Found, Lookup, Record, Unchecked, Version


def record_json(record: Record) -> Json:
    """Return one record. Year, venue and locators on the top level are those of its first version."""
    first = record.versions[0] if record.versions else Version()
    return {
        "source": record.source,
        "id": record.id,
        "type": record.kind.value,
        "title": record.title,
        "authors": [name_json(name) for name in record.authors],
        "year": first.year,
        "venue": first.venue,
        "volume": first.volume,
        "issue": first.issue,
        "pages": first.pages,
        "publisher": record.publisher,
        "ids": first_ids(record.ids),
        "other_ids": other_ids(record.ids),
        "other_titles": list(record.titles[1:]),
        "authors_complete": record.authors_complete,
        "versions": [_version_json(v) for v in record.versions],
        "marks": list(record.marks),
        "work": record.work,
        "read_at": record.read_at,
        "content_hash": record.content_hash,
    }


def _version_json(version: Version) -> Json:
    return {
        "type": version.kind.value,
        "year": version.year,
        "venue": version.venue,
        "volume": version.volume,
        "issue": version.issue,
        "pages": version.pages,
    }


def lookup_json(lookup: Lookup) -> Json:
    """Return what one source said to one question."""
    said: Json = {
        "registry": lookup.source,
        "by": lookup.by,
        "ok": True,
        "count": 0,
        "reach": None,
        "reason": None,
    }
    match lookup:
        case Found():
            return said | {"count": len(lookup.records), "reach": lookup.reach.value}
        case Absent():
            return said | {"reach": lookup.reach.value}
        case Unchecked():
            return said | {"ok": False, "reason": lookup.cause.value}
    assert_never(lookup)

"""What sources know, as JSON: records and lookups."""

from __future__ import annotations

from typing import assert_never

from citeproof.answers.serializers.references import (
    build_name_json,
    pick_fields,
    pick_first_ids,
    pick_other_ids,
)
from citeproof.plumbing.json_bytes import Json
from citeproof.vocabulary import MEMORY, Absent, Found, Lookup, Record, Unchecked, Version


def build_record_json(record: Record) -> Json:
    """Return one record. Year, venue and locators on the top level are those of its first version."""
    first = record.versions[0] if record.versions else Version()
    return {
        "source": record.source,
        "id": record.id,
        "type": record.kind.value,
        "title": record.title,
        "authors": [build_name_json(name) for name in record.authors],
        **pick_fields(first, "year", "venue", "volume", "issue", "pages"),
        "publisher": record.publisher,
        "ids": pick_first_ids(record.ids),
        "other_ids": pick_other_ids(record.ids),
        "other_titles": list(record.titles[1:]),
        "authors_complete": record.authors_complete,
        "versions": [_build_version_json(v) for v in record.versions],
        "marks": list(record.marks),
        **pick_fields(record, "work", "read_at", "content_hash"),
    }


def _build_version_json(version: Version) -> Json:
    return {
        "type": version.kind.value,
        **pick_fields(version, "year", "venue", "volume", "issue", "pages"),
    }


def build_lookup_json(lookup: Lookup) -> Json:
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
            recorded = {"recorded": lookup.heard[0].at} if lookup.source == MEMORY and lookup.heard else {}
            return said | {"count": len(lookup.records), "reach": lookup.reach.value} | recorded
        case Absent():
            return said | {"reach": lookup.reach.value}
        case Unchecked():
            return said | {"ok": False, "reason": lookup.cause.value}
    assert_never(lookup)

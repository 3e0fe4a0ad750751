"""What a document says and what sources know, as JSON: references, places, problems; records, lookups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from citeproof.plumbing.json_bytes import Json, round_figure
from citeproof.vocabulary import (
    MEMORY,
    Absent,
    Claimed,
    FieldOrigin,
    Found,
    Ids,
    Lookup,
    Name,
    Place,
    Problem,
    Record,
    Reference,
    Unchecked,
    Version,
)


def pick_fields(source: object, *names: str) -> Json:
    """Return some attributes under their own names."""
    return {name: getattr(source, name) for name in names}


def build_reference_json(reference: Reference) -> Json:
    """Return the part of a report that the document itself says: key, raw, type, location, claimed."""
    return {
        "key": reference.key,
        "raw": reference.raw,
        "type": reference.kind.value,
        "location": build_place_json(reference.place),
        "claimed": build_claimed_json(reference.claimed),
    }


def build_place_json(place: Place) -> Json:
    """Return where something is; unknown parts are null."""
    return {
        **pick_fields(place, "file", "line", "column", "end_line", "page", "start", "end"),
        "box": [round(edge, 1) for edge in place.box] if place.box else None,
    }


def build_claimed_json(claimed: Claimed) -> Json:
    """Return the claimed fields. `ids` has the first identifier of a scheme, `pick_other_ids` the rest."""
    return {
        "title": claimed.title,
        "authors": [build_name_json(name) for name in claimed.authors],
        **pick_fields(claimed, "year", "venue", "volume", "issue", "pages", "publisher"),
        "ids": pick_first_ids(claimed.ids),
        "other_ids": pick_other_ids(claimed.ids),
        "et_al": claimed.et_al,
        "editors": [build_name_json(name) for name in claimed.editors],
        "series": claimed.series,
        "edition": claimed.edition,
    }


def build_name_json(name: Name) -> Json:
    """Return one author: family and given, or `literal` for a name that has no such parts."""
    if name.collective:
        return {"family": name.family, "given": "", "literal": name.family}
    parts = {"family": name.family, "given": name.given}
    return {**parts, "suffix": name.suffix} if name.suffix else parts


def build_origins_json(origins: Sequence[FieldOrigin]) -> Json:
    """Return how each field was read and how sure that reading is."""
    return {o.field: _build_origin_json(o) for o in origins}


def _build_origin_json(origin: FieldOrigin) -> Json:
    described = {"origin": origin.origin.value, "confidence": round_figure(origin.confidence)}
    return {**described, "raw": origin.raw} if origin.raw else described


def build_problem_json(problem: Problem) -> Json:
    """Return a located problem of a document."""
    return {
        "location": build_place_json(problem.place),
        "message": problem.message,
        "mend": problem.hint,
        "text": problem.text,
        "note": problem.note,
    }


def pick_first_ids(ids: Ids) -> dict[str, str]:
    """Return the first identifier of each scheme."""
    return {name: ids.all(name)[0] for name, _ in ids.pairs}


def pick_other_ids(ids: Ids) -> dict[str, list[str]]:
    """Return the further identifiers of the schemes that occur more than once."""
    return {name: list(rest) for name, _ in ids.pairs if (rest := ids.all(name)[1:])}


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
        "versions": [
            {"type": version.kind.value, **pick_fields(version, "year", "venue", "volume", "issue", "pages")}
            for version in record.versions
        ],
        "marks": list(record.marks),
        **pick_fields(record, "work", "read_at", "content_hash"),
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

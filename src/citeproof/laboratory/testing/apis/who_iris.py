"""WHO IRIS' DSpace 7 REST API: `/pid/find`, `/core/items/<uuid>`, `/discover/search/objects`.

It holds works with a WHO IRIS handle. Quirks: a handle is answered by a redirect to the item, an
unknown one by 404; every field is a list of values; the answers are `application/hal+json`.
"""

from __future__ import annotations

import re
from uuid import UUID

from citeproof.laboratory.testing.base import Call, Holdings, Reply, make_json_reply, read_count
from citeproof.text import ids
from citeproof.vocabulary import Record

_MEDIA = "application/hal+json"


def answer(call: Call, holdings: Holdings) -> Reply:
    match call.parts:
        case (*_, "pid", "find"):
            return _answer_find(call, holdings)
        case (*_, "core", "items", uuid):
            known = _find_item(
                holdings,
                str(int(uuid.replace("-", ""), 16)) if re.fullmatch(r"[0-9a-f-]{32,36}", uuid) else "",
            )
            return (
                make_json_reply(_build_item(known, call), media=_MEDIA)
                if known
                else _make_error_reply(404, "Not Found", call)
            )
        case (*_, "discover", "search", "objects"):
            return _answer_search(call, holdings)
    return _make_error_reply(404, "Not Found", call)


def _answer_find(call: Call, holdings: Holdings) -> Reply:
    asked = call.query.get("id", "")
    if not asked:
        return _make_error_reply(400, "Bad Request", call)
    match = re.fullmatch(r"(?:hdl:|https://iris\.who\.int/handle/)?10665/(\d{1,9})", asked)
    known = _find_item(holdings, match[1]) if match else None
    if not known:
        return _make_error_reply(404, "Not Found", call)
    return Reply(302, b"", _MEDIA, {"location": f"{call.base}/core/items/{_make_uuid(known)}"})


def _find_item(holdings: Holdings, number: str) -> Record | None:
    handle = ids.normalise_id("who_iris", f"https://iris.who.int/handle/10665/{number}")
    return next(iter(holdings.by_id("who_iris", handle)), None) if handle else None


def _answer_search(call: Call, holdings: Holdings) -> Reply:
    size = read_count(call, "size", 20)
    records = [r for r in holdings.search(call.query.get("query", ""), 100) if r.ids.first("who_iris")]
    objects = [
        {"hitHighlights": {}, "type": "discover", "_embedded": {"indexableObject": _build_item(record, call)}}
        for record in records[:size]
    ]
    page = {"number": 0, "size": size, "totalPages": 1, "totalElements": len(records)}
    result = {
        "_embedded": {"objects": objects},
        "page": page,
        "_links": {"self": {"href": call.base + call.path}},
    }
    head = {"query": call.query.get("query"), "scope": None, "appliedFilters": None, "type": "discover"}
    return make_json_reply({**head, "_embedded": {"searchResult": result, "facets": []}}, media=_MEDIA)


def _build_item(record: Record, call: Call) -> dict[str, object]:
    year = next((version.year for version in record.versions if version.year), None)
    handle = (record.ids.first("who_iris") or "").partition("/handle/")[2]
    fields = {
        "dc.title": [record.title],
        "dc.title.alternative": list(record.titles[1:]),
        "dc.contributor.author": [f"{n.family}, {n.given}" if n.given else n.family for n in record.authors],
        "dc.date.issued": [str(year)] if year else [],
        "dc.identifier.uri": [f"https://iris.who.int/handle/{handle}"],
        "dc.identifier.isbn": list(record.ids.all("isbn")),
        "dc.publisher": [record.publisher] if record.publisher else [],
    }
    uuid = _make_uuid(record)
    return {
        "id": uuid,
        "uuid": uuid,
        "name": record.title,
        "handle": handle,
        "metadata": {
            name: [
                {"value": v, "language": "en", "authority": None, "confidence": -1, "place": n}
                for n, v in enumerate(values)
            ]
            for name, values in fields.items()
            if values
        },
        "inArchive": True,
        "discoverable": True,
        "withdrawn": "withdrawn" in record.marks,
        "lastModified": "2026-01-01T00:00:00.000+00:00",
        "entityType": None,
        "type": "item",
        "_links": {"self": {"href": f"{call.base}/core/items/{uuid}"}},
    }


def _make_uuid(record: Record) -> str:
    """Return an item's UUID; it leads back to the handle."""
    return str(UUID(int=int((record.ids.first("who_iris") or "0").rpartition("/")[2])))


def _make_error_reply(status: int, problem: str, call: Call) -> Reply:
    body = {
        "timestamp": "2026-01-01T00:00:00.000+00:00",
        "status": status,
        "error": problem,
        "path": call.path,
    }
    return make_json_reply({**body, "message": "An exception has occurred"}, status)

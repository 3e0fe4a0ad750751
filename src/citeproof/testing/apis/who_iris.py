"""WHO IRIS' DSpace 7 REST API: `/pid/find`, `/core/items/<uuid>`, `/discover/search/objects`.

It holds works with a WHO IRIS handle. Quirks kept: a handle is answered by a redirect to the item, an
unknown one by 404; every field is a list of values; the answers are `application/hal+json`.
"""

from __future__ import annotations

import re
from uuid import UUID

from citeproof.testing.base import Call, Holdings, Reply, json_reply
from citeproof.text import ids
from citeproof.vocabulary import Record


def answer(call: Call, holdings: Holdings) -> Reply:
    """Return what iris.who.int/server/api would say."""
    match call.parts:
        case (*_, "pid", "find"):
            return _find(call, holdings)
        case (*_, "core", "items", uuid):
            known = _held(holdings, _number(uuid))
            return _hal(_item(known, call)) if known else _error(404, "Not Found", call)
        case (*_, "discover", "search", "objects"):
            return _search(call, holdings)
    return _error(404, "Not Found", call)


def _find(call: Call, holdings: Holdings) -> Reply:
    asked = call.query.get("id", "")
    if not asked:
        return _error(400, "Bad Request", call)
    match = re.fullmatch(r"(?:hdl:|https://iris\.who\.int/handle/)?10665/(\d{1,9})", asked)
    known = _held(holdings, match[1]) if match else None
    if not known:
        return _error(404, "Not Found", call)
    return Reply(302, b"", "application/hal+json", {"location": f"{call.base}/core/items/{_uuid(known)}"})


def _held(holdings: Holdings, number: str) -> Record | None:
    handle = ids.normal("who_iris", f"https://iris.who.int/handle/10665/{number}")
    return next(iter(holdings.by_id("who_iris", handle)), None) if handle else None


def _search(call: Call, holdings: Holdings) -> Reply:
    size = call.query.get("size", "20")
    found = [r for r in holdings.search(call.query.get("query", ""), 100) if r.ids.first("who_iris")]
    shown = found[: int(size) if size.isdigit() else 20]
    objects = [
        {"hitHighlights": {}, "type": "discover", "_embedded": {"indexableObject": _item(record, call)}}
        for record in shown
    ]
    page = {
        "number": 0,
        "size": int(size) if size.isdigit() else 20,
        "totalPages": 1,
        "totalElements": len(found),
    }
    result = {
        "_embedded": {"objects": objects},
        "page": page,
        "_links": {"self": {"href": call.base + call.path}},
    }
    head = {"query": call.query.get("query"), "scope": None, "appliedFilters": None, "type": "discover"}
    return _hal({**head, "_embedded": {"searchResult": result, "facets": []}})


def _item(record: Record, call: Call) -> dict[str, object]:
    year = next((version.year for version in record.versions if version.year), None)
    handle = (record.ids.first("who_iris") or "").partition("/handle/")[2]
    given = {
        "dc.title": [record.title],
        "dc.title.alternative": list(record.titles[1:]),
        "dc.contributor.author": [f"{n.family}, {n.given}" if n.given else n.family for n in record.authors],
        "dc.date.issued": [str(year)] if year else [],
        "dc.identifier.uri": [f"https://iris.who.int/handle/{handle}"],
        "dc.identifier.isbn": list(record.ids.all("isbn")),
        "dc.publisher": [record.publisher] if record.publisher else [],
    }
    uuid = _uuid(record)
    return {
        "id": uuid,
        "uuid": uuid,
        "name": record.title,
        "handle": handle,
        "metadata": {
            name: [_value(v, n) for n, v in enumerate(values)] for name, values in given.items() if values
        },
        "inArchive": True,
        "discoverable": True,
        "withdrawn": "withdrawn" in record.marks,
        "lastModified": "2026-01-01T00:00:00.000+00:00",
        "entityType": None,
        "type": "item",
        "_links": {"self": {"href": f"{call.base}/core/items/{uuid}"}},
    }


def _value(value: str, place: int) -> dict[str, object]:
    return {"value": value, "language": "en", "authority": None, "confidence": -1, "place": place}


def _uuid(record: Record) -> str:
    """Return an item's UUID; it leads back to the handle."""
    return str(UUID(int=int((record.ids.first("who_iris") or "0").rpartition("/")[2])))


def _number(uuid: str) -> str:
    return str(int(uuid.replace("-", ""), 16)) if re.fullmatch(r"[0-9a-f-]{32,36}", uuid) else ""


def _hal(value: object) -> Reply:
    return Reply(200, json_reply(value).body, "application/hal+json")


def _error(status: int, said: str, call: Call) -> Reply:
    body = {"timestamp": "2026-01-01T00:00:00.000+00:00", "status": status, "error": said, "path": call.path}
    return json_reply({**body, "message": "An exception has occurred"}, status)

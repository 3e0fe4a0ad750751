"""doi.org: the handle system's `/api/handles/{doi}` and the list of agencies `/ra/{doi}` (or `/doiRA/`).

Every work with a DOI is registered: with DataCite under the prefixes of arXiv, Zenodo and other
repositories, else with Crossref. Any other path is what doi.org is best known for: it resolves the DOI.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from citeproof.laboratory.testing.base import Call, Holdings, Reply, make_json_reply, make_text_reply
from citeproof.text import doi

_DATACITE = frozenset(("10.48550", "10.5281", "10.6084", "10.5061", "10.17605", "10.4230", "10.5441"))
_WHEN = "2020-01-01T00:00:00Z"
_MISSING = (
    "<!DOCTYPE html><html><head><title>Error: DOI Not Found</title></head>"
    "<body><h1>DOI Not Found</h1></body></html>"
)


def answer(call: Call, holdings: Holdings) -> Reply:
    # not from `parts`: an empty segment is part of a DOI
    for start, reply in (
        ("/api/handles/", _answer_handle),
        ("/ra/", _answer_agencies),
        ("/doiRA/", _answer_agencies),
    ):
        if call.path.startswith(start):
            return reply(call.path.removeprefix(start), call, holdings)
    records = holdings.by_id("doi", unquote(call.path[1:]).lower())
    if not records:
        return make_text_reply(_MISSING, 404, "text/html;charset=utf-8")
    return Reply(302, b"", "text/html;charset=utf-8", {"Location": _make_target_url(unquote(call.path[1:]))})


def _answer_handle(path: str, call: Call, holdings: Holdings) -> Reply:
    name = unquote(path)
    if not holdings.by_id("doi", name.lower()):
        return make_json_reply({"responseCode": 100, "handle": name}, 404)
    values = [
        value for value in _list_handle_values(name) if call.query.get("type", value["type"]) == value["type"]
    ]
    return make_json_reply({"responseCode": 1 if values else 200, "handle": name, "values": values})


def _list_handle_values(name: str) -> list[dict[str, Any]]:
    owner = {"handle": f"0.NA/{doi.get_prefix(name)}", "index": 200, "permissions": "111111110010"}
    rows = ((1, "URL", "string", _make_target_url(name)), (100, "HS_ADMIN", "admin", owner))
    return [
        {"index": at, "type": kind, "data": {"format": form, "value": data}, "ttl": 86400, "timestamp": _WHEN}
        for at, kind, form, data in rows
    ]


def _make_target_url(name: str) -> str:
    return f"https://example.org/{name}"


def _answer_agencies(path: str, call: Call, holdings: Holdings) -> Reply:  # noqa: ARG001 - all have one shape
    """Return one row for each name of a list; a comma inside a name comes encoded."""
    return make_json_reply([_find_agency(unquote(part), holdings) for part in path.split(",")])


def _find_agency(name: str, holdings: Holdings) -> dict[str, str]:
    if doi.normalise(name) is None:
        return {"DOI": name, "status": "Invalid DOI"}
    if not holdings.by_id("doi", name.lower()):
        return {"DOI": name, "status": "DOI does not exist"}
    return {"DOI": name, "RA": "DataCite" if doi.get_prefix(name) in _DATACITE else "Crossref"}

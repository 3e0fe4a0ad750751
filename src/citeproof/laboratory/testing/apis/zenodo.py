"""Zenodo's REST API: `/records/<id>` and `/records?q=`.

It holds works with a DOI `10.5281/zenodo.<n>`; with two such DOIs the greater number is the version and
the smaller represents all versions and redirects. The limits' state is in every answer's headers.
"""

from __future__ import annotations

import re

from citeproof.laboratory.testing.base import Call, Holdings, Reply, make_json_reply, read_count
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import Record

_PREFIX = "10.5281/zenodo."
_LIMITS = {"x-ratelimit-limit": "60", "x-ratelimit-remaining": "59", "x-ratelimit-reset": "1767225660"}
_TYPES: dict[str, list[str]] = load_package_table(__package__, "names.toml")["zenodo"]["types"]


def answer(call: Call, holdings: Holdings) -> Reply:
    match call.parts:
        case (*_, "records"):
            return _answer_search(call, holdings)
        case (*_, "records", number):
            return _answer_record(call, number, holdings)
    return _make_reply({"status": 404, "message": "The requested URL was not found on the server."}, 404)


def _answer_record(call: Call, number: str, holdings: Holdings) -> Reply:
    known = next(iter(holdings.by_id("doi", f"{_PREFIX}{number}")), None) if number.isdigit() else None
    if not known:
        return _make_reply({"status": 404, "message": "The persistent identifier does not exist."}, 404)
    version, _ = _find_version_numbers(known)
    if int(number) != version:
        return Reply(301, b"", "text/html", {"location": f"{call.base}/records/{version}"})
    return _make_reply(_build_item(known, call))


def _answer_search(call: Call, holdings: Holdings) -> Reply:
    words = re.sub(r'[A-Za-z_.]+:|[()"+]', " ", call.query.get("q", ""))
    records = [record for record in holdings.search(words, 100) if _find_version_numbers(record)[0]]
    hits = [_build_item(record, call) for record in records[: read_count(call, "size", 10)]]
    links = {"self": f"{call.base}/records"}
    return _make_reply({"hits": {"hits": hits, "total": len(records)}, "aggregations": {}, "links": links})


def _find_version_numbers(record: Record) -> tuple[int, int]:
    """Return the numbers of this version and of all versions; 0 if it is not Zenodo's."""
    endings = [doi.removeprefix(_PREFIX) for doi in record.ids.all("doi") if doi.startswith(_PREFIX)]
    numbers = sorted(int(number) for number in endings if number.isdigit())
    return (
        (numbers[-1], numbers[0]) if len(numbers) > 1 else (numbers[0], numbers[0] - 1) if numbers else (0, 0)
    )


def _build_item(record: Record, call: Call) -> dict[str, object]:
    version, concept = _find_version_numbers(record)
    year = next((v.year for v in record.versions if v.year), None)
    kind, subtype = _TYPES.get(record.kind, ("other", None))
    sort = {"title": kind.title(), "type": kind} | ({"subtype": subtype} if subtype else {})
    metadata: dict[str, object] = {
        "title": record.title,
        "doi": f"{_PREFIX}{version}",
        "access_right": "open",
        "creators": [
            {"name": f"{name.family}, {name.given}" if name.given else name.family, "affiliation": None}
            for name in record.authors
        ],
        "resource_type": sort,
        "relations": {"version": [{"index": 0, "is_last": True, "parent": {"pid_value": str(concept)}}]},
    }
    if year:
        metadata["publication_date"] = f"{year}-06-01"
    return {
        "created": f"{year or 2020}-06-01T00:00:00.000000+00:00",
        "modified": f"{year or 2020}-06-02T00:00:00.000000+00:00",
        "id": version,
        "conceptrecid": str(concept),
        "doi": f"{_PREFIX}{version}",
        "conceptdoi": f"{_PREFIX}{concept}",
        "doi_url": f"https://doi.org/{_PREFIX}{version}",
        "metadata": metadata,
        "title": record.title,
        "links": {"self": f"{call.base}/records/{version}"},
        "recid": str(version),
        "revision": 1,
        "files": [],
        "owners": [{"id": "1"}],
        "status": "published",
        "state": "done",
        "submitted": True,
    }


def _make_reply(value: object, status: int = 200) -> Reply:
    return make_json_reply(value, status, headers=_LIMITS)

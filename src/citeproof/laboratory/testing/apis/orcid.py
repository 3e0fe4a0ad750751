"""The ORCID public API: `/v3.0/<orcid>/works`.

A person is known when a work with that `orcid` is. Quirks: values are wrapped in `{"value": …}`, a
DOI is with its resolver, and the summaries carry no authors.
"""

from __future__ import annotations

from citeproof.laboratory.testing.base import Call, Holdings, Reply, make_json_reply, make_text_reply
from citeproof.text import ids
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import Record

_TYPES: dict[str, str] = load_package_table(__package__, "names.toml")["orcid"]["types"]


def answer(call: Call, holdings: Holdings) -> Reply:
    match call.parts:
        case (*_, number, "works"):
            orcid = ids.normalise_id("orcid", number)
            works = holdings.by_id("orcid", orcid) if orcid else ()
            if not orcid or not works:
                return _make_missing_reply()
            groups = [_build_work_group(record, n, orcid) for n, record in enumerate(works, 1)]
            return make_json_reply(
                {"last-modified-date": _build_timestamp(), "group": groups, "path": f"/{orcid}/works"}
            )
    return make_text_reply("<!doctype html><title>HTTP Status 404 - Not Found</title>", 404, "text/html")


def _build_timestamp() -> dict[str, int]:
    return {"value": 1767225600000}


def _build_work_group(record: Record, code: int, orcid: str) -> dict[str, object]:
    version = record.versions[0] if record.versions else None
    numbers = {"external-id": [_build_external_id(doi) for doi in record.ids.all("doi")]}
    main, _, sub = record.title.partition(": ")
    summary: dict[str, object] = {
        "put-code": code,
        "created-date": _build_timestamp(),
        "last-modified-date": _build_timestamp(),
        "source": {"source-name": {"value": "Crossref"}},
        "title": {
            "title": {"value": main},
            "subtitle": {"value": sub} if sub else None,
            "translated-title": None,
        },
        "external-ids": numbers,
        "url": None,
        "type": _TYPES.get(record.kind, "other"),
        "publication-date": {"year": {"value": str(version.year)}, "month": None, "day": None}
        if version and version.year
        else None,
        "journal-title": {"value": version.venue} if version and version.venue else None,
        "visibility": "public",
        "path": f"/{orcid}/work/{code}",
        "display-index": "1",
    }
    return {"last-modified-date": _build_timestamp(), "external-ids": numbers, "work-summary": [summary]}


def _build_external_id(doi: str) -> dict[str, object]:
    return {
        "external-id-type": "doi",
        "external-id-value": f"https://doi.org/{doi.upper()}",
        "external-id-normalized": {"value": doi, "transient": True},
        "external-id-normalized-error": None,
        "external-id-url": {"value": f"https://doi.org/{doi}"},
        "external-id-relationship": "self",
    }


def _make_missing_reply() -> Reply:
    body = {
        "response-code": 404,
        "developer-message": "404 Not Found: The resource was not found.",
        "user-message": "The resource was not found.",
        "error-code": 9016,
        "more-info": "https://members.orcid.org/api/resources/troubleshooting",
    }
    return make_json_reply(body, 404)

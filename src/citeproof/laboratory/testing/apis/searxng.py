"""A SearXNG instance that allows the format `json`; its results lead to the world's own pages.

Without `format=json` it answers with its web page; without a query with 400. A query that begins with
`silence ` finds nothing because no engine behind it answers, which looks much like finding nothing.
"""

from __future__ import annotations

from citeproof.laboratory.testing.apis import url as pages
from citeproof.laboratory.testing.base import Call, Holdings, Reply, make_json_reply, make_text_reply
from citeproof.vocabulary import Record

ROWS = 20


def answer(call: Call, holdings: Holdings) -> Reply:
    words = call.query.get("q", "").strip()
    if call.parts != ("search",):
        return make_text_reply("<html><head><title>404</title></head></html>", 404, pages.MEDIA)
    if call.query.get("format") != "json":
        return make_text_reply("<html><head><title>SearXNG</title></head></html>", 200, pages.MEDIA)
    if not words:
        return make_json_reply({"error": "No query"}, 400)
    silent = words.startswith("silence ")
    records = [] if silent else holdings.search(words, ROWS)
    return make_json_reply(
        {
            "query": words,
            "number_of_results": 0,  # what it really says: engines rarely tell
            "results": [_build_result(record, call.base, rank) for rank, record in enumerate(records, 1)],
            "answers": [],
            "corrections": [],
            "infoboxes": [],
            "suggestions": [],
            "unresponsive_engines": [["google", "Suspended: CAPTCHA"], ["brave", "timeout"]]
            if silent
            else [],
        }
    )


def _build_result(record: Record, base: str, rank: int) -> dict[str, object]:
    address = base.removesuffix("searxng") + "url" + pages.build_page_path(record)
    return {
        "url": address,
        "title": f"{record.title[:60]} … | {pages.SITE}",
        "content": f"A snippet about {record.title[:40]} …",
        "publishedDate": None,
        "thumbnail": "",
        "engine": "duckduckgo",
        "template": "default.html",
        "parsed_url": ["http", address.split("/")[2], "/" + address.split("/", 3)[3], "", "", ""],
        "engines": ["duckduckgo"],
        "positions": [rank],
        "score": 1.0 / rank,
        "category": "general",
    }

"""Brave Search: web results behind a key; they lead to the world's own pages.

Every token but an empty one is taken. Where nothing is found, `web` is left out, as Brave does.
"""

from __future__ import annotations

from citeproof.laboratory.testing.apis import url as pages
from citeproof.laboratory.testing.base import Call, Holdings, Reply, make_json_reply
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import Record

MAX_QUERY, MAX_WORDS, MAX_COUNT = 400, 50, 20
_HEADERS: dict[str, str] = load_package_table(__package__, "names.toml")["brave"]["headers"]


def answer(call: Call, holdings: Holdings) -> Reply:
    if call.parts != ("res", "v1", "web", "search"):
        return _make_error_reply(404, "NOT_FOUND", "Resource not found")
    if not call.headers.get("x-subscription-token"):
        return _make_error_reply(
            422, "SUBSCRIPTION_TOKEN_INVALID", "The provided subscription token is invalid."
        )
    words, count = call.query.get("q", ""), call.query.get("count", str(MAX_COUNT))
    bad = not words or len(words) > MAX_QUERY or len(words.split()) > MAX_WORDS
    if bad or not count.isdigit() or not 1 <= int(count) <= MAX_COUNT:
        return _make_error_reply(422, "VALIDATION", "Unable to validate request parameter(s)")
    records = holdings.search(words, int(count))
    body: dict[str, object] = {
        "type": "search",
        "query": {"original": words, "show_strict_warning": False, "more_results_available": False},
        "mixed": {"type": "mixed", "main": [], "top": [], "side": []},
    }
    if records:
        results = [_build_result(record, call.base) for record in records]
        body["web"] = {"type": "search", "results": results, "family_friendly": True}
    return make_json_reply(body, headers=_HEADERS)


def answer_limited(call: Call, holdings: Holdings) -> Reply:  # noqa: ARG001 - as `answer`
    """Return Brave's answer to a request beyond the plan's rate."""
    return _make_error_reply(429, "RATE_LIMITED", "Request rate limit exceeded for plan")


def _build_result(record: Record, base: str) -> dict[str, object]:
    address = base.removesuffix("brave") + "url" + pages.build_page_path(record)
    return {
        "title": f"{record.title[:60]} ... | {pages.SITE}",
        "url": address,
        "is_source_local": False,
        "is_source_both": False,
        "description": f"A snippet about <strong>{record.title[:40]}</strong> ...",
        "profile": {"name": pages.SITE, "url": address, "long_name": pages.SITE},
        "language": "en",
        "family_friendly": True,
        "type": "search_result",
        "subtype": "generic",
    }


def _make_error_reply(status: int, code: str, detail: str) -> Reply:
    error = {"id": "0", "status": status, "detail": detail, "meta": {"component": "world"}, "code": code}
    return make_json_reply({"type": "ErrorResponse", "error": error, "time": 1793000000}, status)

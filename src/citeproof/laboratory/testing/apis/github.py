"""GitHub's REST API: `/repos/<owner>/<repo>` and `/search/repositories`.

A repository is known when a work with its address (`https://github.com/owner/repo`) is. The limits' state
is in every answer's headers, as on the real server.
"""

from __future__ import annotations

from hashlib import sha256

from citeproof.laboratory.testing.base import Call, Holdings, Reply, make_json_reply, read_count
from citeproof.text import lazy_patterns as re
from citeproof.text import url
from citeproof.vocabulary import Record

_DOCS = "https://docs.github.com/rest"
_ADDRESS = re.compile(r"https?://(?:www\.)?github\.com/([\w.-]+)/([\w.-]+?)(?:\.git)?/?", re.IGNORECASE)


def answer(call: Call, holdings: Holdings) -> Reply:
    match call.parts:
        case ("repos", owner, name):
            known = _find_repository(holdings, owner, name)
            return _make_reply(
                call, _build_repository(known, owner, name) if known else _NOT_FOUND, 200 if known else 404
            )
        case ("search", "repositories"):
            return _answer_search(call, holdings)
    return _make_reply(call, _NOT_FOUND, 404)


_NOT_FOUND = {
    "message": "Not Found",
    "documentation_url": f"{_DOCS}/repos/repos#get-a-repository",
    "status": "404",
}


def _find_repository(holdings: Holdings, owner: str, name: str) -> Record | None:
    base = f"https://github.com/{owner}/{name}"
    for form in (base, f"{base}/", f"{base}.git"):
        if known := holdings.by_id("url", url.normalise(form) or ""):
            return known[0]
    return None


def _answer_search(call: Call, holdings: Holdings) -> Reply:
    words = re.sub(r"\b(?:in|user|org|language|stars):\S+", "", call.query.get("q", "")).strip()
    if not words:
        body = {
            "message": "Validation Failed",
            "errors": [{"resource": "Search", "field": "q", "code": "missing"}],
        }
        return _make_reply(call, body, 422)
    places = [(record, _find_repository_path(record)) for record in holdings.search(words, 100)]
    items = [_build_repository(record, *place) for record, place in places if place]
    shown = items[: read_count(call, "per_page", 30)]
    return _make_reply(call, {"total_count": len(items), "incomplete_results": False, "items": shown})


def _find_repository_path(record: Record) -> tuple[str, str] | None:
    matches = (_ADDRESS.fullmatch(address) for address in record.ids.all("url"))
    return next(((match[1], match[2]) for match in matches if match), None)


def _build_repository(record: Record, owner: str, name: str) -> dict[str, object]:
    years = sorted(version.year for version in record.versions if version.year) or [2020]
    number = int(sha256(f"{owner}/{name}".lower().encode()).hexdigest()[:8], 16)
    described = record.title.partition(": ")[2] or record.title
    group = bool(record.authors and record.authors[0].collective)
    return {
        "id": number,
        "node_id": f"R_{number}",
        "name": name,
        "full_name": f"{owner}/{name}",
        "private": False,
        "owner": {"login": owner, "id": number // 2, "type": "Organization" if group else "User"},
        "html_url": f"https://github.com/{owner}/{name}",
        "description": described if described.lower() != name.lower() else None,
        "fork": False,
        "created_at": f"{years[0]}-01-01T00:00:00Z",
        "updated_at": f"{years[-1]}-12-01T00:00:00Z",
        "pushed_at": f"{years[-1]}-12-01T00:00:00Z",
        "homepage": None,
        "archived": False,
        "license": None,
        "default_branch": "main",
    }


def _make_reply(call: Call, value: object, status: int = 200) -> Reply:
    known = "authorization" in call.headers
    search = call.parts[:1] == ("search",)
    limit = (30 if known else 10) if search else (5000 if known else 60)
    headers = {"x-ratelimit-limit": str(limit), "x-ratelimit-remaining": str(limit - 1)}
    headers |= {"x-ratelimit-resource": "search" if search else "core", "x-ratelimit-used": "1"}
    return make_json_reply(value, status, headers=headers)

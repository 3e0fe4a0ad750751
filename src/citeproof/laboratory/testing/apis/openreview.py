"""OpenReview's API 2: `/notes?id=` and `/notes/search`. Its API 1 is `openreview_v1`.

Knows the works that have a forum id. Named quirks: fields are `{"value": …}` in API 2 and plain in API 1;
the venues before 2023 are known to API 1 alone, though a search of API 2 finds them; an unknown id is a
404 in JSON; there is no count of hits; a search finds what has some of the words, best first.
"""

from __future__ import annotations

from datetime import UTC, datetime

from citeproof.laboratory.testing.base import Call, Holdings, Reply, make_json_reply
from citeproof.vocabulary import Kind, Record, Version

FIRST_OF_API_2 = 2023  # the year from which venues are in API 2


def answer(call: Call, holdings: Holdings) -> Reply:
    return answer_either_api(call, holdings, old=False)


def answer_either_api(call: Call, holdings: Holdings, *, old: bool) -> Reply:
    """Return what API 2 says to a call, or API 1 if `old`."""
    if call.parts[-1:] == ("notes",):
        return _answer_note(call, holdings, old=old)
    if call.parts[-2:] == ("notes", "search"):
        known = [r for r in holdings.search(call.query.get("term", "")) if r.ids.first("openreview")]
        limit = int(call.query.get("limit", "1000"))
        return make_json_reply(
            {"notes": [build_note(record, old=_is_old(record)) for record in known[:limit]]}
        )
    return _make_error_reply("NotFoundError", f"{call.path} not found", 404, call)


def _answer_note(call: Call, holdings: Holdings, *, old: bool) -> Reply:
    number = call.query.get("id", "")
    if not number:
        return _make_error_reply(
            "MissingParameterError", "Missing one of the following parameters: id, forum", 400, call
        )
    known = [r for r in holdings.by_id("openreview", number) if _is_old(r) is old]
    if not known:
        return _make_error_reply("NotFoundError", f"The Note {number} was not found", 404, call)
    return make_json_reply({"notes": [build_note(known[0], old=old)], "count": 1})


def _make_error_reply(name: str, message: str, status: int, call: Call) -> Reply:
    details = {"path": call.path, "reqId": "2026-11-15-1"}
    return make_json_reply({"name": name, "message": message, "status": status, "details": details}, status)


def _is_old(record: Record) -> bool:
    version = record.versions[0] if record.versions else Version()
    return (version.year or FIRST_OF_API_2) < FIRST_OF_API_2


def build_note(record: Record, *, old: bool = False) -> dict[str, object]:
    """Return a record as a note of API 2, or of API 1 if `old`."""
    version = record.versions[0] if record.versions else Version()
    number = record.ids.first("openreview")
    group = f"{(version.venue or 'OpenReview').split()[0]}.cc/{version.year or FIRST_OF_API_2}/Conference"
    accepted = record.kind is not Kind.PREPRINT
    track = "poster" if accepted else "Withdrawn Submission" if "withdrawn" in record.marks else ""
    venue = (
        f"{version.venue or ''} {track}".strip()
        if accepted or track
        else f"Submitted to {version.venue or ''}"
    )
    content: dict[str, object] = {
        "title": record.title,
        "authors": [name.display for name in record.authors],
        "authorids": [f"~{name.display.replace(' ', '_')}1" for name in record.authors],
        "venue": venue,
        "venueid": group,
        "pdf": f"/pdf/{number}.pdf",
    }
    born = int(datetime(version.year or FIRST_OF_API_2, 1, 16, tzinfo=UTC).timestamp() * 1000)
    whole = {"id": number, "forum": number, "number": 1, "cdate": born, "tcdate": born, "mdate": born}
    if old:
        return {**whole, "invitation": f"{group}/-/Blind_Submission", "replyto": None, "content": content}
    wrapped = {name: {"value": value} for name, value in content.items()}
    return {
        **whole,
        "version": 2,
        "invitations": [f"{group}/-/Submission"],
        "domain": group,
        "content": wrapped,
    }

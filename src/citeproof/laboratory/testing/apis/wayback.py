"""The Wayback Machine: the availability API, and the copies it points to.

    /wayback/available?url=…&timestamp=…     the closest copy, or an empty `archived_snapshots`
    /web/<timestamp>[id_]/<address>          the copy itself; of a shorter time, the way to the nearest one

It has a copy of every page of this world that is or was there, and of every work's own address.
"""

from __future__ import annotations

from urllib.parse import unquote

from citeproof.laboratory.testing.apis import url as pages
from citeproof.laboratory.testing.base import Call, Holdings, Reply, make_json_reply, make_text_reply
from citeproof.text import ids
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Record

_COPY = re.compile(r"/web/(\d{1,14})(id_)?/(.+)")
_NOON = "0615120000"  # every copy was made on this day
_PATH = re.compile(r"/(?:page|gone)/([^/?]+)/([^/?]+)(?:\?.*)?$")


def answer(call: Call, holdings: Holdings) -> Reply:
    if call.parts == ("wayback", "available"):
        return _answer_availability(call, holdings)
    copy = _COPY.fullmatch(call.path)
    record = _find_archived_record(copy[3], holdings) if copy else None
    if copy is None or record is None:
        return make_text_reply("<html><head><title>Wayback Machine</title></head></html>", 404, pages.MEDIA)
    if len(copy[1]) == len(_NOON) + 4:
        return pages.build_page(record)
    address = f"{call.base}/web/{_find_year(copy[1])}{_NOON}{copy[2] or ''}/{copy[3]}"
    return Reply(302, b"", pages.MEDIA, {"Location": address})


def _find_year(near: str) -> str:
    """Return the year of the copy nearest to a time: the one asked for, or 2020."""
    return near[:4] if len(near) > 3 else "2020"


def _answer_availability(call: Call, holdings: Holdings) -> Reply:
    address, near = call.query.get("url", ""), call.query.get("timestamp", "")
    body: dict[str, object] = {"url": address, "archived_snapshots": {}}
    if near:
        body["timestamp"] = near
    if _find_archived_record(address, holdings):
        stamp = _find_year(near) + _NOON
        closest = {
            "status": "200",
            "available": True,
            "url": f"{call.base}/web/{stamp}/{address}",
            "timestamp": stamp,
        }
        body["archived_snapshots"] = {"closest": closest}
    return make_json_reply(body)


def _find_archived_record(address: str, holdings: Holdings) -> Record | None:
    if path := _PATH.search(address):
        return pages.find_page_record(holdings, unquote(path[1]), unquote(path[2]))
    normal = ids.normalise_id("url", address)
    return next(iter(holdings.by_id("url", normal)), None) if normal else None

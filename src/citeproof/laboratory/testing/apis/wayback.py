"""The Wayback Machine: the copies of pages.

    /web/<timestamp>[id_]/<address>     the copy; of a shorter time, the way to the nearest one

It has a copy of every page of this world that is or was there, and of every work's own address.
"""

from __future__ import annotations

from urllib.parse import unquote

from citeproof.laboratory.testing.apis import url as pages
from citeproof.laboratory.testing.base import Call, Holdings, Reply, make_text_reply
from citeproof.text import ids
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Record

_COPY = re.compile(r"/web/(\d{1,14})(id_)?/(.+)")
_NOON = "0615120000"  # every copy was made on this day
_PATH = re.compile(r"/(?:page|gone)/([^/?]+)/([^/?]+)(?:\?.*)?$")


def answer(call: Call, holdings: Holdings) -> Reply:
    copy = _COPY.fullmatch(call.path)
    record = _find_archived_record(copy[3], holdings) if copy else None
    if copy is None or record is None:
        return make_text_reply("<html><head><title>Wayback Machine</title></head></html>", 404, pages.MEDIA)
    if len(copy[1]) == 4 + len(_NOON):
        return pages.build_page(record)
    year = copy[1][:4] if len(copy[1]) > len("201") else "2020"
    address = f"{call.base}/web/{year}{_NOON}{copy[2] or ''}/{copy[3]}"
    return Reply(302, b"", pages.MEDIA, {"Location": address})


def _find_archived_record(address: str, holdings: Holdings) -> Record | None:
    if path := _PATH.search(address):
        return pages.find_page_record(holdings, unquote(path[1]), unquote(path[2]))
    normal = ids.normalise_id("url", address)
    return next(iter(holdings.by_id("url", normal)), None) if normal else None

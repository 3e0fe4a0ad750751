"""Whether a form was sent from a page of ours: a browser says so, and no other site can make it lie."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit


def is_own_form(headers: Mapping[str, str]) -> bool:
    """Return whether a request that changes something comes from our own page.

    1. `Sec-Fetch-Site` is written by the browser: `same-origin` is a page of ours.
    2. An older browser names the page's origin: it must be the host that was asked.
    3. Who sends neither is no browser that a person uses; programs use the REST interface.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    origin, host = headers.get("origin"), headers.get("host")
    if not origin or not host:
        return False
    parts = urlsplit(origin)
    return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()

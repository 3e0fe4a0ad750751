"""Requests and answers as a log may store them: no keys, no contact address, the body by its hash."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from citeproof.plumbing.net.message import Answer, Failure, Request
from citeproof.vocabulary import Exchange

_PERSONAL = frozenset(("mailto", "email", "tool", "api_key", "apikey"))  # who asks, not what is asked
_FORM = "application/x-www-form-urlencoded"
LONGEST = 4000  # characters of an address


def describe_request(request: Request) -> str:
    """Return the request, independent of the user: method and address, and the hash of a body."""
    asked = f"{request.method} {_describe_url(request, request.url)}"
    if request.method == "GET":
        return asked
    body = request.body
    if request.content_type.startswith(_FORM):
        body = _strip_personal(body.decode("utf-8", "replace")).encode()
    return f"{asked} {sha256(body).hexdigest()}"


def _describe_url(request: Request | None, url: str) -> str:
    """Return an address as it may be logged; one from a document reveals nothing about the user."""
    return url[:LONGEST] if request is not None and request.free else redact_url(url)


def redact_url(url: str) -> str:
    """Return an address without the parameters that say who asks."""
    try:
        parts = urlsplit(url)
    except ValueError:  # out of a document, such as http://[x
        return url[:LONGEST]
    if not any(name in parts.query for name in _PERSONAL):
        return url[:LONGEST]
    return urlunsplit(parts._replace(query=_strip_personal(parts.query)))[:LONGEST]


def make_exchange(request: Request | None, outcome: Answer | Failure, *, batch: bool = False) -> Exchange:
    """Return what was asked and what came of it; `request` is None for an answer stored from a batch."""
    if isinstance(outcome, Failure):
        asked = describe_request(request) if request else ""
        return Exchange(asked, batch=batch, cause=outcome.cause.value, detail=outcome.detail)
    return Exchange(
        describe_request(request) if request else f"GET {redact_url(outcome.url)}",
        outcome.sha256,
        outcome.status,
        outcome.media,
        outcome.at,
        outcome.absent,
        batch,
        _describe_url(request, outcome.url),
        tuple(sorted((name, value) for name, value in outcome.headers.items() if name in KEPT_HEADERS)),
    )


KEPT_HEADERS = ("content-type", "date", "etag", "last-modified", "location", "x-api-pool")


@lru_cache(maxsize=64)  # every reference of a batch has the same long address
def _strip_personal(query: str) -> str:
    pairs = parse_qsl(query, keep_blank_values=True)
    return urlencode([(name, value) for name, value in pairs if name not in _PERSONAL])

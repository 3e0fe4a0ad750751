"""What a server's status, headers and content type say: an answer, a refusal, a wall, a limit. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from email.utils import parsedate_to_datetime
from hashlib import sha256
from urllib.parse import quote, unquote, urlsplit

from citeproof.plumbing.clock import Clock, format_timestamp
from citeproof.plumbing.net.http_transport import RawResponse
from citeproof.plumbing.net.message import HTML, JSON, Answer, Failure, Request
from citeproof.plumbing.net.rate_limiter import LONGEST
from citeproof.vocabulary import Cause

_DAY = 86_400.0
_BUSY = (408, 425, 429)
_PAGE = (b"<!doctype html", b"<html", b"<head", b"<body", b"<script")


def judge_response(raw: RawResponse, request: Request, clock: Clock) -> Answer | Failure:
    """Return the answer, or why what came back is not one."""
    if failure := _judge_status(raw, request):
        return replace(failure, status=raw.status)
    absent = raw.status in request.absent
    media = raw.headers.get("content-type", "").partition(";")[0].strip().lower()
    if not absent and (failure := _judge_media(raw.body, media, request)):
        return failure
    if repeats_key(raw, request):
        return Failure(Cause.MALFORMED, "its answer repeats the key; it is neither used nor kept")
    return Answer(
        raw.status, raw.body, media, sha256(raw.body).hexdigest(), raw.url, format_timestamp(clock), absent,
        headers=raw.headers,
    )  # fmt: skip


def _judge_status(raw: RawResponse, request: Request) -> Failure | None:
    status = raw.status
    if 200 <= status < 300 or status in request.absent:
        return None
    if status in _BUSY or (status == 503 and "retry-after" in raw.headers):
        return Failure(Cause.RATE_LIMITED, f"answered {status}", again=True)
    if status >= 500:
        return Failure(Cause.TIMEOUT, f"answered {status}", again=True)
    if status == 401:
        return Failure(Cause.NEEDS_KEY, "answered 401: the key is missing or wrong")
    if status == 403:
        return Failure(Cause.BOT_WALL, "answered 403: it refuses to be asked by a program")
    return Failure(Cause.MALFORMED, f"answered {status}")


def _judge_media(body: bytes, media: str, request: Request) -> Failure | None:
    """Return a failure when the body is of another kind than was asked for."""
    page = media in HTML or body[:256].lstrip().lower().startswith(_PAGE)
    if page and not set(HTML) & set(request.accept):
        return Failure(Cause.BOT_WALL, "answered with a web page instead of data")
    if not media:  # unlabelled: its reader will see
        return None
    fits = any(media.endswith(a) if a.startswith("+") else media == a for a in request.accept)
    if fits or "*/*" in request.accept:
        return None
    if media == "text/plain" and request.accept == JSON and body[:1] in (b"{", b"["):
        return None
    return Failure(Cause.MALFORMED, f"answered with {media[:60]!r} instead of {request.accept[0]}")


def repeats_key(raw: RawResponse, request: Request) -> bool:
    """Return whether a key that was sent is in the answer or in an address it led to."""
    secrets = request.list_secrets()
    led = unquote(" ".join((raw.url, *raw.hops)))
    return any(len(secret) > 3 and (secret.encode() in raw.body or secret in led) for secret in secrets)


def blank_contact(raw: RawResponse, contact: str) -> RawResponse:
    """Return an answer that repeats the contact address without it: answers are stored and passed on."""
    if not contact:
        return raw
    body = raw.body
    for spelling in (contact.encode(), quote(contact, safe="").encode()):
        body = body.replace(spelling, b"x" * len(spelling))
    return raw if body == raw.body else replace(raw, body=body)


def read_retry_after(raw: RawResponse, clock: Clock) -> float | None:
    """Return the seconds that `Retry-After` asks for, as a number or a date, at most ten minutes."""
    text = raw.headers.get("retry-after", "").strip()
    if not text:
        return None
    with suppress(ValueError):
        return max(0.0, min(float(text), LONGEST)) if text.isascii() else None
    with suppress(ValueError, TypeError, OverflowError):
        moment = parsedate_to_datetime(text)
        return max(0.0, min((moment - clock.now()) / timedelta(seconds=1), LONGEST))
    return None


def read_pace(headers: Mapping[str, str]) -> float | None:
    """Return the seconds between requests that Crossref's headers ask for."""
    count, interval = headers.get("x-rate-limit-limit", ""), headers.get("x-rate-limit-interval", "")
    with suppress(ValueError):
        requests, seconds = float(count), float(interval.rstrip("s") or 1)
        return seconds / requests if requests > 0 < seconds else None
    return None


def read_budget(
    headers: Mapping[str, str], unit: str, clock: Clock
) -> tuple[float, float | None, float] | None:
    """Return what is left, of how much, and until when (seconds since 1970), for a source with a budget."""
    suffix = {"USD": "-usd", "requests": ""}.get(unit)
    if suffix is None:
        return None
    left = _read_number(headers.get(f"x-ratelimit-remaining{suffix}"))
    if left is None:
        return None
    of = _read_number(headers.get(f"x-ratelimit-limit{suffix}"))
    reset = _read_number(headers.get("x-ratelimit-reset"))
    now = clock.now().timestamp()
    if reset is None:
        return left, of, now + 3600
    until = reset if reset > 1e9 else now + reset  # a moment, or seconds from now
    return left, of, min(until, now + _DAY)


def _read_number(text: str | None) -> float | None:
    with suppress(ValueError):
        return float(text) if text else None
    return None


def get_netloc(url: str) -> str:
    """Return host and port; nothing for an address that is not one."""
    with suppress(ValueError):
        return urlsplit(url).netloc.lower()
    return ""

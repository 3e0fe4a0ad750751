"""What a server's status, headers and content type say: an answer, a refusal, a wall, a limit. Pure.

What its robots.txt lets a program read: RFC 9309, with `Crawl-delay` as many sites state it. The parser of
the standard library knows neither wildcards nor the rule that the longest match decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from email.utils import parsedate_to_datetime
from hashlib import sha256
from urllib.parse import quote, unquote, unquote_to_bytes, urlsplit

from citeproof.plumbing.clock import Clock, format_timestamp
from citeproof.plumbing.net.http_transport import RawResponse
from citeproof.plumbing.net.message import HTML, JSON, Answer, Failure, Request
from citeproof.plumbing.net.rate_limiter import LONGEST
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Cause
from citeproof.vocabulary.quick_dataclass import dataclass, replace

_DAY = 86_400.0
_BUSY = (408, 425, 429)
_PAGE = (b"<!doctype html", b"<html", b"<head", b"<body", b"<script")
MAX_BYTES = 512_000  # RFC 9309: at least 500 kibibytes are read
MAX_RULES = 5000
_MAX_PATTERN = 1000  # characters
_LINE = re.compile(r"\s{0,20}([A-Za-z-]{1,30})\s{0,20}:\s{0,20}([^#]{0,1000})")
_SAFE = "/?&=+,;:@!$'()*~-._%"


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


@dataclass(frozen=True, slots=True)
class RobotsRules:
    """The rules for one program: pattern and whether it allows; and seconds between two requests."""

    rules: tuple[tuple[str, bool], ...] = ()
    delay: float = 0.0

    def allows(self, url: str) -> bool:
        """Return whether the address may be read: the longest pattern that fits decides, then `Allow`."""
        parts = urlsplit(url)
        path = _normalise_path((parts.path or "/") + (f"?{parts.query}" if parts.query else ""))
        if path == "/robots.txt":
            return True
        fitting = [(len(pattern), allowed) for pattern, allowed in self.rules if _matches_path(pattern, path)]
        return max(fitting)[1] if fitting else True


def read_robots(body: bytes, agent: str) -> RobotsRules:
    """Return the rules for `agent`: those of its own groups, else those for everybody."""
    text = body[:MAX_BYTES].decode("utf-8", "replace").removeprefix("\ufeff")
    named: list[tuple[str, str]] = []
    everybody: list[tuple[str, str]] = []
    mine = theirs = addressed = False
    heading = False  # whether the line before named a program
    for line in text.splitlines():
        row = _LINE.match(line)
        if row is None:
            continue
        key, value = row[1].lower(), row[2].strip()
        if key == "user-agent":
            mine, theirs = (mine, theirs) if heading else (False, False)
            mine = mine or value.lower() == agent.lower()
            theirs = theirs or value == "*"
            addressed, heading = addressed or mine, True
        elif key in ("allow", "disallow", "crawl-delay"):
            heading = False
            named += [(key, value)] if mine else []
            everybody += [(key, value)] if theirs else []
    return _make_rules(named if addressed else everybody)


def _make_rules(rows: list[tuple[str, str]]) -> RobotsRules:
    delay = 0.0
    for key, value in rows:
        if key == "crawl-delay":
            with suppress(ValueError):
                delay = max(0.0, float(value))
    rules = [
        (_normalise_path(value[:_MAX_PATTERN]), key == "allow")
        for key, value in rows
        if key != "crawl-delay" and value
    ]
    return RobotsRules(tuple(rules[:MAX_RULES]), delay if delay < float("inf") else 0.0)


def _normalise_path(path: str) -> str:
    """Return a path in one spelling of its percent-encoding."""
    return quote(unquote_to_bytes(path.replace("%2F", "%252F").replace("%2f", "%252F")), safe=_SAFE)


def _matches_path(pattern: str, path: str) -> bool:
    """Return whether a path begins with a pattern, in which `*` is anything and a last `$` the end."""
    anchored = pattern.endswith("$")
    first, *rest = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    if not rest:
        return not anchored or path == first
    at = len(first)
    for part in rest[:-1]:
        at = path.find(part, at)
        if at < 0:
            return False
        at += len(part)
    if anchored:
        return path.endswith(rest[-1]) and len(path) - len(rest[-1]) >= at
    return path.find(rest[-1], at) >= 0

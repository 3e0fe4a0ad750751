"""What stands before every route: who asks, how often, from where, how much; after it: log and metrics.

Plain ASGI, so that a refusal costs next to nothing. In this order: 1 the host and origin are ours · 2 the
caller · 3 the rate · 4 the size of the body · 5 there is room · 6 the route. A bug becomes a 500 without
details.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citeproof.errors import CiteproofError
from citeproof.surfaces.rest.access_tokens import CHECK, TokenFile
from citeproof.surfaces.rest.caller import Caller, identify_caller
from citeproof.surfaces.rest.error_answers import (
    ApiError,
    make_busy_error,
    make_error_answer,
    translate_error,
)
from citeproof.surfaces.rest.rate_buckets import RateBuckets
from citeproof.surfaces.rest.request_log import WriteEntry, describe_fault
from citeproof.surfaces.rest.server_door import ServerDoor
from citeproof.surfaces.rest.server_options import is_loopback

FREE = frozenset(("/healthz", "/readyz"))  # anybody may ask, at any rate
UNBOUNDED = ("/events",)  # ends of paths that stay open: they have no place inside the gate
LIMITS = {"/mcp": 4 * 1024 * 1024}  # bytes of a body, where they differ from the usual ones
GATED = ("/v1/", "/mcp")  # what programs ask; pages, which people wait for, are bounded by their rate
MOST_FOLLOWERS = 100  # open streams of events of one caller: they would take all connections
SLOWEST = 50_000  # bytes a second that a large body must come with
DRAINED = 16 * 1024 * 1024  # bytes of a refused body that are thrown away, so that the refusal arrives
DRAIN_SECONDS = 5.0  # that they may take
READING = frozenset(("GET", "HEAD", "OPTIONS"))
METHODS = READING | {"POST", "PUT", "PATCH", "DELETE"}
HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
    (b"x-frame-options", b"DENY"),
)
CALLER = "citeproof.caller"  # in the scope of a request
PathRule = Callable[[str], bool]


def _is_nothing(_: str) -> bool:
    return False


class DoorGuard:
    """The outermost layer of the application."""

    def __init__(
        self,
        app: ASGIApp,
        door: ServerDoor,
        *,
        tokens: TokenFile | None,
        log: WriteEntry,
        local: bool,
        is_open: PathRule = _is_nothing,
    ) -> None:
        """Take the parts of a server; `is_open`: paths that anybody may read, also without a token."""
        self.app, self.tokens, self.log, self.local = app, tokens, log, local
        self.options, self.clock, self.metrics, self.gate = door.options, door.clock, door.metrics, door.gate
        options, clock = door.options, door.clock
        self._is_open = is_open
        self._known = RateBuckets(options.token_rate, options.token_burst, clock)
        self._strangers = RateBuckets(options.anonymous_rate, options.anonymous_burst, clock)  # bad tokens
        self._followers = Counter[str]()
        self._anonymous = RateBuckets(options.anonymous_rate, options.anonymous_burst, clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = GuardedRequest(self, scope, receive, send)
        await request.answer()

    def admit(self, scope: Scope, headers: Mapping[str, str]) -> None:
        """Raise an ApiError for a request that is not answered; the caller is in the scope afterwards."""
        path, method = scope["path"], scope["method"]
        address = scope["client"][0] if scope.get("client") else ""
        if path in FREE:
            return
        self._check_origin(headers, method)
        anonymous = self.options.allow_anonymous or (self.tokens is not None and self._is_open(path))
        try:
            caller = identify_caller(headers, address, self.tokens, allow_anonymous=anonymous)
        except ApiError:
            if wait := self._strangers.take(address):
                raise make_busy_error(math.ceil(wait), "too many requests without a valid token") from None
            raise
        scope[CALLER] = caller
        buckets = self._anonymous if caller.anonymous else self._known
        wait = buckets.take(address if caller.anonymous else caller.owner)
        if wait:
            raise make_busy_error(math.ceil(wait), "you send more requests than you may")
        if CHECK not in caller.scopes and path != "/metrics":
            hint = "use a token with the scope `check`"
            raise ApiError(403, "FORBIDDEN", "the token may not do this", place="Authorization", hint=hint)

    def _check_origin(self, headers: Mapping[str, str], method: str) -> None:
        """Refuse what another site makes a browser send: a foreign host name, or a foreign page."""
        host = headers.get("host", "")
        name = urlsplit(f"//{host}").hostname or "" if _is_plain_host(host) else ""
        if self.local and self.tokens is None and not (is_loopback(name) or name in self.options.hosts):
            hint = "reach the server as localhost, or name the host with --host-name"
            raise ApiError(
                421, "FOREIGN_HOST", "the server is not known by this name", place="Host", hint=hint
            )
        origin = headers.get("origin")
        if origin is not None and method not in READING and urlsplit(origin).netloc != host:
            hint = "send the request from a program, or from a page of this server"
            raise ApiError(403, "FOREIGN_ORIGIN", "another site sent this", place="Origin", hint=hint)

    def enter(self) -> None:
        """Take one more request inside; ApiError if there is no room."""
        if not self.gate.enter():
            raise make_busy_error(1)

    @contextlib.contextmanager
    def follow(self, scope: Scope) -> Iterator[None]:
        """Count one more open stream of the caller; ApiError if there are too many."""
        caller: Caller = scope[CALLER]
        name = caller.address if caller.anonymous else caller.owner
        if self._followers[name] >= MOST_FOLLOWERS:
            raise make_busy_error(10, f"you follow {MOST_FOLLOWERS} runs already")
        self._followers[name] += 1
        try:
            yield
        finally:
            self._followers[name] -= 1
            if not self._followers[name]:
                del self._followers[name]

    def choose_limit(self, headers: Mapping[str, str], path: str = "") -> int:
        """Return how many bytes the body may have."""
        if path in LIMITS:
            return LIMITS[path]
        upload = headers.get("content-type", "").startswith("multipart/form-data")
        return self.options.max_upload + 100_000 if upload else self.options.max_json


def _is_plain_host(host: str) -> bool:
    return len(host) < 300 and not set(host) & set("/@?#\\ \t")


def is_gated(path: str) -> bool:
    """Return whether a request needs a place inside the gate."""
    return path.startswith(GATED) and not path.endswith(UNBOUNDED)


class GuardedRequest:
    """One request on its way through the guard."""

    def __init__(self, guard: DoorGuard, scope: Scope, receive: Receive, send: Send) -> None:
        self._guard, self._scope, self._receive, self._send = guard, scope, receive, send
        self._begun = guard.clock.elapsed()
        self._id = secrets.token_hex(8)
        self._headers = {k.decode("latin-1").lower(): v.decode("latin-1") for k, v in scope["headers"]}
        self._status = self._came = 0
        self._left = guard.choose_limit(self._headers, scope["path"])

    async def answer(self) -> None:
        """Answer it, whatever happens; note it in log and metrics."""
        guard = self._guard
        entered = False
        try:
            guard.admit(self._scope, self._headers)
            self._check_length()
            if is_gated(self._scope["path"]):
                guard.enter()
                entered = True
            stays_open = self._scope["path"].endswith(UNBOUNDED)
            with guard.follow(self._scope) if stays_open else contextlib.nullcontext():
                await guard.app(self._scope, self._receive_bounded, self._send_marked)
        except Exception as error:  # noqa: BLE001 - the last place where a bug can be put in words
            await self._answer_error(error)
        finally:
            if entered:
                guard.gate.leave()
            self._note_answer()

    def _check_length(self) -> None:
        given = self._headers.get("content-length", "")
        if given.isdecimal() and len(given) < 20 and int(given) > self._left:
            raise self._make_size_error()

    def _make_size_error(self) -> ApiError:
        limit = self._guard.choose_limit(self._headers, self._scope["path"])
        hint = "send less, or a document as an upload (multipart/form-data, field `file`)"
        return ApiError(
            413, "TOO_LARGE", f"the body is larger than {limit:,} bytes", place="body", hint=hint,
            headers={"Connection": "close"},
        )  # fmt: skip

    async def _receive_bounded(self) -> Message:
        started = self._scope.get("citeproof.body_read")
        limit = None if started else self._measure_patience()
        message = await asyncio.wait_for(self._receive(), limit)
        if message["type"] == "http.request":
            self._left -= len(message.get("body", b""))
            self._came += len(message.get("body", b""))
            if not message.get("more_body"):
                self._scope["citeproof.body_read"] = True
            if self._left < 0:
                raise self._make_size_error()
        return message

    def _measure_patience(self) -> float:
        """Return how many seconds the next part of the body may take; TimeoutError if none are left.

        Who sends a byte now and then would keep a place inside for ever: a body has so many seconds, and more
        only as it comes.
        """
        most = self._guard.options.body_seconds
        allowed = most + self._came / SLOWEST
        left = allowed - (self._guard.clock.elapsed() - self._begun)
        if left <= 0:
            raise TimeoutError
        return min(most, left)

    async def _drain_body(self) -> None:
        """Read what is still sent: a connection that is closed before would lose the answer on its way.

        Who asked first whether to send the body (Expect: 100-continue) has not sent it. A body without end is
        not read to its end: its sender may see a broken connection instead of the answer.
        """
        if "expect" in self._headers or self._scope.get("citeproof.body_read"):
            return
        left = DRAINED
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(DRAIN_SECONDS):
                while left > 0:
                    message = await self._receive()
                    left -= len(message.get("body", b""))
                    if not message.get("more_body"):
                        return

    async def _send_marked(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            if self._status == 413:
                await self._drain_body()
            own = {name for name, _ in message["headers"]}
            more = [pair for pair in HEADERS if pair[0] not in own]
            message["headers"] = [*message["headers"], *more, (b"x-request-id", self._id.encode())]
        await self._send(message)

    async def _answer_error(self, error: Exception) -> None:
        """Answer an error in our words, unless the answer has begun."""
        answered = _find_answerable(error)
        if answered is None:
            self._guard.log("fault", request=self._id, what=describe_fault(error))
            hint = f"report it with the request id {self._id}"
            answered = ApiError(500, "INTERNAL", "this is a bug of the server", hint=hint)
        if not self._status:
            response: Response = make_error_answer(answered)
            await response(self._scope, self._receive, self._send_marked)

    def _note_answer(self) -> None:
        guard, scope = self._guard, self._scope
        seconds = guard.clock.elapsed() - self._begun
        route: Any = scope.get("route")
        path = getattr(route, "path", "") or ("refused" if self._status != 404 else "unknown")
        method = scope["method"] if scope["method"] in METHODS else "OTHER"
        guard.metrics.note_answer(method, path, self._status, seconds)
        caller: Caller | None = scope.get(CALLER)
        guard.log(
            "request", request=self._id, method=method, route=path, status=self._status,
            ms=round(seconds * 1000, 1), caller=caller.owner if caller else "",
        )  # fmt: skip


def _find_answerable(error: BaseException) -> ApiError | None:
    """Return an error that has words for the caller: itself, or the one that it came from."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, ApiError):
            return seen
        if isinstance(seen, CiteproofError):
            return translate_error(seen)
        if isinstance(seen, ClientDisconnect):
            return ApiError(400, "DISCONNECTED", "the body ends before it is complete")
        if isinstance(seen, TimeoutError):
            hint = "send the body faster, or ask again"
            return ApiError(408, "TIMEOUT", "the request took too long", hint=hint)
        seen = seen.__cause__ or seen.__context__
    return None

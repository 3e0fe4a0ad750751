"""What stands before every route: who asks, how often, from where, how much; after it: log and metrics.

Plain ASGI, so that a refusal costs next to nothing. In this order: 1 the host and origin are ours · 2 the
caller · 3 the rate · 4 the size of the body · 5 the route reads the body · 6 there is room for its work. A
bug becomes a 500 without details.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citeproof.errors import CiteproofError
from citeproof.surfaces.rest.access_tokens import (
    CHECK,
    METRICS,
    Caller,
    TokenFile,
    identify_caller,
    name_network,
)
from citeproof.surfaces.rest.arriving_bodies import (
    DRAINED,
    HEAD_START,
    LAST_SECONDS,
    SLOWEST,
    ArrivingBody,
    SlowBodies,
)
from citeproof.surfaces.rest.error_answers import (
    ApiError,
    make_busy_error,
    make_error_answer,
    translate_error,
)
from citeproof.surfaces.rest.server_door import (
    RateBuckets,
    ServerDoor,
    WriteEntry,
    describe_fault,
    is_loopback,
)
from citeproof.text import lazy_patterns as re

FREE = frozenset(("/healthz", "/readyz"))  # anybody may ask, at any rate
STREAMS = ("/v1/runs/", "/runs/", "/shared/")  # below which a run has events
LIMITS = {"/mcp": 4 * 1024 * 1024, "/v1/verify": 100_000, "/v1/guard": 1_000_000}  # bytes of some bodies
UPLOADS = frozenset(("/v1/check", "/v1/ground", "/v1/fix", "/runs"))  # that take files
GATED = ("/v1/", "/mcp")  # what programs ask; pages, which people wait for, are bounded by their rate
MOST_FOLLOWERS = 100  # open streams of events of one caller: they would take all connections
METHODS = frozenset(("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"))
ONCE = frozenset(  # headers that layers would read differently if there were two
    (b"host", b"origin", b"authorization", b"content-type", b"content-length", b"sec-fetch-site")
)
HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
    (b"x-frame-options", b"DENY"),
)
COSTLY = frozenset(("", "shared"))  # of what is open, where a stranger has the low rate
CALLER = "citeproof.caller"  # in the scope of a request
PathRule = Callable[[str], bool]
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^][/@?#\\\s:]{1,255})(?::[0-9]{1,5})?")


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
        is_open: PathRule = lambda _: False,
    ) -> None:
        """Take the parts of a server; `is_open`: paths that anybody may read, also without a token."""
        self.app, self.tokens, self.log, self.local, self._is_open = app, tokens, log, local, is_open
        self.options, self.clock, self.metrics, self.gate = door.options, door.clock, door.metrics, door.gate
        options, clock = door.options, door.clock
        self._known = RateBuckets(options.token_rate, options.token_burst, clock)
        self._strangers = RateBuckets(options.anonymous_rate, options.anonymous_burst, clock)  # bad tokens
        self._anonymous = RateBuckets(options.anonymous_rate, options.anonymous_burst, clock)
        self._followers = Counter[str]()
        self.slow_bodies = SlowBodies(clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = GuardedRequest(self, scope, receive, send)
        await request.answer()

    def admit(self, scope: Scope, headers: Mapping[str, str], address: str) -> None:
        """Raise an ApiError for a request that is not answered; the caller is in the scope afterwards."""
        path = scope["path"]
        self._check_sender(scope, headers)
        if path in FREE:
            return
        opened = self._is_open(path)
        anonymous = self.options.allow_anonymous or (self.tokens is not None and opened)
        try:
            caller = identify_caller(headers, address, self.tokens, allow_anonymous=anonymous)
        except ApiError:
            if wait := self._strangers.take(address):
                raise make_busy_error(math.ceil(wait), "too many requests without a valid token") from None
            raise
        scope[CALLER] = caller
        # Open pages have a bucket each: a reader of one of them must not close the login to others.
        page = path.split("/")[1] if opened else ""
        buckets = self._anonymous if caller.anonymous and page in COSTLY else self._known
        if wait := buckets.take(f"{caller.client} {page}"):
            raise make_busy_error(math.ceil(wait), "you send more requests than you may")
        if CHECK not in caller.scopes and path != "/metrics":
            hint = "use a token with the scope `check`"
            raise ApiError(403, "FORBIDDEN", "the token may not do this", place="Authorization", hint=hint)

    def _check_sender(self, scope: Scope, headers: Mapping[str, str]) -> None:
        """Refuse what another site makes a browser send: a foreign host name, or a foreign page."""
        once = [name for name, _ in scope["headers"] if name in ONCE]
        if len(once) > len(set(once)):
            place = max(once, key=once.count).decode().title()
            raise ApiError(400, "BAD_REQUEST", "is there more than once", place=place, hint="send it once")
        host, origin = headers.get("host", ""), headers.get("origin")
        name = (_HOST.fullmatch(host.lower()) or {1: ""})[1]
        known = self.tokens is not None or is_loopback(name) or name in self.options.hosts
        if self.local and not known and scope["path"] not in FREE:
            hint = "reach the server as localhost, or name the host with --host-name"
            raise ApiError(
                421, "FOREIGN_HOST", "the server is not known by this name", place="Host", hint=hint
            )
        if origin is not None and origin.lower().partition("://")[2] != host.lower():
            hint = "send the request from a program, or from a page of this server"
            raise ApiError(403, "FOREIGN_ORIGIN", "another site sent this", place="Origin", hint=hint)

    @contextlib.contextmanager
    def follow(self, scope: Scope) -> Iterator[None]:
        """Count one more open stream of the caller; ApiError if there are too many."""
        name = scope[CALLER].client
        if self._followers[name] >= MOST_FOLLOWERS:
            raise make_busy_error(10, f"you follow {MOST_FOLLOWERS} runs already")
        self._followers[name] += 1
        try:
            yield
        finally:
            self._followers[name] -= 1
            if not self._followers[name]:
                del self._followers[name]

    def choose_limit(self, headers: Mapping[str, str], path: str) -> int:
        """Return how many bytes the body may have."""
        if path in UPLOADS and headers.get("content-type", "").startswith("multipart/form-data"):
            return self.options.max_upload + 100_000
        return LIMITS.get(path, self.options.max_json)


def stays_open(path: str) -> bool:
    """Return whether an answer is a stream of events, which has no place inside the gate."""
    return path.startswith(STREAMS) and path.endswith("/events")


def is_gated(path: str) -> bool:
    """Return whether a request needs a place inside the gate."""
    return path.startswith(GATED) and not stays_open(path)


def make_metrics_answer(request: Request, door: ServerDoor, gauges: Mapping[str, float]) -> Response:
    """Return counts and times for Prometheus; ApiError if the caller may not have them."""
    if METRICS not in request.scope[CALLER].scopes:
        hint = "use a token with the scope `metrics`"
        raise ApiError(403, "FORBIDDEN", "the token may not do this", place="Authorization", hint=hint)
    text = door.metrics.format_text({"requests_inside": door.gate.inside, **gauges})
    return Response(text, media_type="text/plain; version=0.0.4")


class GuardedRequest:
    """One request on its way through the guard."""

    def __init__(self, guard: DoorGuard, scope: Scope, receive: Receive, send: Send) -> None:
        self._guard, self._scope, self._receive, self._send = guard, scope, receive, send
        self._begun = guard.clock.elapsed()
        self._id = secrets.token_hex(8)
        self._headers = {k.decode("latin-1").lower(): v.decode("latin-1") for k, v in scope["headers"]}
        self._limit = guard.choose_limit(self._headers, scope["path"])
        self._status = self._sent = 0
        self._inside = False  # it has a place inside the gate
        self._cuts = False  # the answer comes before the end of the body, and ends the connection
        self._address = name_network(scope["client"][0] if scope.get("client") else "")
        none = self._headers.get("content-length", "0") == "0" and "transfer-encoding" not in self._headers
        seconds = guard.options.body_seconds
        self._is_upload = upload = self._limit > guard.options.max_upload
        self._body = ArrivingBody(
            guard.slow_bodies, receive, self._address, seconds, ends=none, upload=upload
        )

    async def answer(self) -> None:
        """Answer it, whatever happens; note it in log and metrics."""
        guard = self._guard
        try:
            guard.admit(self._scope, self._headers, self._address)
            if CALLER in self._scope:
                self._body.client = self._scope[CALLER].client
            self._check_size(self._read_length())
            if self._body.complete or self._scope["method"] != "POST":  # only these routes read it first
                self._enter()
            receive = await self._hold_small_body()
            streams = stays_open(self._scope["path"])
            with guard.follow(self._scope) if streams else contextlib.nullcontext():
                await guard.app(self._scope, receive, self._send_marked)
        except Exception as error:  # noqa: BLE001 - the last place where a bug can be put in words
            await self._answer_error(error)
        finally:
            self._leave()
            self._body.close()
            self._note_answer()

    def _read_length(self) -> int:
        """Return how long the body is said to be; 0 if nothing is said."""
        given = self._headers.get("content-length", "")
        return int(given) if given.isdecimal() and len(given) < 20 else 0

    def _enter(self) -> None:
        """Take a place inside, now that the work begins; ApiError if there is none."""
        if is_gated(self._scope["path"]) and not self._inside:
            self._inside = self._guard.gate.enter()
            if not self._inside:
                raise make_busy_error(1)

    def _leave(self) -> None:
        if self._inside:
            self._inside = False
            self._guard.gate.leave()

    def _check_size(self, size: int) -> None:
        if size > self._limit:
            message = f"the body is larger than {self._limit:,} bytes"
            upload = "a document as an upload (multipart/form-data, field `file`)"
            hint = "split the document, or send fewer" if self._is_upload else f"send less, or {upload}"
            ends = {"Connection": "close"}
            raise ApiError(413, "TOO_LARGE", message, place="body", hint=hint, headers=ends)

    async def _receive_bounded(self) -> Message:
        arriving = not self._body.complete
        message = await self._body.receive()
        self._check_size(self._body.came)
        if arriving and self._body.complete and message["type"] == "http.request":
            self._enter()
        return message

    async def _hold_small_body(self) -> Receive:
        """Return where routes read the body: a small one is complete before any of them begins."""
        if self._body.complete or not 0 < self._read_length() <= HEAD_START:
            return self._receive_bounded
        parts: list[bytes] = []
        more = True
        while more:
            message = await self._receive_bounded()
            if message["type"] != "http.request":
                raise ClientDisconnect
            parts.append(message.get("body", b""))
            more = message.get("more_body", False)
        held: list[Message] = [{"type": "http.request", "body": b"".join(parts), "more_body": False}]

        async def receive() -> Message:
            return held.pop() if held else await self._receive_bounded()

        return receive

    async def _send_marked(self, message: Message) -> None:
        streams = False
        if message["type"] == "http.response.start":
            self._status = message["status"]
            message["headers"] = own = list(message["headers"])
            streams = any(value.startswith(b"text/event-stream") for _, value in own)
            # Who asked first whether to send the body (Expect: 100-continue) has not sent it.
            self._cuts = not self._body.complete and self._status != 408 and "expect" not in self._headers
            if self._cuts and self._read_length() - self._body.came <= DRAINED:
                await self._body.drain()
            names = {name for name, _ in own}
            more = HEADERS if self._body.complete else (*HEADERS, (b"connection", b"close"))
            own += [*(pair for pair in more if pair[0] not in names), (b"x-request-id", self._id.encode())]
        if not (streams or message.get("more_body")):
            self._leave()  # the work is done: a slow reader needs no place
        async with asyncio.timeout(self._guard.options.body_seconds + self._sent / SLOWEST):
            if self._cuts and not self._body.complete and message["type"] == "http.response.body":
                await self._send({**message, "more_body": True})
                await asyncio.sleep(LAST_SECONDS)
                message = {"type": "http.response.body"}
            await self._send(message)
        self._sent += len(message.get("body", b""))

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
        path = _find_route(scope) or ("refused" if self._status != 404 else "unknown")
        method = scope["method"] if scope["method"] in METHODS else "OTHER"
        guard.metrics.note_answer(method, path, self._status, seconds)
        caller: Caller | None = scope.get(CALLER)
        guard.log(
            "request", request=self._id, method=method, route=path, status=self._status,
            ms=round(seconds * 1000, 1), caller=caller.owner if caller else "",
        )  # fmt: skip


def _find_route(scope: Scope) -> str:
    """Return the path of the route that answered, such as "/runs/{run}"; empty if none did."""
    answering = scope.get("endpoint")
    routes: Any = (scope["route"],) if "route" in scope else scope["app"].routes if answering else ()
    return next((route.path for route in routes if getattr(route, "endpoint", None) is answering), "")


def _find_answerable(error: BaseException) -> ApiError | None:
    """Return an error that has words for the caller: itself, or the one that it came from."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, ApiError):
            return seen
        if isinstance(seen, CiteproofError):
            return translate_error(seen)
        if isinstance(seen, RecursionError):
            return ApiError(400, "BAD_REQUEST", "is nested too deeply", place="body", hint="send flat JSON")
        if isinstance(seen, ClientDisconnect):
            return ApiError(400, "DISCONNECTED", "the body ends before it is complete")
        if isinstance(seen, TimeoutError):
            hint = "send the body faster, or ask again"
            return ApiError(408, "TIMEOUT", "the request took too long", hint=hint)
        seen = seen.__cause__ or seen.__context__
    return None

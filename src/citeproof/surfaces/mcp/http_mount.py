"""The MCP server at /mcp of a web application: streamable HTTP, as remote clients speak it.

    mount_mcp(app, settings, hosts=["cite.example.org"])

1. Host and Origin must be allowed, whatever address the server listens on: a page of another site must not
   reach a server on this machine (DNS rebinding). Without `hosts` only loopback names are.
2. Bodies are at most 4 MiB, of few values besides texts, and a call takes at most five minutes.
3. Who may ask is decided before: by the guard of the REST server, or by `authorise`.

No session is stored between requests, so that a restart or a second worker changes nothing for clients.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citeproof.service.engine_pool import EnginePool
from citeproof.settings import Settings
from citeproof.surfaces.mcp.tool_call import AllowedFiles, ToolDesk
from citeproof.surfaces.mcp.tool_server import make_server
from citeproof.text.typed_decoding import decode_json

PATH: Final = "/mcp"
MAX_BODY: Final = 4 * 1024 * 1024
QUICK: Final = 100_000  # bytes that the library may read whatever they are: it does so in the server's loop
MOST_VALUES: Final = 100_000  # of a larger body
SECONDS: Final = 300.0  # that one call may take: many share the server
LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")

Authorise: TypeAlias = Callable[[Request], Awaitable[Response | None]]
MayScreenRequest: TypeAlias = Callable[[Request], bool]


def mount_mcp(
    app: Starlette,
    settings: Settings,
    *,
    hosts: Sequence[str] = (),
    roots: Sequence[Path] = (),
    strict: bool = False,
    authorise: Authorise | None = None,
    may_screen: MayScreenRequest | None = None,
    pool: EnginePool | None = None,
) -> None:
    """Add the server to an application; it opens and closes with it.

    `hosts`: names by which clients reach the server, besides loopback. `authorise` returns the refusal of a
    request, or None; `may_screen` says whether its sender may use the language model: by default no sender.
    `pool`: the engines of the application, if it has some; else the server has its own.
    """
    used = pool or EnginePool(settings)
    own = used if pool is None else None
    files = AllowedFiles(roots, settings.max_document_bytes)
    desk = ToolDesk(used, files, strict=strict, seconds=SECONDS)
    server = make_server(
        desk,
        lambda context: bool(may_screen and settings.llm and context.request and may_screen(context.request)),
    )
    allowed = make_transport_rules(hosts)
    manager = StreamableHTTPSessionManager(
        server, stateless=True, security_settings=allowed, max_request_body_size=MAX_BODY
    )
    guard = _RequestGuard(manager.asgi_app, allowed, authorise)
    app.router.routes.append(Route(PATH, endpoint=guard, methods=["POST"]))  # there is nothing to listen to
    app.router.lifespan_context = _make_lifespan(app.router.lifespan_context, manager, own)


def make_transport_rules(hosts: Sequence[str] = ()) -> TransportSecuritySettings:
    """Return which Host and Origin a request may name: loopback and `hosts`, on any port."""
    names = [*LOOPBACK, *hosts]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[form for name in names for form in (name, f"{name}:*")],
        allowed_origins=[
            form
            for name in names
            for scheme in ("http", "https")
            for form in (f"{scheme}://{name}", f"{scheme}://{name}:*")
        ],
    )


class _RequestGuard:
    """Refuses requests before anything of them is read."""

    def __init__(self, app: ASGIApp, allowed: TransportSecuritySettings, authorise: Authorise | None) -> None:
        self._app = app
        self._security = TransportSecurityMiddleware(allowed)
        self._authorise = authorise

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        refusal = _explain_refusal(await self._security.validate_request(request))
        if refusal is None and self._authorise is not None:
            refusal = await self._authorise(request)
        body = bytearray()

        async def receive_checked() -> Message:
            message = await receive()
            body.extend(message.get("body", b""))
            if message["type"] == "http.request" and not message.get("more_body") and is_costly(bytes(body)):
                raise _CostlyBodyError
            return message

        try:
            await (refusal or self._app)(scope, receive_checked, send)
        except _CostlyBodyError:
            error = _build_error_json("BAD_REQUEST", "has too many values", "body", "send fewer")
            await JSONResponse(error, 400)(scope, receive, send)


class _CostlyBodyError(Exception):
    """A body that would take the server's loop for too long."""


class _Arguments(msgspec.Struct):
    arguments: dict[str, msgspec.Raw] = {}


class _Call(msgspec.Struct):
    params: _Arguments = msgspec.field(default_factory=_Arguments)


def is_costly(body: bytes) -> bool:
    """Return whether a large body has more values, besides long texts, than the library reads in a moment."""
    if len(body) <= QUICK:
        return False
    try:
        given = map(bytes, decode_json(body, type=_Call).params.arguments.values())
    except (msgspec.DecodeError, RecursionError):
        return True
    texts = sum(_count_values(value) for value in given if value.startswith(b'"'))
    return _count_values(body) - texts > MOST_VALUES


def _count_values(data: bytes) -> int:
    return data.count(b",") + data.count(b"[") + data.count(b"{")


def _explain_refusal(refusal: Response | None) -> Response | None:
    """Return a refusal in the words of our other interfaces."""
    if refusal is None:
        return None
    code, place = ("FOREIGN_ORIGIN", "Origin") if refusal.status_code == 403 else ("FOREIGN_HOST", "Host")
    hint = "reach the server as localhost, or name its host when it is started"
    error = _build_error_json(code, "is not one of this server", place, hint)
    return JSONResponse(error, refusal.status_code)


def _build_error_json(code: str, message: str, place: str, hint: str) -> dict[str, dict[str, str]]:
    return {"error": {"code": code, "message": message, "place": place, "hint": hint}}


_Lifespan: TypeAlias = Callable[[Any], Any]


def _make_lifespan(
    outer: _Lifespan, manager: StreamableHTTPSessionManager, own: EnginePool | None
) -> _Lifespan:
    @asynccontextmanager
    async def open_and_close(app: Any) -> AsyncIterator[Any]:  # noqa: ANN401 - Starlette's own shape
        try:
            async with outer(app) as state, manager.run():
                yield state
        finally:
            if own is not None:
                await asyncio.to_thread(own.close)

    return open_and_close

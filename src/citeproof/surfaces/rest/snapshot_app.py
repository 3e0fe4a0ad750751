"""The application of `citeproof index serve`: what a server has, and calls to it.

    GET  /healthz                            the process is alive
    GET  /v1/snapshots                       the manifest of each snapshot, as JSON
    POST /v1/snapshots/ID/calls              calls, as `index.snapshot_wire` describes them
    GET  /metrics                            counts and times

Below `/NAME`, where a snapshot of that name is served, the same paths know only that one. The guard of the
REST server stands before all of them: host, token, rate, size.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass

import msgspec
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from citeproof.clock import Clock, SystemClock
from citeproof.index import snapshot_wire as wire
from citeproof.index.snapshot_service import BadCallsError, SnapshotService
from citeproof.serializers import dumps, get_version
from citeproof.surfaces.rest.access_tokens import TokenFile
from citeproof.surfaces.rest.admission import AdmissionGate
from citeproof.surfaces.rest.door_guard import DoorGuard, make_metrics_answer
from citeproof.surfaces.rest.error_answers import JSON, ApiError, make_error_handlers
from citeproof.surfaces.rest.request_log import WriteEntry, ignore_entry
from citeproof.surfaces.rest.server_door import ServerDoor
from citeproof.surfaces.rest.server_metrics import ServerMetrics
from citeproof.surfaces.rest.server_options import ServerOptions

THREADS = 4  # that look things up; most of the work holds the interpreter
AT_ONCE = 256  # requests inside; each is bounded in time, and its client waits for it anyway


@dataclass(frozen=True, slots=True)
class SnapshotDoor(ServerDoor):
    """The parts of a server of snapshots."""

    services: Mapping[str, SnapshotService]  # by id, in order
    threads: ThreadPoolExecutor

    def choose(self, name: str) -> Mapping[str, SnapshotService]:
        """Return the services that a path knows: those of a name, or all without one."""
        if not name:
            return self.services
        found = {id_: one for id_, one in self.services.items() if name in (one.name, id_)}
        if not found:
            raise ApiError(404, "NOT_FOUND", "there is no such snapshot", place=name[:100], hint=_HINT)
        return found


_HINT = "GET /v1/snapshots lists what is served"


def create_snapshot_app(
    services: Sequence[SnapshotService],
    *,
    options: ServerOptions | None = None,
    tokens: TokenFile | None = None,
    local: bool = True,
    clock: Clock | None = None,
    log: WriteEntry = ignore_entry,
) -> Starlette:
    """Return the application that serves these snapshots; `local`: only this machine reaches it."""
    clock = clock or SystemClock()
    options = options or ServerOptions(max_json=wire.MAX_REQUEST)
    door = SnapshotDoor(
        options, clock, ServerMetrics(), AdmissionGate(AT_ONCE, AT_ONCE, clock),
        {one.id: one for one in services}, ThreadPoolExecutor(THREADS, thread_name_prefix="snapshot"),
    )  # fmt: skip
    guard = Middleware(DoorGuard, door, tokens=tokens, log=log, local=local)
    inner = [
        Route("/v1/snapshots", _list_snapshots, methods=["GET"]),
        Route("/v1/snapshots/{id}/calls", _answer_calls, methods=["POST"]),
    ]
    named = [Route(f"/{{name}}{one.path}", one.endpoint, methods=list(one.methods or ())) for one in inner]
    app = Starlette(
        routes=[
            Route("/healthz", _check_health, methods=["GET"]),
            Route("/metrics", _read_metrics, methods=["GET"]),
            *inner,
            *named,
        ],
        middleware=[guard],
        exception_handlers=make_error_handlers(_HINT),
        lifespan=_run_threads,
    )
    app.state.door = door
    return app


@asynccontextmanager
async def _run_threads(app: Starlette) -> AsyncGenerator[None]:
    door: SnapshotDoor = app.state.door
    try:
        yield
    finally:
        door.threads.shutdown()
        for one in door.services.values():
            one.close()


async def _list_snapshots(request: Request) -> Response:
    services = _get_door(request).choose(request.path_params.get("name", ""))
    listed = wire.ServedList(wire.WIRE, [msgspec.Raw(one.describe()) for one in services.values()])
    return Response(msgspec.json.encode(listed), media_type=JSON)


async def _answer_calls(request: Request) -> Response:
    door = _get_door(request)
    services = door.choose(request.path_params.get("name", ""))
    service = services.get(request.path_params["id"])
    data = await request.body()
    if service is None:
        message = f"serves {', '.join(services)} now"
        raise ApiError(410, "OTHER_SNAPSHOT", message, place=request.path_params["id"][:100], hint=_HINT)
    try:
        answer = await asyncio.get_running_loop().run_in_executor(door.threads, service.answer, data)
    except BadCallsError as error:
        raise ApiError(400, "BAD_REQUEST", str(error), place="body", hint="use citeproof to ask") from error
    return Response(answer, media_type=wire.MEDIA)


async def _check_health(request: Request) -> Response:
    ids = list(_get_door(request).services)
    return Response(dumps({"status": "ok", "citeproof": get_version(), "snapshots": ids}), media_type=JSON)


async def _read_metrics(request: Request) -> Response:
    door = _get_door(request)
    return make_metrics_answer(request, door, {"snapshots": len(door.services)})


def _get_door(request: Request) -> SnapshotDoor:
    door: SnapshotDoor = request.app.state.door
    return door

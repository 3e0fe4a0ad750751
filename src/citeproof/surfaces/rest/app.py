"""The application: routes, the guard before them, and the runner of jobs that lives as long as it does.

    app = create_app(settings, folder=Path("jobs"))             served by uvicorn, or `citeproof serve`

`folder` keeps jobs and runs. `app.state.door` is a `RestDoor`: other parts of the server (pages, MCP)
use its `runner`, and find who asks with `rest_door.get_caller(request)`. A path that they add is guarded as
all others are.
"""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError

from citeproof.answers.serializers import dumps, get_version
from citeproof.plumbing.clock import Clock, SystemClock
from citeproof.service.job_runner import JobRunner
from citeproof.settings import Settings
from citeproof.surfaces.mcp.http_mount import mount_mcp
from citeproof.surfaces.rest import api_description as described
from citeproof.surfaces.rest import run_routes, work_routes
from citeproof.surfaces.rest.access_tokens import TokenFile
from citeproof.surfaces.rest.door_guard import DoorGuard, make_metrics_answer
from citeproof.surfaces.rest.error_answers import JSON, ApiError, make_error_answer, make_error_handlers
from citeproof.surfaces.rest.rest_door import RestDoor, get_caller, get_door, may_use_model
from citeproof.surfaces.rest.server_door import (
    AdmissionGate,
    ServerMetrics,
    ServerOptions,
    WriteEntry,
    ignore_entry,
)
from citeproof.surfaces.web.web_answers import is_open_path
from citeproof.surfaces.web.web_pages import add_pages

ABOUT = """Verify citations with evidence. Every answer is what the library and the command line give.

Errors are `{"error": {"code", "message", "place", "hint"}}`. A server that does not listen on loopback alone
needs a token: `Authorization: Bearer TOKEN`."""
SWITCH = 0.001  # seconds after which a thread that computes lets another one in
router = APIRouter()


@router.get("/healthz", **described.describe_route("health"))
async def check_health() -> Response:
    """Say that the process is alive."""
    return Response(dumps({"status": "ok", "citeproof": get_version()}), media_type=JSON)


@router.get("/readyz", **described.describe_route("ready"))
async def check_readiness(request: Request) -> Response:
    """Say whether requests can be answered: engine and store can be used, and the server does not end."""
    runner = get_door(request).runner
    ready = runner.ready and not runner.trouble
    return Response(dumps({"ready": ready}), 200 if ready else 503, media_type=JSON)


@router.get("/metrics", **described.describe_route("metrics"))
async def read_metrics(request: Request) -> Response:
    """Read counts and times, in the text format of Prometheus. With tokens, the scope `metrics` is needed."""
    runner = get_door(request).runner
    gauges = {
        "jobs_waiting": len(await asyncio.to_thread(runner.store.list_waiting)),
        "jobs_running": runner.count_running(),
        "ready": int(runner.ready),
    }
    return make_metrics_answer(request, get_door(request), gauges)


def create_app(
    settings: Settings,
    *,
    folder: Path,
    options: ServerOptions | None = None,
    tokens: TokenFile | None = None,
    local: bool = True,
    clock: Clock | None = None,
    log: WriteEntry = ignore_entry,
    store: str = "",
) -> FastAPI:
    """Return the application; `local`: only this machine reaches it.

    `store`: the database of jobs and decisions, if they are not in the folder.
    """
    options, clock = options or ServerOptions(), clock or SystemClock()
    runner = JobRunner(
        settings,
        folder,
        workers=options.workers,
        most_waiting=options.most_waiting,
        clock=clock,
        store=store,
        tell_trouble=lambda event, trouble: log(event, trouble=trouble),
    )
    few = options.at_once_overloaded if settings.offline else options.at_once  # online, requests mostly wait
    gate, metrics = AdmissionGate(options.at_once, few, clock), ServerMetrics()
    app = FastAPI(
        title="citeproof",
        version=get_version(),
        description=ABOUT,
        openapi_url="/v1/openapi.json",
        docs_url=None,  # they load scripts from elsewhere
        redoc_url=None,
        lifespan=_run_jobs,
        exception_handlers={
            **make_error_handlers("GET /v1/openapi.json lists every path", log),
            RequestValidationError: _answer_wrong_parameter,
        },
    )
    app.state.door = RestDoor(options, clock, metrics, gate, runner)
    for routes in (work_routes.router, run_routes.router, router):
        app.include_router(routes)
    mount_mcp(app, settings, hosts=options.hosts, pool=runner.pool, may_screen=may_use_model)
    door: RestDoor = app.state.door
    app.add_middleware(DoorGuard, door, tokens=tokens, log=log, local=local, is_open=is_open_path)
    app.state.close_pages = add_pages(
        app,
        runner,
        settings=settings,
        store=store or folder,
        identify=lambda request: get_caller(request).owner,
        share=lambda request: get_caller(request).share,
    )
    return app


@asynccontextmanager
async def _run_jobs(app: FastAPI) -> AsyncGenerator[None]:
    door: RestDoor = app.state.door
    await asyncio.to_thread(door.runner.start)
    sys.setswitchinterval(SWITCH)
    gc.freeze()  # what is open now stays: it need not be looked at again and again
    try:
        yield
    finally:
        await asyncio.to_thread(door.runner.stop, door.options.drain_seconds)
        app.state.close_pages()


async def _answer_wrong_parameter(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"][1:])
    return make_error_answer(
        ApiError(422, "BAD_PARAMETER", str(first["msg"]), place=place, hint="see /v1/openapi.json")
    )

"""Routes for whoever runs the server: alive, ready, metrics."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request, Response

from citeproof.serializers import dumps, get_version
from citeproof.surfaces.rest import api_description as described
from citeproof.surfaces.rest.door_guard import make_metrics_answer
from citeproof.surfaces.rest.error_answers import JSON
from citeproof.surfaces.rest.rest_door import get_door

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

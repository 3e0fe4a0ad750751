"""Routes for whoever runs the server: alive, ready, metrics."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request, Response

from citeproof.serializers import dumps, get_version
from citeproof.surfaces.rest import api_description as described
from citeproof.surfaces.rest.access_tokens import METRICS
from citeproof.surfaces.rest.error_answers import JSON, ApiError
from citeproof.surfaces.rest.rest_door import get_caller, get_door

router = APIRouter()


@router.get("/healthz", **described.HEALTH)
async def check_health() -> Response:
    """Say that the process is alive."""
    return Response(dumps({"status": "ok", "citeproof": get_version()}), media_type=JSON)


@router.get("/readyz", **described.READY)
async def check_readiness(request: Request) -> Response:
    """Say whether requests can be answered: engine and store can be used, and the server does not end."""
    runner = get_door(request).runner
    ready = runner.ready and not runner.trouble
    return Response(dumps({"ready": ready}), 200 if ready else 503, media_type=JSON)


@router.get("/metrics", **described.METRICS)
async def read_metrics(request: Request) -> Response:
    """Read counts and times, in the text format of Prometheus. With tokens, the scope `metrics` is needed."""
    if METRICS not in get_caller(request).scopes:
        hint = "use a token with the scope `metrics`"
        raise ApiError(403, "FORBIDDEN", "the token may not do this", place="Authorization", hint=hint)
    door = get_door(request)
    gauges = {
        "requests_inside": door.gate.inside,
        "jobs_waiting": len(await asyncio.to_thread(door.runner.store.list_waiting)),
        "jobs_running": door.runner.count_running(),
        "ready": int(door.runner.ready),
    }
    return Response(door.metrics.format_text(gauges), media_type="text/plain; version=0.0.4")

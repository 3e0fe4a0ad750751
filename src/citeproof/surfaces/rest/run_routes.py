"""Routes of runs: where they are, what they found, their progress, and how to end them.

    event: progress   data: {"state": "running", "done": 3, "total": 40}
    event: result     id: 3   data: {"number": 3, "key": "he2016", "verdict": "matched", "label": "EXACT"}
    event: end        data: {"state": "done", "done": 40, "total": 40}

The id of an event is the number of the result, from 0, so that `Last-Event-ID` says what is still wanted.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from itertools import islice
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import StreamingResponse

from citeproof.answers.reporters.base import get_reporter
from citeproof.answers.serializers import Json, dumps
from citeproof.plumbing.clock import today
from citeproof.plumbing.stores.job_store import Job
from citeproof.service.citation_receipts import sign_receipts
from citeproof.service.input_documents import GROUND
from citeproof.service.job_reports import build_answer_json, read_outcome, read_report
from citeproof.service.job_runner import JobRunner
from citeproof.settings.policies.policy_reader import read_policy
from citeproof.surfaces.rest import api_description as described
from citeproof.surfaces.rest.error_answers import JSON, ApiError, make_missing_error
from citeproof.surfaces.rest.rest_door import build_run_state_json, find_run, get_caller, get_door

router = APIRouter(prefix="/v1/runs")
RunId = Annotated[str, Path(max_length=64, pattern=r"^[A-Za-z0-9_-]{1,64}$")]
Start = Annotated[int, Query(ge=0, le=10_000_000)]
Limit = Annotated[int, Query(ge=1, le=1000)]
PAGE = 200  # results that are read at a time for events
_SHOWN_IN_EVENTS = ("key", "id", "verdict", "label", "status")
_SHOWN = (
    "key", "id", "verdict", "label", "status", "explanation", "reason", "trace", "provenance",
    "mismatches", "candidates", "findings", "tried",
)  # fmt: skip


@router.get("", **described.describe_route("runs"))
async def list_runs(request: Request, limit: Limit = 100) -> Response:
    """List your runs, the newest first."""
    caller = get_caller(request)
    jobs: list[Job] = []
    if not caller.anonymous:  # strangers have no list: they know the ids of their own runs
        jobs = await asyncio.to_thread(get_door(request).runner.store.list_jobs, caller.owner, most=limit)
    return Response(dumps({"runs": [build_run_state_json(job) for job in jobs]}), media_type=JSON)


@router.get("/{run}", **described.describe_route("run"))
async def read_run(
    run: RunId,
    request: Request,
    format: described.ReportFormat | None = None,  # noqa: A002 - the name of the parameter
    policy: described.ReportPolicy | None = None,
) -> Response:
    """Read where a run is, or with `format` its report, also while it goes on.

    With `policy` the report says what that policy decides about each reference; the evidence is the same.
    """
    job = await find_run(request, run)
    if format is None:
        return Response(dumps(build_run_state_json(job)), media_type=JSON)
    store = get_door(request).runner.store
    if format == "json" and policy is None:
        body: str | bytes = await asyncio.to_thread(build_answer_json, store, job)
    else:
        chosen = read_policy(policy) if policy else None
        body = await asyncio.to_thread(
            lambda: "".join(read_report(store, job).generate_report(format, chosen))
        )
    media = get_reporter(format).media_type
    name = f'inline; filename="report.{format}"'
    headers = {"Content-Disposition": name, "Content-Security-Policy": described.REPORT_POLICY}
    return Response(body, headers=headers, media_type=media)


@router.delete("/{run}", **described.describe_route("cancel"))
async def cancel_run(run: RunId, request: Request) -> Response:
    """Cancel a run; what it has found stays."""
    await find_run(request, run)
    job = await asyncio.to_thread(get_door(request).runner.cancel, run, get_caller(request).owner)
    if job is None:
        raise make_missing_error(run)
    return Response(dumps(build_run_state_json(job)), media_type=JSON)


@router.get("/{run}/references", **described.describe_route("references"))
async def list_results(run: RunId, request: Request, start: Start = 0, limit: Limit = 100) -> Response:
    """List the results of a run, of a grounding its claims: each is there as soon as it is known."""
    job = await find_run(request, run)
    some = await asyncio.to_thread(_read_some, request, job, start, limit)
    more = start + len(some) if start + len(some) < max(job.done, job.total or 0) else None
    name = "claims" if job.kind == GROUND else "references"
    page = {name: some, "start": start, "next": more, "done": job.done, "total": job.total}
    return Response(dumps(page), media_type=JSON)


@router.get("/{run}/trace", **described.describe_route("trace"))
async def read_trace(run: RunId, request: Request, start: Start = 0, limit: Limit = 100) -> Response:
    """Read how each result came about: what was asked, what was answered, what was compared."""
    job = await find_run(request, run)
    some = await asyncio.to_thread(_read_some, request, job, start, limit)
    traces = [
        {"number": start + n, **{name: row[name] for name in _SHOWN if name in row}}
        for n, row in enumerate(some)
    ]
    return Response(dumps({"id": job.id, "kind": job.kind, "traces": traces}), media_type=JSON)


@router.get("/{run}/receipts", **described.describe_route("receipts"))
async def read_receipts(run: RunId, request: Request) -> Response:
    """Read signed receipts of the verified citations of a grounding, for `citeproof guard`."""
    job = await find_run(request, run)
    door = get_door(request)
    if job.kind != GROUND or not job.state.ended:
        hint = "POST /v1/ground, and wait until the run has ended"
        raise ApiError(409, "NO_RECEIPTS", "only an ended grounding has receipts", place="run", hint=hint)

    def sign() -> bytes:
        claims = read_report(door.runner.store, job).claims
        return sign_receipts(door.runner.pool.settings, claims, today(door.clock))

    return Response(await asyncio.to_thread(sign), media_type=JSON)


@router.get("/{run}/document", **described.describe_route("document"))
async def read_document(run: RunId, request: Request) -> Response:
    """Read the corrected document of a fix."""
    job = await find_run(request, run)
    outcome = await asyncio.to_thread(read_outcome, job)
    if outcome is None or outcome.corrected is None:
        hint = "POST /v1/fix; a document that needs no change is not sent back"
        raise ApiError(409, "NO_DOCUMENT", "there is no corrected document", place="run", hint=hint)
    headers = {"Content-Disposition": "attachment"}
    return Response(outcome.corrected, headers=headers, media_type="application/octet-stream")


@router.get("/{run}/events", **described.describe_route("events"))
async def follow_run(run: RunId, request: Request) -> StreamingResponse:
    """Follow a run by server-sent events; `Last-Event-ID` is the number of the last result that you have."""
    job = await find_run(request, run)
    last = request.headers.get("last-event-id", "")
    after = int(last) + 1 if last.isascii() and last.isdecimal() and len(last) < 10 else 0
    return StreamingResponse(
        stream_events(get_door(request).runner, job, after), media_type="text/event-stream"
    )


def _read_some(request: Request, job: Job, start: int, limit: int) -> list[dict[str, Any]]:
    stored = get_door(request).runner.store.read_results(job.id, start)
    return [msgspec.json.decode(body) for body in islice(stored, limit)]


async def stream_events(runner: JobRunner, job: Job, after: int) -> AsyncGenerator[str]:
    """Yield the events of a run from result number `after` on, until it ends or the server does."""
    yield "retry: 2000\n\n"
    state: Json = {}
    async with aclosing(runner.follow(job.id)) as changes:
        async for change in changes:
            while after < change.done:
                results = await asyncio.to_thread(_read_results, runner, job.id, after)
                if not results:
                    break
                for result in results:
                    yield _format_event("result", {"number": after, **result}, after)
                    after += 1
            progress: Json = {"state": change.state.value, "done": change.done, "total": change.total}
            if change.state.ended:
                yield _format_event("end", progress)
            elif progress != state:
                yield _format_event("progress", progress)
            else:
                yield ": waiting\n\n"
            state = progress


def _read_results(runner: JobRunner, job: str, start: int) -> list[Json]:
    some = [msgspec.json.decode(body) for body in islice(runner.store.read_results(job, start), PAGE)]
    return [{name: result[name] for name in _SHOWN_IN_EVENTS if name in result} for result in some]


def _format_event(name: str, data: Json, number: int | None = None) -> str:
    own = f"id: {number}\n" if number is not None else ""
    return f"event: {name}\n{own}data: {dumps(data).decode()}\n\n"

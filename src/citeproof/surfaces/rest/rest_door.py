"""What all routes share: the runner of jobs, the limits, and how a request becomes a job."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import cast

from starlette.requests import Request

from citeproof.answers.serializers import Json
from citeproof.plumbing.clock import format_moment
from citeproof.plumbing.stores.job_store import Job, JobConflictError
from citeproof.service.input_documents import JobRequest
from citeproof.service.job_reports import read_outcome
from citeproof.service.job_runner import JobRunner, QueueFullError, StoreFullError
from citeproof.surfaces.rest.access_tokens import LLM, Caller
from citeproof.surfaces.rest.door_guard import CALLER
from citeproof.surfaces.rest.error_answers import ApiError, make_busy_error, make_missing_error
from citeproof.surfaces.rest.server_door import ServerDoor
from citeproof.vocabulary import Extraction

LONGEST_KEY = 200  # characters of an idempotency key
LONGEST_ID = 64  # characters of the id of a run


@dataclass(frozen=True, slots=True)
class RestDoor(ServerDoor):
    """The parts of a server of jobs."""

    runner: JobRunner

    def begin_stop(self) -> None:
        """Tell jobs and followers that the server ends."""
        self.runner.begin_stop()


def get_door(request: Request) -> RestDoor:
    """Return what the routes share."""
    return cast("RestDoor", request.app.state.door)


def get_caller(request: Request) -> Caller:
    """Return who asks."""
    return cast("Caller", request.scope[CALLER])


def may_use_model(request: Request) -> bool:
    """Return whether the caller may have a language model asked."""
    return LLM in get_caller(request).scopes


async def find_run(request: Request, run: str) -> Job:
    """Return a run of the caller; ApiError if there is none of that name, or it is another's."""
    door, caller = get_door(request), get_caller(request)
    job = None
    if len(run) <= LONGEST_ID:
        job = await asyncio.to_thread(door.runner.store.find, run, caller.owner)
    if job is None:
        raise make_missing_error(run[:LONGEST_ID])
    return job


async def submit_job(
    request: Request, work: JobRequest, *, extraction: Extraction | None = None, at_once: bool = False
) -> Job:
    """Return the job for a request, a new one or that of the same idempotency key."""
    door, caller = get_door(request), get_caller(request)
    once = request.headers.get("idempotency-key")
    if once is not None and not 0 < len(once) <= LONGEST_KEY:
        hint = f"use 1 to {LONGEST_KEY} characters"
        raise ApiError(400, "BAD_REQUEST", "is not a key", place="Idempotency-Key", hint=hint)
    if once and caller.anonymous:
        once = f"{caller.address} {once}"
    try:
        return await asyncio.to_thread(
            door.runner.submit, work, caller.owner,
            client=caller.share, once=once, extraction=extraction, at_once=at_once,
        )  # fmt: skip
    except StoreFullError:
        hint = "try again later, and tell the operator of this server"
        raise ApiError(503, "STORE_FULL", "the disk of the server is almost full", hint=hint) from None
    except QueueFullError:
        raise make_busy_error(5, "too many jobs wait") from None
    except JobConflictError:
        hint = "use another key for another request"
        raise ApiError(
            409, "IDEMPOTENCY_CONFLICT", "was used for another request", place="Idempotency-Key", hint=hint
        ) from None


def wants_async(request: Request) -> bool:
    """Return whether the caller does not want to wait (RFC 7240)."""
    return "respond-async" in request.headers.get("prefer", "").lower()


def locate_run(job: Job) -> str:
    """Return the path of a run."""
    return f"/v1/runs/{job.id}"


def build_run_state_json(job: Job) -> Json:
    """Return where a run is, and where more about it is found."""
    path = locate_run(job)
    message, place, hint = [*job.error.split("\n"), "", ""][:3]
    outcome = read_outcome(job)
    return {
        "id": job.id,
        "kind": job.kind,
        "state": job.state.value,
        "created": _format_time(job.created),
        "started": _format_time(job.started),
        "ended": _format_time(job.ended),
        "done": job.done,
        "total": job.total,
        "attempts": job.attempts,
        "exitCode": outcome.exit_code if outcome else None,
        "log": {"file": outcome.log.path, "root": outcome.log.root, "size": outcome.log.size}
        if outcome and outcome.log
        else None,
        "error": {"code": "FAILED", "message": message, "place": place, "hint": hint} if job.error else None,
        "links": {
            "self": path,
            "report": f"{path}?format=json",
            "references": f"{path}/references",
            "trace": f"{path}/trace",
            "events": f"{path}/events",
        },
    }


def _format_time(seconds: float | None) -> str | None:
    return None if seconds is None else format_moment(datetime.fromtimestamp(seconds, UTC))

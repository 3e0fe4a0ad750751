"""The progress of a run as server-sent events.

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

import msgspec

from citeproof.serializers import Json, dumps
from citeproof.service.job_runner import JobRunner
from citeproof.stores.job_store import Job

PAGE = 200  # results that are read at a time
_SHOWN = ("key", "id", "verdict", "label", "status")


async def stream_events(runner: JobRunner, job: Job, after: int) -> AsyncGenerator[str]:
    """Yield the events of a run from result number `after` on, until it ends or the server does."""
    yield "retry: 2000\n\n"
    told: Json = {}
    async with aclosing(runner.follow(job.id)) as changes:
        async for one in changes:
            while after < one.done:
                results = await asyncio.to_thread(_read_results, runner, job.id, after)
                if not results:
                    break
                for result in results:
                    yield _format_event("result", {"number": after, **result}, after)
                    after += 1
            progress: Json = {"state": one.state.value, "done": one.done, "total": one.total}
            if one.state.ended:
                yield _format_event("end", progress)
            elif progress != told:
                yield _format_event("progress", progress)
            else:
                yield ": waiting\n\n"
            told = progress


def _read_results(runner: JobRunner, job: str, start: int) -> list[Json]:
    some = [msgspec.json.decode(body) for body in islice(runner.store.read_results(job, start), PAGE)]
    return [{name: one[name] for name in _SHOWN if name in one} for one in some]


def _format_event(name: str, data: Json, number: int | None = None) -> str:
    own = f"id: {number}\n" if number is not None else ""
    return f"event: {name}\n{own}data: {dumps(data).decode()}\n\n"

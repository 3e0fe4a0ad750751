"""A child process with limits, for hostile files.

    answer = sandbox.run("package.module:function", payload, Limits(memory=1 << 30, seconds=120.0))

A long-lived helper is started with the first job. For each job it forks a child, which gives up
memory, time, files, network and other programs before it calls the function with the payload. What
the function returns comes back; what stops it is a `StoppedError`. Nothing that happens there harms
this process. Where a system cannot fork (Windows), each job has a new process of its own, without
limits on memory; the time is limited everywhere.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from citeproof.vocabulary.quick_dataclass import dataclass

__all__ = ["Limits", "StoppedError", "close_helpers", "run", "tell_progress"]


_STARVED = 5 if hasattr(os, "fork") else 1  # Windows keeps no processor time: there the clock decides


@dataclass(frozen=True, slots=True)
class Limits:
    """What one job may use."""

    memory: int = 1 << 30  # bytes, besides the libraries
    seconds: float = 120.0  # of processor time
    answer: int = 1 << 27  # bytes that may come back

    @property
    def longest(self) -> float:
        """Seconds on the wall: more, so that a busy machine stops no job that a quiet one would finish."""
        return self.seconds * _STARVED


class StoppedError(Exception):
    """A job that came to no answer. `kind` is memory, cpu, wall, too_large or crash."""

    def __init__(self, kind: str, detail: str, limits: Limits) -> None:
        super().__init__(kind, detail)
        self.kind, self.detail, self.limits = kind, detail, limits


def run(
    entry: str, payload: bytes, limits: Limits | None = None, tell: Callable[[int, int], None] | None = None
) -> bytes:
    """Return what "module:function" makes of `payload` in a child with limits; `tell` hears its progress."""
    from citeproof.plumbing.sandbox.pool import POOL  # noqa: PLC0415 - a run that reads plain text needs no process

    return POOL.run(entry, payload, limits or Limits(), tell)


def tell_progress(done: int, total: int) -> None:
    """Say how far a job is; for the function that does it. Outside of a job it does nothing."""
    from citeproof.plumbing.sandbox import child  # noqa: PLC0415 - loaded where a job is done

    child.tell_progress(done, total)


def close_helpers() -> None:
    """End the helpers that wait for a job; the next job starts another."""
    from citeproof.plumbing.sandbox.pool import POOL  # noqa: PLC0415 - see above

    POOL.close()

"""A child process with limits, for hostile files.

    answer = sandbox.run("package.module:function", payload, Limits(memory=1 << 30, seconds=120.0))

A long-lived helper is started with the first job. For each job it forks a child, which gives up
memory, time, files, network and other programs before it calls the function with the payload. What
the function returns comes back; what stops it is a `StoppedError`. Nothing that happens there harms
this process. Where a system cannot fork (Windows), each job has a new process of its own, without
limits on memory; the time is kept everywhere.
"""

from __future__ import annotations

from collections.abc import Callable

from citeproof.sandbox.limits import Limits, StoppedError

__all__ = ["Limits", "StoppedError", "close_helpers", "run", "tell_progress"]


def run(
    entry: str, payload: bytes, limits: Limits | None = None, tell: Callable[[int, int], None] | None = None
) -> bytes:
    """Return what the function "module:function" makes of `payload` in a child with limits.

    `tell` hears what the function says of its progress by `sandbox.tell(done, total)`.
    """
    from citeproof.sandbox.pool import POOL  # noqa: PLC0415 - a run that reads plain text needs no process

    return POOL.run(entry, payload, limits or Limits(), tell)


def tell_progress(done: int, total: int) -> None:
    """Say how far a job is; for the function that does it. Outside of a job nobody hears it."""
    from citeproof.sandbox import child  # noqa: PLC0415 - loaded where a job is done

    child.tell_progress(done, total)


def close_helpers() -> None:
    """End the helpers that wait for a job; the next job starts another."""
    from citeproof.sandbox.pool import POOL  # noqa: PLC0415 - see above

    POOL.close()

"""The process that does one job: it gives up what it does not need, works, and answers."""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import PurePath

from citeproof.plumbing.sandbox import confinement, frames
from citeproof.text import lazy_patterns as re

Work = Callable[[bytes], bytes]

_EVERY = 0.05  # seconds between two reports of progress
# How libraries that are not written in Python say that memory has ended.
_STARVED = re.compile(r"bad_alloc|out of memory|(?:[Ff]ailed|[Cc]annot|[Uu]nable) (?:to )?allocat")
_SAID = 500  # characters of an error that are reported
_pipe: int | None = None
_reported_at = 0.0


def tell_progress(done: int, total: int) -> None:
    """Say how far the job is; called by the work itself. Outside of a job it does nothing."""
    global _reported_at  # noqa: PLW0603 - one process, one job
    now = time.monotonic()
    if _pipe is not None and (now - _reported_at >= _EVERY or done >= total) and 0 <= done <= total < 1 << 63:
        _reported_at = now
        frames.write_frame(_pipe, frames.PROGRESS, frames.PAIR.pack(done, total))


def find_work(entry: str) -> Work:
    """Return the function that "module:function" names."""
    module, _, function = entry.partition(":")
    work: Work = getattr(import_module(module), function)
    return work


def do_job(work: Work, payload: bytes, memory: int, seconds: float, pipe: int) -> None:
    """Do one job inside the cage and write what came of it."""
    global _pipe  # noqa: PLW0603 - one process, one job
    try:
        _pipe = pipe = confinement.enter_confinement(memory, seconds, pipe)
        answer = work(payload)
    except MemoryError:
        write_stop(pipe, "memory")
    except BaseException as error:  # noqa: BLE001 - whatever it is, the parent must hear of it
        kind = "memory" if _STARVED.search(str(error)[:20_000]) else "crash"
        write_stop(pipe, kind, _describe_error(error))
    else:
        frames.write_frame(pipe, frames.ANSWER, answer)


def write_stop(pipe: int, kind: str, detail: str = "") -> None:
    body = json.dumps({"kind": kind, "detail": detail[:_SAID]})
    frames.write_frame(pipe, frames.STOPPED, body.encode("ascii"))


def _describe_error(error: BaseException) -> str:
    """Return the error and the line of ours that it came from."""
    steps = traceback.extract_tb(error.__traceback__)
    place = f" ({PurePath(steps[-1].filename).name}:{steps[-1].lineno})" if steps else ""
    lines = str(error)[:20_000].split("\n")  # some libraries put a whole traceback in here
    last = next((line for line in reversed(lines) if line.strip()), "")
    return f"{type(error).__name__}: {last.strip()[: _SAID // 2]}{place}"


def exit_process() -> None:
    """End this process without any of Python's tidying up, which hostile data may have broken."""
    sys.stdout.flush()
    os._exit(0)

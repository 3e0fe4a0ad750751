"""The long-lived helper: it has loaded what jobs need, and forks one child for each.

It reads jobs from its standard input and writes frames to its standard output, one job at a time. It
never looks into the answer of a child; it only counts. When its parent goes away it kills what it has
started and ends.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import signal
import sys
import time
from dataclasses import dataclass
from typing import NoReturn

from citeproof.plumbing.sandbox import child, confinement, frames

_WARMED: set[str] = set()
_AT_WORK: list[int] = []  # the child, while there is one
_PARENT: list[int] = []  # a file that is readable once the parent has ended
_LARGEST = 1 << 40  # the parent is trusted; it never sends so much
_DYING = 0.5  # seconds that a child may take to end by itself once it has nothing to say
_FULL = 0.4  # of the memory was in use when a library gave up: it wanted to double what it had


@dataclass(frozen=True, slots=True)
class _JobOrder:
    entry: str
    memory: int
    seconds: float
    longest: float
    answer: int


def main(mode: str, parent: int) -> None:
    """Serve jobs until the parent hangs up: "fork" a child for each, or do "once" what comes and end."""
    jobs, answers = _take_over_pipes()
    _PARENT.extend(_watch_parent(parent))
    confinement.prepare_filter()
    while (head := frames.read_frame(jobs, _LARGEST)) and (data := frames.read_frame(jobs, _LARGEST)):
        order, payload = _JobOrder(**json.loads(head[1])), data[1]
        try:
            work = child.find_work(order.entry)
        except Exception as error:  # noqa: BLE001 - reported to the parent, which knows what to make of it
            child.write_stop(answers, "crash", f"{type(error).__name__}: {error}")
            continue
        if mode == "once":
            child.do_job(work, payload, order.memory, order.seconds, answers)
            child.exit_process()
        gc.freeze()  # pages that no collection touches stay shared with the children
        _ChildJob(jobs.fd, answers, order).run(work, payload)
        del data, payload
        _warm_module(order.entry)


class _JobPipe:
    """The pipe that jobs come by; it has ended when the parent has, even if another process holds it."""

    def __init__(self, fd: int) -> None:
        self.fd = fd

    def read(self, count: int) -> bytes:
        """Return up to `count` bytes, none at the end."""
        if _PARENT and _PARENT[0] in select.select([self.fd, *_PARENT], [], [])[0]:
            return b""
        return os.read(self.fd, count)


def _watch_parent(parent: int) -> list[int]:
    """Return a file that can be read once the parent has ended, where the system has such a thing."""
    files = []
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            files.append(os.pidfd_open(parent))
        if os.getppid() != parent:  # it ended before we asked
            os._exit(0)
    return files


def _take_over_pipes() -> tuple[_JobPipe, int]:
    """Move the two pipes away from where libraries read and print."""
    jobs = _JobPipe(os.dup(0))
    answers = os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business
    signal.signal(signal.SIGTERM, _end_at_once)
    return jobs, answers


def _end_at_once(*_: object) -> NoReturn:
    for pid in _AT_WORK:
        _kill_child(pid)
    os._exit(0)


def _kill_child(pid: int) -> None:
    """Kill a child and its session; right after the fork it has none of its own yet."""
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(OSError):
            kill(pid, signal.SIGKILL)


def _warm_module(entry: str) -> None:
    """Let the module of the work load what the next jobs will need: each child would load it again."""
    warm = getattr(sys.modules[entry.partition(":")[0]], "warm_up", None)
    if warm is not None and entry not in _WARMED:
        _WARMED.add(entry)
        with contextlib.suppress(Exception):  # what is missing here, the child will miss and say so
            warm()


class _ChildJob:
    """One child: started, listened to, killed in time, buried."""

    def __init__(self, jobs: int, answers: int, order: _JobOrder) -> None:
        self._jobs = jobs
        self._answers = answers
        self._order = order
        self._inbox = frames.FrameInbox(order.answer)
        self._result: tuple[bytes, bytes] | None = None
        self._before = 0  # bytes that the child began with

    def run(self, work: child.Work, payload: bytes) -> None:
        """Do the work in a child and write what came of it."""
        ours, theirs = os.pipe()
        helper = os.getpid()
        self._before = _measure_own_memory()
        pid = os.fork()
        if pid == 0:
            confinement.end_with_helper(helper)
            child.do_job(work, payload, self._order.memory, self._order.seconds, theirs)
            child.exit_process()
        _AT_WORK.append(pid)
        os.close(theirs)
        ending = ""
        try:
            ending = self._listen(ours)
        finally:
            os.close(ours)
            status, peak = _reap_child(pid, _DYING if ending in {"said", "silent"} else 0)
        if self._result is not None:
            frames.write_frame(self._answers, *self._result)
        else:
            child.write_stop(self._answers, *self._reason(ending, status, peak))

    def _listen(self, pipe: int) -> str:
        """Return how the child's words ended: "said" all, "wall", "too_large", "garbage" or "silent"."""
        deadline = time.monotonic() + self._order.longest
        while (left := deadline - time.monotonic()) > 0:
            ready, _, _ = select.select([pipe, self._jobs, *_PARENT], [], [], left)
            if set(ready) - {pipe}:  # nothing is sent during a job: the parent has gone
                raise SystemExit
            if not ready:
                continue
            part = os.read(pipe, 1 << 20)
            if not part:
                return "silent"
            try:
                whole = self._inbox.take(part)
            except frames.BrokenFrameError:
                return "garbage"
            except OverflowError:
                return "too_large"
            if self._pass_on(whole):
                return "said"
        return "wall"

    def _pass_on(self, whole: list[tuple[bytes, bytes]]) -> bool:
        """Pass on what was reported; return whether the child has come to its end."""
        for kind, body in whole:
            if kind != frames.PROGRESS:
                self._result = kind, body
                return True
            frames.write_frame(self._answers, kind, body)
        return False

    def _reason(self, ending: str, status: int | None, peak: int) -> tuple[str, str]:
        if ending in {"wall", "too_large"}:
            return ending, ""
        if ending == "garbage" or status is None:
            return "crash", "its answer is malformed"
        by = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        if by == signal.SIGXCPU:
            return "cpu", ""
        if by == signal.SIGKILL:  # only the kernel can have killed it
            return "memory", ""
        if peak - self._before > _FULL * self._order.memory:
            return "memory", ""
        return "crash", signal.Signals(by).name if by else f"exit code {os.waitstatus_to_exitcode(status)}"


def _measure_own_memory() -> int:
    """Return the memory that a child begins with: what this process has now, without the files it maps.

    Its own peak would be too much: that of a large document some jobs ago.
    """
    try:
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 - pathlib is not loaded here
            resident, shared = file.read().split()[1:3]
        return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        import resource  # noqa: PLC0415 - not on Windows, where nothing is forked

        return _count_bytes(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def _count_bytes(rss: int) -> int:
    """Return what the kernel counts in kilobytes, or in bytes on macOS."""
    return rss * (1 if sys.platform == "darwin" else 1024)


def _reap_child(pid: int, patience: float) -> tuple[int | None, int]:
    """Kill what is left of a child and its session; return how it ended by itself and its peak memory."""
    deadline = time.monotonic() + patience
    gone, status, usage = os.wait4(pid, os.WNOHANG)
    while not gone and time.monotonic() < deadline:
        time.sleep(0.001)
        gone, status, usage = os.wait4(pid, os.WNOHANG)
    _kill_child(pid)
    if not gone:  # unless it was ending already, it is we who ended it
        _, status, usage = os.wait4(pid, 0)
        gone = not (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL)
    _AT_WORK.remove(pid)
    return (status if gone else None), _count_bytes(usage.ru_maxrss)

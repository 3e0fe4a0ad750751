"""Worker processes: each does one piece of work at a time and sends bytes back.

No threads and no queues between: one pipe to each worker, so that it is known which work was with one that
dies. A worker ends when its pipe does, so that none outlives a parent that was killed. A forked one ends with
its parent, in the middle of its work: until then it would hold the locks that the parent held.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pickle import PicklingError
from typing import Generic, Protocol, TypeAlias, TypeVar

from citeproof.plumbing.programs import end_with_parent, isolate_workers

Job = TypeVar("Job")

MOST = 8  # workers, unless more are asked for
_BORN = b"born"
_DONE = b"+"  # before each answer: it may be empty, or the word above
_END = 2.0  # seconds that a worker without work may take to end


class DoesWork(Protocol):
    """What a worker does with each piece of work, and at its end."""

    def do(self, payload: bytes) -> bytes: ...

    def close(self) -> None: ...


MakeWork: TypeAlias = Callable[[], DoesWork]


@dataclass(slots=True)
class _WorkerProcess(Generic[Job]):
    process: BaseProcess
    pipe: Connection
    job: Job | None = None
    born: bool = False  # it said that it can begin


@dataclass(frozen=True, slots=True)
class WorkerAnswer(Generic[Job]):
    """What became of a job: the bytes that its worker sent; None if the worker died."""

    job: Job
    body: bytes | None


def choose_worker_count() -> int:
    """Return how many workers to use unless the user says."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(MOST, usable)


class WorkerProcesses(Generic[Job]):
    """Up to `jobs` workers, started when a job is sent; `make` is called once in each."""

    def __init__(self, jobs: int, make: MakeWork) -> None:
        self._jobs, self._make = jobs, make
        self._forks = is_fork_safe()
        self._workers: list[_WorkerProcess[Job]] = []
        self.stillborn = False  # a worker died before it could begin: so would others

    @property
    def busy(self) -> bool:
        """Whether an answer is to be expected."""
        return any(worker.job is not None for worker in self._workers)

    def ready(self) -> bool:
        """Return whether a job can be sent now."""
        return len(self._workers) < self._jobs or any(worker.job is None for worker in self._workers)

    def start_all(self) -> None:
        """Start the workers that are missing, so that they begin at the same time."""
        while len(self._workers) < self._jobs and self._start() is not None:
            pass

    def send(self, job: Job, payload: bytes) -> bool:
        """Give a job to a worker without one, or to a new one; False if none can be started."""
        worker = next((free for free in self._workers if free.job is None), None) or self._start()
        if worker is None:
            return False
        worker.job = job
        with suppress(OSError):  # it died just now: `answers` reports it
            worker.pipe.send_bytes(payload)
        return True

    def answers(self, timeout: float | None) -> list[WorkerAnswer[Job]]:
        """Return what came in, after waiting for the first for at most `timeout` seconds."""
        busy = {worker.pipe: worker for worker in self._workers if worker.job is not None}
        came = (
            self._answer(busy[pipe]) for pipe in wait(list(busy), timeout) if isinstance(pipe, Connection)
        )
        return [answer for answer in came if answer is not None]

    def list_processes(self) -> list[int]:
        return [worker.process.pid for worker in self._workers if worker.process.pid is not None]

    def dismiss(self) -> None:
        """End workers that have no work; they do what is left to do at their end."""
        for worker in self._workers:
            worker.pipe.close()
        for worker in self._workers:
            worker.process.join(_END)
        self.kill()

    def kill(self) -> list[Job]:
        """End all workers at once; return the jobs that were with them."""
        jobs = [worker.job for worker in self._workers if worker.job is not None]
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.process.join()
            worker.pipe.close()
        self._workers.clear()
        return jobs

    def _start(self) -> _WorkerProcess[Job] | None:
        context = multiprocessing.get_context("fork") if self._forks else multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        inherited = [ours, *(worker.pipe for worker in self._workers)] if self._forks else []
        process = context.Process(target=_serve_jobs, args=(theirs, inherited, self._make), daemon=True)
        try:
            with _block_interrupts(), isolate_workers(), warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # of 3.12 on: see `is_fork_safe`
                process.start()
        except (OSError, AttributeError, TypeError, ValueError, PicklingError):  # no room; not to be pickled
            ours.close()
            return None
        finally:
            theirs.close()
        worker: _WorkerProcess[Job] = _WorkerProcess(process, ours)
        self._workers.append(worker)
        return worker

    def _answer(self, worker: _WorkerProcess[Job]) -> WorkerAnswer[Job] | None:
        try:
            message = worker.pipe.recv_bytes()
        except (OSError, EOFError):
            message = b""
        if message == _BORN:
            worker.born = True
            return None
        job, worker.job = worker.job, None
        assert job is not None
        if message.startswith(_DONE):
            return WorkerAnswer(job, message[len(_DONE) :])
        self.stillborn |= not worker.born
        self._workers.remove(worker)
        worker.process.kill()
        worker.process.join()
        worker.pipe.close()
        return WorkerAnswer(job, None)


def is_fork_safe() -> bool:
    """Return whether workers are forks, which share what is imported and read.

    Another thread of Python may hold a lock that the child would wait for; then workers begin afresh, if what
    they are given can be pickled. That of a progress bar holds none that a worker takes, and numpy's are
    stopped and begun again by itself.
    """
    others = [thread for thread in threading.enumerate() if thread is not threading.main_thread()]
    return sys.platform == "linux" and all(type(thread).__module__.startswith("rich.") for thread in others)


@contextmanager
def _block_interrupts() -> Iterator[None]:
    """Hold Ctrl-C back, so that a new worker does not meet it before it ignores it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve_jobs(pipe: Connection, inherited: list[Connection], make: MakeWork) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interruption means
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if inherited:  # a fork, whose parent is the main thread: see `is_fork_safe`
        end_with_parent()
    for other in inherited:
        other.close()  # else this worker would keep the others' pipes open
    work: DoesWork | None = None
    try:
        work = make()
        pipe.send_bytes(_BORN)
        gc.freeze()  # what was there before the work is not looked through again and again
        while True:
            pipe.send_bytes(_DONE + work.do(pipe.recv_bytes()))
    except (EOFError, OSError):
        if work is not None:
            work.close()
    except Exception:  # noqa: BLE001, S110 - `make` failed: it will in the parent too, which can say so
        pass
    # What else is done at exit is the parent's: it may wait for locks of threads that are not here.
    os._exit(0)

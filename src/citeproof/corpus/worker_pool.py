"""Worker processes: each examines one chunk of documents at a time and sends packed results back.

No threads and no queues between: one pipe to each worker, so that it is known which documents were with one
that dies. A worker ends when its pipe does, so that none outlives a parent that was killed.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from pickle import PicklingError
from typing import TypeAlias

import msgspec

from citeproof.corpus.document_reader import Examine, examine_file
from citeproof.corpus.packed_result import PackedResult
from citeproof.corpus.result_cache import ResultCache
from citeproof.programs import isolate_workers

Make: TypeAlias = Callable[[], Examine]

FEW, FEW_AFRESH = 40, 200  # documents that are worth the start of workers: forks, and new interpreters
MOST = 8  # workers, unless more are asked for
_BORN = b"born"
_END = 2.0  # seconds that a worker without work may take to end


@dataclass(frozen=True, slots=True)
class DocumentJob:
    """One document to examine: its number in the run, and how often a worker died with it."""

    number: int
    path: Path
    file: str
    deaths: int = 0


@dataclass(slots=True)
class _WorkerProcess:
    process: BaseProcess
    pipe: Connection
    chunk: tuple[DocumentJob, ...] = ()
    born: bool = False  # it said that it can begin


@dataclass(frozen=True, slots=True)
class ChunkAnswer:
    """What became of a chunk: a packed result or words of trouble for each job; None if its worker died."""

    chunk: tuple[DocumentJob, ...]
    done: tuple[PackedResult | str, ...] | None


_DONE: msgspec.msgpack.Decoder[tuple[PackedResult | str, ...]] = msgspec.msgpack.Decoder(
    tuple[PackedResult | str, ...]
)


def choose_worker_count() -> int:
    """Return how many workers to use when nobody says."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(MOST, usable)


class WorkerPool:
    """As many workers as there is work for, up to `jobs`; started when a chunk is sent."""

    def __init__(self, jobs: int, make: Make, keeping: ResultCache | None, max_bytes: int) -> None:
        self._jobs, self._given = jobs, (make, keeping, max_bytes)
        self._forks = _is_fork_safe()
        self._workers: list[_WorkerProcess] = []
        self.stillborn = False  # a worker died before it could begin: so would others

    @property
    def busy(self) -> bool:
        """Whether an answer is to be expected."""
        return any(worker.chunk for worker in self._workers)

    def ready(self) -> bool:
        """Return whether a chunk can be sent now."""
        return len(self._workers) < self._jobs or any(not worker.chunk for worker in self._workers)

    def send(self, chunk: Sequence[DocumentJob]) -> bool:
        """Give a chunk to a worker without work, or to a new one; False if none can be started."""
        worker = next((one for one in self._workers if not one.chunk), None) or self._start()
        if worker is None:
            return False
        worker.chunk = tuple(chunk)
        with suppress(OSError):  # it died just now: `answers` tells
            worker.pipe.send([(os.fspath(job.path), job.file) for job in chunk])
        return True

    def answers(self, timeout: float | None) -> list[ChunkAnswer]:
        """Return what came in, after waiting for the first for at most `timeout` seconds."""
        busy = {worker.pipe: worker for worker in self._workers if worker.chunk}
        came = (
            self._answer(busy[pipe]) for pipe in wait(list(busy), timeout) if isinstance(pipe, Connection)
        )
        return [answer for answer in came if answer is not None]

    def dismiss(self) -> None:
        """End workers that have no work; they write what waits to be kept."""
        for worker in self._workers:
            worker.pipe.close()
        for worker in self._workers:
            worker.process.join(_END)
        self.kill()

    def kill(self) -> list[DocumentJob]:
        """End all workers at once; return the documents that were with them."""
        jobs = [job for worker in self._workers for job in worker.chunk]
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.process.join()
            worker.pipe.close()
        self._workers.clear()
        return jobs

    def _start(self) -> _WorkerProcess | None:
        context = multiprocessing.get_context("fork") if self._forks else multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        inherited = [ours, *(worker.pipe for worker in self._workers)] if self._forks else []
        process = context.Process(target=_serve_chunks, args=(theirs, inherited, *self._given), daemon=True)
        try:
            with _block_interrupts(), isolate_workers(), warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # of 3.12 on: see `_forks`
                process.start()
        except (OSError, AttributeError, TypeError, ValueError, PicklingError):  # no room; not to be pickled
            ours.close()
            return None
        finally:
            theirs.close()
        worker = _WorkerProcess(process, ours)
        self._workers.append(worker)
        return worker

    def _answer(self, worker: _WorkerProcess) -> ChunkAnswer | None:
        try:
            said = worker.pipe.recv_bytes()
            if said == _BORN:
                worker.born = True
                return None
            done = _DONE.decode(said)
        except (OSError, EOFError, msgspec.MsgspecError):
            done = ()
        chunk, worker.chunk = worker.chunk, ()
        if len(done) == len(chunk):
            return ChunkAnswer(chunk, done)
        self.stillborn |= not worker.born
        self._workers.remove(worker)
        worker.process.kill()
        worker.process.join()
        worker.pipe.close()
        return ChunkAnswer(chunk, None)


def get_worker_threshold() -> int:
    """Return how many documents are worth the start of workers."""
    return FEW if _is_fork_safe() else FEW_AFRESH


def _is_fork_safe() -> bool:
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


def _serve_chunks(
    pipe: Connection, inherited: list[Connection], make: Make, keeping: ResultCache | None, max_bytes: int
) -> None:
    """Examine chunks until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interruption means
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for other in inherited:
        other.close()  # else this worker would keep the others' pipes open
    try:
        examine = make()
        pipe.send_bytes(_BORN)
        gc.freeze()  # what was there before the work is not looked through again and again
        while True:
            chunk: list[tuple[str, str]] = pipe.recv()
            done = [examine_file(Path(path), file, examine, max_bytes) for path, file in chunk]
            pipe.send_bytes(msgspec.msgpack.encode(done))
    except (EOFError, OSError):
        if keeping is not None:
            keeping.close()
    except Exception:  # noqa: BLE001, S110 - `make` failed: it will in the parent too, which can say so
        pass
    os._exit(
        0
    )  # what else is done at exit is the parent's: it may wait for locks of threads that are not here

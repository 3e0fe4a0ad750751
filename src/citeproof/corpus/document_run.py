"""Many documents examined: unchanged ones from what was stored, the others by workers, all in order.

1. Look ahead by batches: a stored result that still holds is ready at once, other documents wait for work.
2. Few that wait are examined here; more start workers: each examines a chunk at a time, packs the results.
3. What comes back is stored chunk by chunk, so that an interrupted run continues where it was.

Memory is bounded: looking ahead stops `WINDOW` documents before the one to be given out.
"""

from __future__ import annotations

import os
import stat
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

import msgspec

from citeproof.corpus.corpus_types import DocumentResult
from citeproof.corpus.result_cache import PackedResult, ResultCache, has_same_answers, pack_result
from citeproof.plumbing import worker_processes
from citeproof.plumbing.worker_processes import choose_worker_count
from citeproof.text.typed_decoding import decode_msgpack
from citeproof.text.unicode import show_one_line

CHUNK = 50  # documents with one worker
AHEAD = 100  # paths of one look ahead
WINDOW = 2_000  # documents between the one given out and the last one examined
_DEATHS = 2  # workers that may die with a document
Examine: TypeAlias = Callable[[bytes, str], DocumentResult]
Make: TypeAlias = Callable[[], Examine]

FEW, FEW_AFRESH = 40, 200  # documents that are worth the start of workers: forks, and new interpreters
MAX_BYTES = 50_000_000  # of one document
_SHOWN = 300  # characters of an error that may quote the document
_HOW = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def examine_documents(
    paths: Sequence[Path],
    shown: Callable[[Path], str],
    make: Make,
    keeping: ResultCache | None,
    digest: Callable[[str], str],
    jobs: int,
    *,
    citations: bool,
    max_bytes: int = MAX_BYTES,
) -> Generator[DocumentResult]:
    """Yield the result of each of `paths`, in their order; without citations unless they are asked for.

    `make` is called once in each process that examines; `digest` answers the questions of stored results.
    `jobs` of 0 means as many workers as there are processors. Close the iterator to end the workers at once.
    """
    line = _DocumentQueue(
        paths, shown, make, keeping, digest, jobs or choose_worker_count(), citations, max_bytes
    )
    ended = False
    try:
        yield from line.results()
        ended = True
    finally:
        line.stop(at_once=not ended)


@dataclass(slots=True)
class _DocumentQueue:
    """The documents of one run on their way; the first fields are those of `examine_documents`."""

    _paths: Sequence[Path]
    _shown: Callable[[Path], str]
    _make: Make
    _keeping: ResultCache | None
    _digest: Callable[[str], str]
    _jobs: int
    _citations: bool
    _max_bytes: int
    _planned: int = 0
    _given: int = 0
    _ready: dict[int, DocumentResult] = field(default_factory=dict)
    _waiting: deque[DocumentJob] = field(default_factory=deque)
    _orphans: deque[DocumentJob] = field(default_factory=deque)  # of workers that died: each alone
    _done: list[tuple[Path, PackedResult]] = field(default_factory=list)
    _crew: WorkerPool | None = None
    _examine: Examine | None = None

    def results(self) -> Iterator[DocumentResult]:
        while self._given < len(self._paths):
            if self._given in self._ready:
                yield self._ready.pop(self._given)
                self._given += 1
            elif (
                self._planned < len(self._paths)
                and self._planned - self._given < WINDOW
                and len(self._waiting) < max(2 * CHUNK * self._jobs, get_worker_threshold())
            ):
                self._plan()
                self._work(0)
            else:
                self._work(None)

    def stop(self, *, at_once: bool) -> None:
        """End the workers; keep what was done."""
        if self._crew is not None:
            self._crew.kill() if at_once else self._crew.dismiss()
            self._crew = None
        self._keep()

    # 1. look ahead

    def _plan(self) -> None:
        some = self._paths[self._planned : self._planned + AHEAD]
        rows = (
            self._keeping.get(some, citations=self._citations) if self._keeping else ((p, None) for p in some)
        )
        for path, row in rows:
            result = self._warm(path, row) if row is not None else None
            if result is None:
                self._waiting.append(DocumentJob(self._planned, path, self._shown(path)))
            else:
                self._ready[self._planned] = result
            self._planned += 1

    def _warm(self, path: Path, row: PackedResult) -> DocumentResult | None:
        """Return the stored result of a document if it still holds."""
        try:
            if sha256(read_document(path, self._max_bytes)).digest() != row.sha256:
                return None
        except UnreadableDocumentError:
            return None  # examining it will say why
        asked = row.list_questions()
        if asked is None or not has_same_answers(asked, self._digest):
            return None
        return row.result(self._shown(path), asked, citations=self._citations)

    # 2. examine

    def _work(self, timeout: float | None) -> None:
        if self._crew is None and self._jobs > 1 and len(self._waiting) >= get_worker_threshold():
            self._crew = WorkerPool(self._jobs, self._make, self._max_bytes)
        if self._crew is not None:
            self._feed(self._crew)
        if self._crew is not None and self._crew.busy:
            for answer in self._crew.answers(timeout):
                self._take(answer, self._crew)
        elif timeout is None:  # one document in this process
            job = self._waiting.popleft()
            self._examine = self._examine or self._make()
            self._finish(job, examine_file(job.path, job.file, self._examine, self._max_bytes))

    def _feed(self, crew: WorkerPool) -> None:
        if crew.stillborn:
            self._give_up(crew)
            return
        while crew.ready() and (chunk := self._chunk()):
            if not crew.send(chunk):
                self._waiting.extendleft(reversed(chunk))
                if not crew.busy:
                    self._give_up(crew)
                return

    def _give_up(self, crew: WorkerPool) -> None:
        """Go on without workers: none can be started."""
        self._crew, self._jobs = None, 1
        self._waiting.extend([*crew.kill(), *self._orphans])
        self._orphans.clear()

    def _chunk(self) -> list[DocumentJob]:
        if self._orphans:
            return [self._orphans.popleft()]
        share = -(-len(self._waiting) // (2 * self._jobs))  # the last ones are shared out evenly
        return [self._waiting.popleft() for _ in range(min(CHUNK, share))]

    # 3. keep

    def _take(self, answer: ChunkAnswer, crew: WorkerPool) -> None:
        if answer.done is not None:
            for job, done in zip(answer.chunk, answer.done, strict=True):
                self._finish(job, done)
            self._keep()
            return
        for job in answer.chunk:
            if crew.stillborn:
                self._waiting.append(job)
            elif job.deaths + 1 < _DEATHS:
                self._orphans.append(replace(job, deaths=job.deaths + 1))
            else:
                self._finish(job, f"could not be examined: {_DEATHS} worker processes were killed with it")

    def _finish(self, job: DocumentJob, done: PackedResult | str) -> None:
        if isinstance(done, str):
            self._ready[job.number] = DocumentResult(job.file, trouble=done)
            return
        asked = done.list_questions() or ()
        result = done.result(job.file, asked, citations=self._citations, largest=sys.maxsize)
        self._ready[job.number] = result or DocumentResult(
            job.file, trouble="has a result too large for the memory"
        )
        if result is not None and done.is_keepable(asked):
            self._done.append((job.path, done))
        if len(self._done) >= CHUNK:
            self._keep()

    def _keep(self) -> None:
        if self._keeping is not None:
            self._keeping.put(self._done)
        self._done.clear()


@dataclass(frozen=True, slots=True)
class DocumentJob:
    """One document to examine: its number in the run, and how often a worker died with it."""

    number: int
    path: Path
    file: str
    deaths: int = 0


@dataclass(frozen=True, slots=True)
class ChunkAnswer:
    """What became of a chunk: a packed result or words of trouble for each job; None if its worker died."""

    chunk: tuple[DocumentJob, ...]
    done: tuple[PackedResult | str, ...] | None


_DONE: msgspec.msgpack.Decoder[tuple[PackedResult | str, ...]] = msgspec.msgpack.Decoder(
    tuple[PackedResult | str, ...]
)


class WorkerPool:
    """As many workers as there is work for, up to `jobs`; started when a chunk is sent."""

    def __init__(self, jobs: int, make: Make, max_bytes: int) -> None:
        self._workers: worker_processes.WorkerProcesses[tuple[DocumentJob, ...]] = (
            worker_processes.WorkerProcesses(jobs, partial(_ChunkExaminer, make, max_bytes))
        )

    @property
    def busy(self) -> bool:
        return self._workers.busy

    @property
    def stillborn(self) -> bool:
        """Whether a worker died before it could begin: so would others."""
        return self._workers.stillborn

    def ready(self) -> bool:
        return self._workers.ready()

    def send(self, chunk: Sequence[DocumentJob]) -> bool:
        """Give a chunk to a worker without work, or to a new one; False if none can be started."""
        asked = [(os.fsencode(job.path), job.file.encode("utf-8", "surrogateescape")) for job in chunk]
        return self._workers.send(tuple(chunk), msgspec.msgpack.encode(asked))

    def answers(self, timeout: float | None) -> list[ChunkAnswer]:
        """Return what came in, after waiting for the first for at most `timeout` seconds."""
        return [
            ChunkAnswer(answer.job, None if answer.body is None else _DONE.decode(answer.body))
            for answer in self._workers.answers(timeout)
        ]

    def dismiss(self) -> None:
        """End workers that have no work."""
        self._workers.dismiss()

    def kill(self) -> list[DocumentJob]:
        """End all workers at once; return the documents that were with them."""
        return [job for chunk in self._workers.kill() for job in chunk]


class _ChunkExaminer:
    """What a worker does: one chunk of documents at a time."""

    def __init__(self, make: Make, max_bytes: int) -> None:
        self._examine, self._max_bytes = make(), max_bytes

    def do(self, payload: bytes) -> bytes:
        asked = decode_msgpack(payload, type=list[tuple[bytes, bytes]])
        return msgspec.msgpack.encode(
            [
                examine_file(
                    Path(os.fsdecode(path)),
                    file.decode("utf-8", "surrogateescape"),
                    self._examine,
                    self._max_bytes,
                )
                for path, file in asked
            ]
        )

    def close(self) -> None:
        """Nothing is open between two chunks."""


def get_worker_threshold() -> int:
    """Return how many documents are worth the start of workers."""
    return FEW if worker_processes.is_fork_safe() else FEW_AFRESH


class UnreadableDocumentError(Exception):
    """Why a document cannot be read, in words for people."""


def read_document(path: Path, max_bytes: int = MAX_BYTES) -> bytes:
    """Return the bytes of a document."""
    try:
        _refuse_file(path, path.stat(), max_bytes)  # opening alone can do harm to a device
        handle = os.open(path, _HOW)  # does not wait for the other end of a pipe that took its place
    except (OSError, ValueError) as error:
        raise UnreadableDocumentError(f"cannot be read: {_describe_error(error)}") from error
    try:
        state = os.fstat(handle)
        _refuse_file(path, state, max_bytes)
        data = b""
        while len(data) <= max_bytes and (more := os.read(handle, max(state.st_size + 1, 65_536))):
            data += more
    except OSError as error:
        raise UnreadableDocumentError(f"cannot be read: {_describe_error(error)}") from error
    finally:
        os.close(handle)
    if len(data) > max_bytes:
        raise UnreadableDocumentError(_describe_size_limit(max_bytes))
    return data


def examine_file(path: Path, file: str, examine: Examine, max_bytes: int = MAX_BYTES) -> PackedResult | str:
    """Return the packed result of a document, or why there is none."""
    try:
        data = read_document(path, max_bytes)
    except UnreadableDocumentError as error:
        return str(error)
    try:
        result = examine(data, file)
        return result.trouble or pack_result(result, sha256(data).digest())
    except Exception as error:  # noqa: BLE001 - one document's fault is not the end of a run over thousands
        return f"could not be examined: {type(error).__name__}: {show_one_line(str(error))[:_SHOWN]}"


def _refuse_file(path: Path, state: os.stat_result, max_bytes: int) -> None:
    if stat.S_ISDIR(state.st_mode):
        listed = os.access(path, os.R_OK | os.X_OK)
        raise UnreadableDocumentError("is a folder" if listed else "is a folder that cannot be listed")
    if not stat.S_ISREG(state.st_mode):
        raise UnreadableDocumentError("is not a regular file")
    if state.st_size > max_bytes:
        raise UnreadableDocumentError(_describe_size_limit(max_bytes))


def _describe_size_limit(max_bytes: int) -> str:
    return f"is larger than {max_bytes:,} bytes"


def _describe_error(error: OSError | ValueError) -> str:
    return getattr(error, "strerror", None) or show_one_line(str(error))[:_SHOWN]

"""Many documents examined: unchanged ones from what was stored, the others by workers, all in order.

1. Look ahead by batches: a stored result that still holds is ready at once, other documents wait for work.
2. Few that wait are examined here; more start workers.
3. What comes back is stored chunk by chunk, so that an interrupted run continues where it was.

Memory is bounded: looking ahead stops `WINDOW` documents before the one to be given out.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from citeproof.corpus.corpus_types import DocumentResult
from citeproof.corpus.document_reader import (
    MAX_BYTES,
    Examine,
    UnreadableDocumentError,
    examine_file,
    read_document,
)
from citeproof.corpus.packed_result import PackedResult, has_same_answers
from citeproof.corpus.result_cache import ResultCache
from citeproof.corpus.worker_pool import ChunkAnswer, DocumentJob, Make, WorkerPool, get_worker_threshold
from citeproof.plumbing.worker_processes import choose_worker_count

CHUNK = 50  # documents with one worker
AHEAD = 100  # paths of one look ahead
WINDOW = 2_000  # documents between the one given out and the last one examined
_DEATHS = 2  # workers that may die with a document


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

"""Worker processes that examine one chunk of documents at a time and send packed results back."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

import msgspec

from citeproof.corpus.document_reader import Examine, examine_file
from citeproof.corpus.packed_result import PackedResult
from citeproof.plumbing import worker_processes
from citeproof.text.typed_decoding import decode_msgpack

Make: TypeAlias = Callable[[], Examine]

FEW, FEW_AFRESH = 40, 200  # documents that are worth the start of workers: forks, and new interpreters


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

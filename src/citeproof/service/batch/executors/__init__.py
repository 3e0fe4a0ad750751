"""Who checks the documents of a batch: an executor takes packed documents and gives outcomes back.

It takes as many as it has room for. Here: processes of this machine, each with the snapshots mapped into its
memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from citeproof.errors import InputError
from citeproof.plumbing.worker_processes import WorkerProcesses
from citeproof.service.batch.document_checker import DocumentChecker


class LocalProcesses:
    """As many workers as asked for; one that dies is replaced with the next document."""

    def __init__(self, packed: Mapping[str, Any], jobs: int) -> None:
        self._packed = packed
        self._workers: WorkerProcesses[int] = WorkerProcesses(jobs, partial(DocumentChecker, packed))
        self._begun = False

    def ready(self) -> bool:
        return self._workers.ready()

    def send(self, number: int, payload: bytes) -> None:
        if not self._begun:
            self._begun = True
            self._workers.start_all()
        if not self._workers.send(number, payload):
            raise InputError("no worker process can be started", hint="free some memory, or give --jobs 1")

    def answers(self, timeout: float) -> list[DocumentAnswer]:
        answers = [DocumentAnswer(answer.job, answer.body) for answer in self._workers.answers(timeout)]
        if self._workers.stillborn:
            DocumentChecker(self._packed).close()  # raises what is wrong with the settings
            raise InputError("a worker process died at its start", hint="free some memory, or give --jobs 1")
        return answers

    def list_processes(self) -> list[int]:
        return self._workers.list_processes()

    def close(self, *, at_once: bool) -> None:
        if at_once:
            self._workers.kill()
        else:
            self._workers.dismiss()


@dataclass(frozen=True, slots=True)
class DocumentAnswer:
    """What became of a document: its packed outcome; None if the worker died with it."""

    number: int
    body: bytes | None


class DocumentExecutor(Protocol):
    """Who checks documents. No document is sent for which there is no room."""

    def ready(self) -> bool:
        """Return whether a document can be sent now."""

    def send(self, number: int, payload: bytes) -> None:
        """Have a document checked; CiteproofError if no worker can do it."""

    def answers(self, timeout: float) -> list[DocumentAnswer]:
        """Return what came in, after waiting for the first for at most `timeout` seconds."""

    def close(self, *, at_once: bool) -> None:
        """End the workers; `at_once` without waiting for what they have."""

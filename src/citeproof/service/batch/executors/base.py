"""What an executor is: it takes packed documents, as many as it has room for, and gives outcomes back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


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

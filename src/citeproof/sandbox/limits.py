"""What a job may use, and what is said when it wanted more."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What one job may use."""

    memory: int = 1 << 30  # bytes, besides the libraries
    seconds: float = 120.0  # of time on the wall, and of processor time
    answer: int = 1 << 27  # bytes that may come back


class StoppedError(Exception):
    """A job that came to no answer. `kind` is memory, cpu, wall, too_large or crash."""

    def __init__(self, kind: str, detail: str, limits: Limits) -> None:
        super().__init__(kind, detail)
        self.kind = kind
        self.detail = detail
        self.limits = limits

"""What a job may use, and what is said when it wanted more."""

from __future__ import annotations

import os
from dataclasses import dataclass

_STARVED = 5 if hasattr(os, "fork") else 1  # Windows keeps no processor time: there the clock decides


@dataclass(frozen=True, slots=True)
class Limits:
    """What one job may use."""

    memory: int = 1 << 30  # bytes, besides the libraries
    seconds: float = 120.0  # of processor time
    answer: int = 1 << 27  # bytes that may come back

    @property
    def longest(self) -> float:
        """Seconds on the wall: more, so that a busy machine stops no job that a quiet one would finish."""
        return self.seconds * _STARVED


class StoppedError(Exception):
    """A job that came to no answer. `kind` is memory, cpu, wall, too_large or crash."""

    def __init__(self, kind: str, detail: str, limits: Limits) -> None:
        super().__init__(kind, detail)
        self.kind = kind
        self.detail = detail
        self.limits = limits

"""How long requests to one source waited for their turn: this does not count as the reference's time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from citeproof.clock import Clock


class QueueClock:
    """Counts the seconds in which at least one request waits."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._waiting = 0
        self._since = 0.0
        self._total = 0.0

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Count the time inside as waiting."""
        if not self._waiting:
            self._since = self._clock.elapsed()
        self._waiting += 1
        try:
            yield
        finally:
            self._waiting -= 1
            if not self._waiting:
                self._total += self._clock.elapsed() - self._since

    def seconds(self) -> float:
        """Return the seconds so far."""
        return self._total + (self._clock.elapsed() - self._since if self._waiting else 0.0)

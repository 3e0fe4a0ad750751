"""How much work a server admits at a time, so that what is admitted is answered in time.

A burst may wait: up to `most` requests are taken. Where the server has had more to do than it can for
`WINDOW` seconds without a pause, a queue would only make everybody late: then it takes `overloaded` at a
time, and the others are told to come again (as in CoDel, RFC 8289).
"""

from __future__ import annotations

from citeproof.clock import Clock

WINDOW = 0.5  # seconds without a pause after which a server is overloaded


class AdmissionGate:
    """Counts what is being answered. Used in one thread."""

    def __init__(self, most: int, overloaded: int, clock: Clock) -> None:
        self._most, self._overloaded, self._clock = most, min(most, overloaded), clock
        self._busy_since: float | None = None
        self.inside = 0

    def enter(self) -> bool:
        """Return whether one more is taken; whoever is taken leaves."""
        if self.inside >= self._overloaded:
            now = self._clock.elapsed()
            if self._busy_since is None:
                self._busy_since = now
            if self.inside >= self._most or now - self._busy_since > WINDOW:
                return False
        self.inside += 1
        return True

    def leave(self) -> None:
        """Note that one was answered."""
        self.inside -= 1
        if self.inside == 0:
            self._busy_since = None

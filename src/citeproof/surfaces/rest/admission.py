"""How much work a server admits at a time, so that what is admitted is answered in time.

A burst may wait: up to `most` requests are taken. Where `few` or more have been inside for `WINDOW` seconds
without a pause, the server is overloaded, and a queue would only make everybody late: then it takes one less
than `few` at a time (at least one), and the others are told to come again (as in CoDel, RFC 8289). It is
overloaded until nobody had to be refused for `CALM` seconds.
"""

from __future__ import annotations

from collections import OrderedDict

from citeproof.clock import Clock

MOST_CALLERS = 50_000  # that are remembered; the one that was seen longest ago goes first
WINDOW = 1.0
CALM = 2.0


class AdmissionGate:
    """Counts what is being answered. Used in one thread."""

    def __init__(self, most: int, few: int, clock: Clock) -> None:
        self._most, self._few, self._clock = most, min(most, few), clock
        self._overloaded = max(self._few - 1, min(self._few, 1))  # the most while it is overloaded
        self._busy_since: float | None = None  # how long `few` or more have been inside
        self._refused: float | None = None  # when one was last refused; None: the server is not overloaded
        self.inside = 0

    def enter(self) -> bool:
        """Return whether one more is taken; whoever is taken leaves."""
        if self.inside >= self._few or self._refused is not None:
            now = self._clock.elapsed()
            if self._must_refuse(now):
                return False
        self.inside += 1
        return True

    def _must_refuse(self, now: float) -> bool:
        if self._refused is not None:
            crowded = self.inside >= self._overloaded
            if not crowded and now - self._refused > CALM:
                self._refused = None
            elif crowded:
                self._refused = now
            return crowded
        if self._busy_since is None:
            self._busy_since = now
        if now - self._busy_since > WINDOW:
            self._refused = now
            return True
        return self.inside >= self._most

    def is_closed(self) -> bool:
        """Return whether an overloaded server would refuse one more, and note that it was asked."""
        if self._refused is None or self.inside < self._overloaded:
            return False
        self._refused = self._clock.elapsed()
        return True

    def leave(self) -> None:
        """Note that one was answered."""
        self.inside -= 1
        if self.inside < self._few:
            self._busy_since = None


class RateBuckets:
    """How often callers may ask: each has a bucket that fills at a steady rate. Used in one thread."""

    def __init__(self, rate: float, burst: int, clock: Clock) -> None:
        self._rate, self._burst, self._clock = rate, float(burst), clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, caller: str) -> float:
        """Return 0 if the caller may go on, else the seconds until it may."""
        now = self._clock.elapsed()
        left, at = self._left.pop(caller, (self._burst, now))
        left = min(self._burst, left + (now - at) * self._rate)
        allowed = left >= 1
        self._left[caller] = (left - 1 if allowed else left, now)
        if len(self._left) > MOST_CALLERS:
            self._left.popitem(last=False)
        return 0.0 if allowed else (1 - left) / self._rate

"""How many requests one caller may send: a bucket that fills at a steady rate, for each token or address."""

from __future__ import annotations

from collections import OrderedDict

from citeproof.clock import Clock

MOST = 50_000  # callers that are remembered; the one that was seen longest ago goes first


class RateBuckets:
    """The buckets of all callers of one kind. Used in one thread."""

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
        if len(self._left) > MOST:
            self._left.popitem(last=False)
        return 0.0 if allowed else (1 - left) / self._rate

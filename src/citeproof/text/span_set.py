"""Spans that do not overlap, in order, asked often: a hostile line may have a hundred thousand of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator


class SpanSet:
    """Spans of characters, none of them over another."""

    def __init__(self, spans: Iterable[tuple[int, int]] = ()) -> None:
        self._spans = sorted(spans)

    def add(self, start: int, end: int) -> None:
        """Take one more, which overlaps no other; it becomes one with those that it touches."""
        at = bisect_left(self._spans, (start, end))
        if at < len(self._spans) and self._spans[at][0] == end:
            end = self._spans.pop(at)[1]
        if at and self._spans[at - 1][1] == start:
            self._spans[at - 1] = (self._spans[at - 1][0], end)
        else:
            self._spans.insert(at, (start, end))

    def take(self, start: int, end: int) -> bool:
        """Take one more if it overlaps no other; return whether it was taken."""
        free = self.is_free(start, end)
        if free:
            self.add(start, end)
        return free

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(self._spans)

    def list_meeting(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield those that share a character with the span, in order."""
        at = max(0, bisect_right(self._spans, (start, start)) - 1)
        while at < len(self._spans) and self._spans[at][0] < end:
            if self._spans[at][1] > start:
                yield self._spans[at]
            at += 1

    def is_free(self, start: int, end: int) -> bool:
        """Return whether none shares a character with the span."""
        return next(self.list_meeting(start, end), None) is None

    def holds(self, start: int, end: int) -> bool:
        """Return whether one of them holds the whole span."""
        return any(low <= start and end <= high for low, high in self.list_meeting(start, end))

    def find_span_end(self, at: int) -> int:
        """Return the end of the one that has `at` strictly inside it, else `at`."""
        low, high = next(self.list_meeting(at, at + 1), (at, at))
        return high if low < at else at

    def room(self, start: int, end: int) -> tuple[int, int]:
        """Return how far a span can grow before it meets one: the end of the last, the start of the next."""
        before = bisect_left(self._spans, (start, start)) - 1
        after = bisect_left(self._spans, (end, end))
        low = self._spans[before][1] if before >= 0 else 0
        return low, self._spans[after][0] if after < len(self._spans) else 1 << 62

"""Counts and times of a server in the text format of Prometheus; nothing of documents is in them."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)  # seconds


class ServerMetrics:
    """What was answered, by route. Used in one thread."""

    def __init__(self) -> None:
        self._answers: Counter[tuple[str, str, int]] = Counter()
        self._times: dict[str, list[int]] = {}
        self._sums: Counter[str] = Counter()  # microseconds

    def note_answer(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one answer; `route` is a path of ours, never one that a stranger made up."""
        self._answers[method, route, status] += 1
        counts = self._times.setdefault(route, [0] * (len(BOUNDS) + 1))
        counts[bisect_left(BOUNDS, seconds)] += 1
        self._sums[route] += round(seconds * 1e6)

    def format_text(self, gauges: Mapping[str, float]) -> str:
        """Return everything as text; `gauges` are what the server is at now."""
        return "".join(f"{line}\n" for line in self._generate_lines(gauges))

    def _generate_lines(self, gauges: Mapping[str, float]) -> Iterator[str]:
        yield "# HELP citeproof_requests_total Answers by method, route and status."
        yield "# TYPE citeproof_requests_total counter"
        for (method, route, status), count in sorted(self._answers.items()):
            labels = f'method="{method}",route="{route}",status="{status}"'
            yield f"citeproof_requests_total{{{labels}}} {count}"
        yield "# HELP citeproof_request_seconds Time until an answer was complete, by route."
        yield "# TYPE citeproof_request_seconds histogram"
        for route, counts in sorted(self._times.items()):
            total = 0
            for bound, count in zip((*map(str, BOUNDS), "+Inf"), counts, strict=True):
                total += count
                yield f'citeproof_request_seconds_bucket{{route="{route}",le="{bound}"}} {total}'
            yield f'citeproof_request_seconds_sum{{route="{route}"}} {self._sums[route] / 1e6:.6f}'
            yield f'citeproof_request_seconds_count{{route="{route}"}} {total}'
        for name, value in sorted(gauges.items()):
            yield f"# TYPE citeproof_{name} gauge"
            yield f"citeproof_{name} {value:g}"

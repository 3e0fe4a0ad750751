"""The parts that every server has; `app.state.door` is one, with more of its own.

Its log is one JSON object a line, with neither secrets nor anything of documents.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TextIO

from citeproof.answers.serializers import dumps
from citeproof.plumbing.clock import Clock, format_timestamp

WriteEntry = Callable[..., None]


def make_log_writer(clock: Clock, to: TextIO | None = None) -> WriteEntry:
    """Return what writes one entry to standard error, in one go: several processes may share it."""

    def write(event: str, **fields: object) -> None:
        line = dumps({"ts": format_timestamp(clock), "event": event, **fields}).decode()
        stream = to or sys.stderr
        stream.write(f"{line}\n")
        stream.flush()

    return write


def ignore_entry(event: str, **fields: object) -> None:
    """Do nothing with it."""
    del event, fields


def describe_fault(error: BaseException) -> str:
    """Return where a bug is, without any value: the last places of ours on the way to it."""
    places, trace = [], error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if "citeproof" in code.co_filename:
            places.append(f"{code.co_filename.rpartition('citeproof/')[2]}:{trace.tb_lineno}")
        trace = trace.tb_next
    return f"{type(error).__name__} at {' < '.join(reversed(places[-4:])) or 'unknown'}"


BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)  # seconds
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
        """Return whether one more is taken; each that is taken leaves."""
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


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Every limit of the REST server, with its default."""

    max_json: int = 1_000_000  # bytes of a body that is no upload
    max_upload: int = 50_000_000  # bytes of an uploaded document
    sync_items: int = 25  # references that are checked while the caller waits
    sync_seconds: float = 30.0  # that a caller waits before the answer is a job
    body_seconds: float = 60.0  # in which a body must have come; a large one has more
    workers: int = 2  # jobs at a time
    most_waiting: int = 100  # jobs that are not ended
    at_once: int = 64  # requests that are answered at a time
    at_once_overloaded: int = 2  # that a second without a pause makes overloaded, offline: then one less
    token_rate: float = 100.0  # requests a second of one token, or of one address without tokens
    token_burst: int = 1000
    anonymous_rate: float = 1.0  # the same of one address, with --allow-anonymous
    anonymous_burst: int = 20
    drain_seconds: float = 10.0  # for what is being answered when the server is to end
    allow_anonymous: bool = False
    hosts: tuple[str, ...] = ()  # names under which the server is reached, besides its address
    proxies: tuple[str, ...] = ()  # networks of reverse proxies, whose word on who asks is taken


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class ServerDoor:
    """What the guard and the process of a server need to know of what it serves."""

    options: ServerOptions
    clock: Clock
    metrics: ServerMetrics
    gate: AdmissionGate

    def begin_stop(self) -> None:
        """Tell those who wait that the server ends; by default, every request is short."""

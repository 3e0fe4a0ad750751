"""The one clock. Everything that needs the time is passed one of these."""

from __future__ import annotations

import time
from datetime import UTC, date, datetime
from typing import Protocol

from citeproof.vocabulary.quick_dataclass import dataclass


class Clock(Protocol):
    def now(self) -> datetime: ...

    def elapsed(self) -> float:
        """Return seconds on a clock that never goes back."""


class SystemClock:
    """The time of this machine, in UTC."""

    def now(self) -> datetime:
        return datetime.now(UTC)  # noqa: TID251 - this is the one place

    def elapsed(self) -> float:
        return time.monotonic()


@dataclass(frozen=True, slots=True)
class FixedClock:
    """A clock that stands still: for replay and for tests."""

    at: datetime

    def now(self) -> datetime:
        return self.at

    def elapsed(self) -> float:
        return 0.0


def today(clock: Clock) -> date:
    return clock.now().date()


def format_timestamp(clock: Clock) -> str:
    return format_moment(clock.now())


def format_moment(moment: datetime) -> str:
    """Return a moment as RFC 3339 in UTC with milliseconds, as every report and log writes it."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

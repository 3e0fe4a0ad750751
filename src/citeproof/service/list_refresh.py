"""Lists, refreshed from their homes again and again: faults are outcomes, and no home is asked too often.

A server calls `refresh_lists` in a thread once an hour, or `keep_refreshing` in a thread of its own.
"""

from __future__ import annotations

import random
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from citeproof.clock import Clock, format_timestamp
from citeproof.errors import CiteproofError, UsageError
from citeproof.index.lists.list_catalogue import LISTS, LTWA, RETRACTION_WATCH, get_list
from citeproof.index.lists.list_home import ListHome
from citeproof.index.lists.list_store import get_store
from citeproof.service.list_import import ListStatus, open_former
from citeproof.service.list_update import ListDownloadError, choose_list_url, update_list
from citeproof.settings import Settings

LEAST = 60.0  # seconds between two refreshes
MOST = 86_400.0  # after failures
JITTER = 0.1  # so that many machines do not ask at the same second
_DURATION = re.compile(r"([0-9]{1,6})\s?([smhd]?)")
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400}


@dataclass(frozen=True, slots=True)
class RefreshOutcome:
    """What became of one list: `updated`, `unchanged` at its home, or `failed` and as it was."""

    name: str
    state: str
    at: str  # RFC 3339
    status: ListStatus | None = None
    error: CiteproofError | None = None

    @property
    def retry_after(self) -> float:
        """Seconds that its home asks to wait; 0: nothing said."""
        return self.error.retry_after if isinstance(self.error, ListDownloadError) else 0.0

    def describe(self) -> str:
        if self.error is not None:
            reason = " ".join(f"{self.error.place}: {self.error.message}".split())
            return f"{self.at} {self.name}: failed, what is installed was kept ({reason[:300]})"
        head = self.status.head if self.status else None
        told = f", {head.day or 'no date'}, {head.entries:,} entries" if head else ""
        return f"{self.at} {self.name}: {self.state}{told}"

    def json(self) -> dict[str, object]:
        head = self.status.head if self.status else None
        return {
            "time": self.at,
            "name": self.name,
            "state": self.state,
            "date": head.day if head else None,
            "entries": head.entries if head else None,
            "sha256": self.status.digest if self.status else None,
            "error": f"{self.error.place}: {self.error.message}" if self.error else None,
        }


def choose_refreshed(settings: Settings, names: Sequence[str] = (), *, every: bool = False) -> list[ListHome]:
    """Return the lists to refresh: those named, or all, else that of retractions and what is installed."""
    if names:
        return [get_list(name) for name in dict.fromkeys(names)]
    store = get_store(settings.cache_dir)
    chosen = [home for home in LISTS.values() if every or not home.optional or store.has_list(home.name)]
    return sorted(chosen, key=lambda home: home.optional and home is not LTWA)  # others need its words


def refresh_lists(
    settings: Settings, clock: Clock, homes: Sequence[ListHome] = (RETRACTION_WATCH,)
) -> list[RefreshOutcome]:
    """Ask the home of each list whether it has changed, and install what has. Nothing is raised for a fault.

    It runs an event loop of its own: inside a running one, call it in a thread.
    """
    return [_refresh_list(settings, clock, home) for home in homes]


def keep_refreshing(
    settings: Settings,
    clock: Clock,
    every: float,
    tell: Callable[[RefreshOutcome], None],
    stop: threading.Event,
    *,
    homes: Sequence[ListHome] = (RETRACTION_WATCH,),
) -> None:
    """Refresh the lists now and then every so many seconds until `stop` is set; `tell` hears each outcome.

    UsageError at once if settings forbid it: nothing would ever come of it.
    """
    for home in homes:
        choose_list_url(settings, home)
    failed = 0
    while not stop.is_set():
        outcomes: list[RefreshOutcome] = []
        for home in homes:
            outcomes += refresh_lists(settings, clock, [home])
            tell(outcomes[-1])
            if stop.is_set():
                return
        failed = failed + 1 if all(one.error for one in outcomes) else 0
        asked = max((one.retry_after for one in outcomes), default=0.0)
        stop.wait(choose_wait(every, failed, asked))


def choose_wait(every: float, failed: int, asked: float = 0.0) -> float:
    """Return the seconds until the next refresh: more after failures, a little more or less at random."""
    wait = max(every, LEAST) * 2.0 ** min(failed, 10)
    wait = max(min(wait, max(MOST, every)), min(asked, MOST))
    return wait * random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311 - no secret


def read_duration(text: str) -> float:
    """Return "30m", "1h", "1d" or "90" as seconds; UsageError for what is shorter than a minute."""
    found = _DURATION.fullmatch(text.strip().lower())
    seconds = float(int(found[1]) * _UNITS[found[2]]) if found else 0.0
    if not LEAST <= seconds <= 365 * MOST:
        hint = "write a number with s, m, h or d, and at least a minute: 30m, 1h, 1d"
        raise UsageError(f"{text[:40]!r} is not an interval", place="--every", hint=hint)
    return seconds


def _refresh_list(settings: Settings, clock: Clock, home: ListHome) -> RefreshOutcome:
    former = open_former(settings, home)
    try:
        status = update_list(settings, clock, home)
    except CiteproofError as error:
        return RefreshOutcome(home.name, "failed", format_timestamp(clock), error=error)
    except OSError as error:  # a full disk, a folder that is gone
        told = UsageError(error.strerror or str(error), place=str(error.filename or home.name))
        return RefreshOutcome(home.name, "failed", format_timestamp(clock), error=told)
    head = status.head
    same = former is not None and head is not None and former.head.source == head.source
    return RefreshOutcome(home.name, "unchanged" if same else "updated", format_timestamp(clock), status)

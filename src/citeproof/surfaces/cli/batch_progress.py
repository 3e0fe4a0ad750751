"""How a batch shows its progress: one live line on a terminal, a line now and then in a pipe."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Self

from citeproof.clock import Clock, SystemClock
from citeproof.reporters.wording import format_count
from citeproof.surfaces.cli.reading_sign import CLEAR, can_clear_lines
from citeproof.surfaces.cli.status_line import format_seconds

if TYPE_CHECKING:
    from citeproof.service.batch.batch_run import BatchProgress

_DRAWN, _PRINTED = 0.2, 30.0  # seconds between two lines: on a terminal, in a pipe
_SURE = 3  # documents that must be done before the rest is estimated


class BatchProgressLine:
    """The line on standard error; drawn by the thread that works, for workers are forks of it."""

    def __init__(self, *, quiet: bool = False, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self._live = not quiet and can_clear_lines()
        self._quiet = quiet
        self._began = self._last = self._clock.elapsed()
        self._drawn = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._drawn:
            sys.stderr.write(CLEAR)
            sys.stderr.flush()

    def tell(self, progress: BatchProgress) -> None:
        """Show how far the run is, if the last time is long enough ago."""
        now = self._clock.elapsed()
        if self._quiet or now - self._last < (_DRAWN if self._live else _PRINTED):
            return
        self._last = now
        line = describe_progress(progress, now - self._began)
        sys.stderr.write(f"{CLEAR}{line}" if self._live else f"{line}\n")
        sys.stderr.flush()
        self._drawn = self._live


def describe_progress(progress: BatchProgress, seconds: float) -> str:
    """Return how far a run is after so many seconds; what a former run did is no measure of speed."""
    parts = [f"{progress.done:,} of {format_count(progress.total, 'document')}"]
    parts += [f"{progress.kept:,} of an earlier run"] if progress.kept else []
    parts.append(format_count(progress.references, "reference"))
    parts += [f"{progress.problems:,} with problems"] if progress.problems else []
    parts += [f"{progress.unchecked:,} not checked"] if progress.unchecked else []
    parts += [f"{format_count(progress.failed, 'document')} failed"] if progress.failed else []
    new, left = progress.done - progress.kept, progress.total - progress.done
    if new >= _SURE and left:
        parts.append(f"about {format_seconds(seconds / new * left)} left")
    return " · ".join(parts)

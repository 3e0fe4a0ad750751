"""A progress bar on standard error, only where a person watches and nothing else is drawn."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, TypeVar

from citeproof.answers.reporters.wording import show_line
from citeproof.reading.extractors.reading_progress import forward_progress

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

CLEAR = "\r\x1b[K"
_WIDEST = 60


class ReadingSign:
    """One line on standard error that the next writer clears first."""

    def __init__(self) -> None:
        self._drawn = False

    @contextmanager
    def show(self, files: Sequence[str]) -> Iterator[None]:
        """Show what is read while the block runs, where a person watches."""
        if can_clear_lines():
            what = f"{len(files):,} files" if len(files) > 1 else show_line("".join(files), _WIDEST)
            sys.stderr.write(f"{CLEAR}reading {'standard input' if what == '-' else what}")
            sys.stderr.flush()
            self._drawn = True
        try:
            yield
        finally:
            self.clear()

    def clear(self) -> None:
        """Take the line away, if it is there."""
        if self._drawn:
            sys.stderr.write(CLEAR)
            sys.stderr.flush()
            self._drawn = False


SIGN = ReadingSign()


def can_clear_lines() -> bool:
    """Return whether standard error is a terminal that can clear a line: TERM=dumb cannot."""
    if not sys.stderr.isatty():
        return False
    try:
        import curses  # noqa: PLC0415 - only where a person watches; Windows has none

        curses.setupterm(fd=sys.stderr.fileno())
    except Exception:  # noqa: BLE001 - a terminal that is not known; nearly all can
        return True
    return curses.tigetstr("el") is not None


_PATIENCE = 0.5  # seconds

Thing = TypeVar("Thing")
Draw = Callable[[int, int], None]  # (done, total)


@contextmanager
def show_bar(word: str, *, quiet: bool = False) -> Iterator[Draw | None]:
    """Yield what draws how many of how many are done; None where no person watches."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    with _make_bar() as bar:
        task = bar.add_task(word)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def show_progress(things: Iterable[Thing], total: int, word: str, *, quiet: bool) -> Iterator[Thing]:
    """Yield `things` unchanged behind a bar that counts them."""
    with show_bar(word, quiet=quiet) as draw:
        for done, thing in enumerate(things, 1):
            yield thing
            if draw:
                draw(done, total)


@contextmanager
def count_progress(total: int, word: str) -> Iterator[Callable[[], None]]:
    """Yield what moves a bar on by one, for things that are done in no order."""
    done = count(1)
    with show_bar(word) as draw:
        yield (lambda: draw(next(done), total)) if draw else lambda: None


def _make_bar() -> Progress:
    from rich.console import Console  # noqa: PLC0415 - costs 50 ms that a pipe need not pay
    from rich.progress import Progress  # noqa: PLC0415 - same

    return Progress(console=Console(stderr=True), transient=True)


@contextmanager
def show_reading_progress(word: str = "reading") -> Iterator[None]:
    """Show how far the reading of a long document is while the block runs; nothing if none is long."""
    if not sys.stderr.isatty():
        yield
        return
    bar = _ReadingBar(word)
    try:
        with forward_progress(bar.draw_progress):
            yield
    finally:
        bar.stop()


class _ReadingBar:
    """A bar that begins once per document has taken so long that somebody wonders."""

    def __init__(self, word: str) -> None:
        self._word = word
        self._after = time.monotonic() + _PATIENCE
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def draw_progress(self, done: int, total: int) -> None:
        """Draw that `done` of `total` parts were read."""
        if self._bar is None and done < total and time.monotonic() > self._after:
            SIGN.clear()
            self._bar = _make_bar()
            self._task = self._bar.add_task(self._word)
            self._bar.start()
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=done, total=total)

    def stop(self) -> None:
        """Leave nothing on the screen."""
        if self._bar is not None:
            self._bar.stop()

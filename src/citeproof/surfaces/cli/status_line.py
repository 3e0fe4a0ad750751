"""What a person at a terminal sees meanwhile: what is read, how far a run is, whom it waits for."""

from __future__ import annotations

import os
import stat
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Self, TextIO, TypeVar

from citeproof.answers.reporters.wording import show_line
from citeproof.reading.extractors.base import forward_progress
from citeproof.vocabulary import Label

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
            self.draw(f"reading {'standard input' if what == '-' else what}")
        try:
            yield
        finally:
            self.clear()

    def draw(self, text: str) -> None:
        """Put a text into the line, as much of it as fits."""
        sys.stdout.flush()
        sys.stderr.write(f"{CLEAR}{show_line(text, measure_terminal())}")
        sys.stderr.flush()
        self._drawn = True

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


def measure_terminal() -> int:
    """Return how many characters fit into one line on standard error."""
    try:
        width = os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except OSError:
        width = 80
    return max(20, width - len("^C") - 1)  # a key that is pressed must not begin another line


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


_EVERY = 0.2  # seconds until the line is drawn anew
_MOST_NAMES = 3
_SURE = 3  # references that must be done before the rest is estimated

Write = Callable[[str], None]


class StatusLine:
    """The line, drawn by a thread of its own on standard error, and only where a person watches."""

    def __init__(
        self,
        total: int,
        labels: Counter[Label | None],
        list_waiting: Callable[[], Mapping[str, str]],
        *,
        shown: bool,
    ) -> None:
        """`labels` counts the references that are checked while it is drawn."""
        self._total, self._labels, self._list_waiting = total, labels, list_waiting
        self._shown = shown and can_clear_lines()
        self._began, self._drawn = time.monotonic(), False
        self._lock, self._end = threading.Lock(), threading.Event()
        self._thread = threading.Thread(target=self._draw_again, name="status line", daemon=True)

    def __enter__(self) -> Self:
        if self._shown:
            self._draw()
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        if self._shown:
            self._thread.join()
            with self._lock:
                SIGN.clear()

    def print_above(self, text: str) -> None:
        """Print a line on standard error; the status line then is below it."""
        with self._lock:
            SIGN.clear()
            print(text, file=sys.stderr)
            if self._drawn:
                self._draw()

    def write_around(self, write: Write) -> Write:
        """Return a function that writes a chunk of the report; the status line is then drawn below it.

        What reads from a pipe writes to the same screen whenever it likes: there the line ends first.
        """
        if not self._shown:
            return write
        piped = _is_pipe(sys.stdout)

        def write_above(chunk: str) -> None:
            with self._lock:
                SIGN.clear()
                if piped and chunk:
                    self._end.set()
                    self._drawn = False
                write(chunk)
                if self._drawn:
                    self._draw()

        return write_above

    def describe(self, seconds: float, width: int = 200) -> str:
        """Return what the line says after so many seconds; fewer sources are named where it is narrow."""
        done = self._labels.total()
        problems = self._labels[Label.MAJOR] + self._labels[Label.MINOR]
        parts = [f"checking: {done:,} of {self._total:,}"]
        parts += [f"{self._labels[Label.EXACT]:,} exact"] if done else []
        parts += [f"{noted:,} with a note"] if (noted := self._labels[Label.NOTED]) else []
        parts += [f"{problems:,} with problems"] if problems else []
        if _SURE <= done < self._total:
            parts.append(f"about {format_seconds(seconds / done * (self._total - done))} left")
        waiting = self._list_waiting()
        named = [f"{name} ({why})" if why else name for name, why in sorted(waiting.items())]
        for most in range(min(_MOST_NAMES, len(named)), -1, -1) if named else ():
            line = " · ".join([*parts, _name_waiting(named, most)])
            if len(line) <= width:
                return line
        return " · ".join(parts)

    def _draw_again(self) -> None:
        while not self._end.wait(_EVERY):
            with self._lock:
                if not self._end.is_set():
                    self._draw()

    def _draw(self) -> None:
        SIGN.draw(self.describe(time.monotonic() - self._began, measure_terminal()))
        self._drawn = True


def _is_pipe(file: TextIO) -> bool:
    try:
        return stat.S_ISFIFO(os.fstat(file.fileno()).st_mode)
    except (OSError, ValueError):  # no real file
        return False


def _name_waiting(named: list[str], most: int) -> str:
    """Return whom the run waits for; `most` of them by name."""
    if most == 0:
        return f"waiting for {len(named)} source{'' if len(named) == 1 else 's'}"
    more = f" and {len(named) - most} more" if len(named) > most else ""
    return f"waiting for {', '.join(named[:most])}{more}"


def format_seconds(seconds: float) -> str:
    """Return a time as a person says it: `40 s`, `3 min`, `2 h 10 min`."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"

"""One line at the bottom of the screen: how far a run is, what it found, whom it waits for, how long yet."""

from __future__ import annotations

import os
import stat
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Self, TextIO

from citeproof.answers.reporters.wording import show_line
from citeproof.surfaces.cli.progress_bar import CLEAR, can_clear_lines
from citeproof.vocabulary import Label

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
                self._clear()

    def print_above(self, text: str) -> None:
        """Print a line on standard error; the status line then is below it."""
        with self._lock:
            self._clear()
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
                self._clear()
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
        try:
            width = os.get_terminal_size(sys.stderr.fileno()).columns or 80
        except OSError:
            width = 80
        width = max(20, width - len("^C") - 1)  # a key that is pressed must not begin another line
        text = show_line(self.describe(time.monotonic() - self._began, width), width)
        sys.stdout.flush()
        sys.stderr.write(f"{CLEAR}{text}")
        sys.stderr.flush()
        self._drawn = True

    def _clear(self) -> None:
        if self._drawn:
            sys.stderr.write(CLEAR)
            sys.stderr.flush()


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

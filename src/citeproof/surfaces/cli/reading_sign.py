"""A word on the screen from the first moment: which document is read, until there is more to tell."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from citeproof.answers.reporters.wording import show_line

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

"""How far the reading of a long document has come, for the caller that shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Tell = Callable[[int, int], None]  # done, of so many


def _ignore_progress(done: int, total: int) -> None:
    """Tell no one."""


_told: ContextVar[Tell] = ContextVar("told", default=_ignore_progress)


def report_progress(done: int, total: int) -> None:
    """Say that `done` of `total` parts (pages, members) of the document were read."""
    _told.get()(done, total)


@contextmanager
def forward_progress(listener: Tell) -> Iterator[None]:
    """Hand what `report_progress` says inside this block to `listener`."""
    token = _told.set(listener)
    try:
        yield
    finally:
        _told.reset(token)

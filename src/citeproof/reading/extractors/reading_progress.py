"""How far the reading of a long document has come, for the caller that shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Tell = Callable[[int, int], None]  # done, of so many


def _ignore_progress(done: int, total: int) -> None:
    """Report nothing."""


_listener: ContextVar[Tell] = ContextVar("listener", default=_ignore_progress)


def report_progress(done: int, total: int) -> None:
    """Say that `done` of `total` parts (pages, members) of the document were read."""
    _listener.get()(done, total)


@contextmanager
def forward_progress(listener: Tell) -> Iterator[None]:
    """Hand what `report_progress` says inside this block to `listener`."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)

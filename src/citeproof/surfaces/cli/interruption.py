"""Ctrl-C ends a run in good order: what was answered is kept and shown. A second one ends it at once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterable, Iterator
from types import FrameType
from typing import Self, TypeVar

Thing = TypeVar("Thing")


class Interruption:
    """Whether somebody asked the run to end; as a context it takes Ctrl-C until its end."""

    def __init__(self) -> None:
        self.asked = False
        self._waiting = False
        self._before: object = None

    def __enter__(self) -> Self:
        ours = threading.current_thread() is threading.main_thread()
        if ours and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before = signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def watch(self, things: Iterable[Thing]) -> Iterator[Thing]:
        """Yield the things until somebody asks to end."""
        iterator = iter(things)
        try:
            while not self.asked:
                try:
                    self._waiting = True
                    one = next(iterator)
                except StopIteration:
                    return
                except KeyboardInterrupt:
                    self.asked = True
                    return
                finally:
                    self._waiting = False
                yield one
        finally:
            if isinstance(iterator, Iterator) and hasattr(iterator, "close"):
                iterator.close()

    def _handle(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        if self._waiting or self.asked:
            raise KeyboardInterrupt
        self.asked = True

"""An event loop for callers that are not asynchronous, or that are called from inside another loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")


class SyncLoop:
    """One loop from the first call to the last; in its own thread if a loop is already running here.

    Only there: Ctrl-C ends what runs in this thread, and a process with threads is not forked.
    """

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self._thread = ThreadPoolExecutor(1, "citeproof-corpus") if _is_loop_running() else None

    def call(self, do: Callable[_P, _T], *given: _P.args, **named: _P.kwargs) -> _T:
        """Return what a plain function returns, called where the loop runs."""
        return (
            do(*given, **named) if self._thread is None else self._thread.submit(do, *given, **named).result()
        )

    def run(self, do: Callable[_P, Coroutine[Any, Any, _T]], *given: _P.args, **named: _P.kwargs) -> _T:
        """Return what an asynchronous function returns."""
        return self.call(lambda: self._runner.run(do(*given, **named)))

    def close(self) -> None:
        """End the loop and its thread."""
        try:
            self.call(self._runner.close)
        finally:
            if self._thread is not None:
                self._thread.shutdown()


def _is_loop_running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True

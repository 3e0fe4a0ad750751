"""The bridge from plain code to asynchronous code, also from inside another event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, Self, TypeVar

_T = TypeVar("_T")


class BackgroundLoop:
    """Runs coroutines in a daemon thread; safe from several threads and from inside a running loop.

    Ctrl-C in the calling thread ends the wait and cancels the work. With `alone` there is one caller, and a
    thread only where a loop runs here already: a process with threads cannot be forked.
    """

    def __init__(self, name: str, *, alone: bool = False) -> None:
        self._name = name
        self._runner = asyncio.Runner() if alone and not _is_loop_running() else None
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def run(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Return what `work` returns; wait for it in this thread."""
        if self._runner is not None:
            return self._runner.run(work)
        future = asyncio.run_coroutine_threadsafe(work, self._start())
        try:
            return future.result()
        finally:
            future.cancel()

    async def arun(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Return what `work` returns; wait for it in the caller's loop."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._start()))

    def close(self) -> None:
        if self._runner is not None:
            self._runner.close()
        with self._lock:
            loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
        if loop is not None and thread is not None:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = loop = asyncio.new_event_loop()

                def serve_loop() -> None:
                    with asyncio.Runner(loop_factory=lambda: loop) as runner:
                        runner.get_loop().run_forever()

                self._thread = threading.Thread(target=serve_loop, name=self._name, daemon=True)
                self._thread.start()
            return self._loop


def _is_loop_running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True

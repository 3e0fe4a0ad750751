"""Who waits for news of a job: listeners in any event loop, woken from any thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

PATIENCE = 2.0  # seconds after which a listener looks by itself: another process may have done the work


@dataclass(slots=True, eq=False)
class JobListener:
    """One waiter: wakes when its job has changed, and every few seconds."""

    loop: asyncio.AbstractEventLoop
    event: asyncio.Event = field(default_factory=asyncio.Event)

    async def wait(self) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self.event.wait(), PATIENCE)
        self.event.clear()


class JobSignals:
    """All listeners of one process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listeners: dict[str, set[JobListener]] = {}

    @contextmanager
    def listen(self, job: str) -> Iterator[JobListener]:
        listener = JobListener(asyncio.get_running_loop())
        with self._lock:
            self._listeners.setdefault(job, set()).add(listener)
        try:
            yield listener
        finally:
            with self._lock:
                left = self._listeners.get(job, set())
                left.discard(listener)
                if not left:
                    self._listeners.pop(job, None)

    def tell(self, job: str) -> None:
        with self._lock:
            listeners = list(self._listeners.get(job, ()))
        for listener in listeners:
            with suppress(RuntimeError):  # its loop is closed
                listener.loop.call_soon_threadsafe(listener.event.set)

    def close(self) -> None:
        """Wake everybody: the server stops."""
        for job in list(self._listeners):
            self.tell(job)

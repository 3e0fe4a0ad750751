"""How often each server may be asked by several machines: the limits of `rate_limiter`, in PostgreSQL.

While the database is away, the limits are those of this machine's own files.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from citeproof.plumbing.clock import Clock
from citeproof.plumbing.net.message import Rate
from citeproof.plumbing.net.rate_limiter import ServerLimiter, ServerState, decode_state
from citeproof.plumbing.stores.postgres_limits import PostgresLimits, SharedSlot


class CrossMachineLimiter(ServerLimiter):
    """The state of one server that several machines share."""

    look_again = (0.05, 0.2)  # a question over the network each time

    def __init__(self, folder: Path, name: str, rate: Rate, clock: Clock, limits: PostgresLimits) -> None:
        super().__init__(folder, name, rate, clock)
        self._limits = limits

    def now(self) -> float:
        return self._limits.now()

    def look(self) -> ServerState:
        data = self._limits.read(self.name)
        if data is None:
            return super().look()
        self._last = decode_state(data)
        return self._last

    @contextmanager
    def change(self) -> Iterator[ServerState]:
        with self._limits.change(self.name) as row:
            if row is not None:
                state = decode_state(row.data)
                yield state
                row.data = msgspec.json.encode(state)
                return
        with super().change() as state:
            yield state

    def take_slot(self) -> int | SharedSlot | None:
        taken = self._limits.take_slot(self.name, self.rate.at_once)
        if taken is None:
            return super().take_slot()
        return taken if isinstance(taken, SharedSlot) else None

    def free_slot(self, slot: int | SharedSlot) -> None:
        if isinstance(slot, SharedSlot):
            self._limits.free_slot(slot)
        else:
            super().free_slot(slot)

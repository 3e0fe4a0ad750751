"""How often each server may be asked by several machines: the limits of `rate_limiter`, in PostgreSQL.

There is a row and some locks for each server. A state is changed by one process at a time. A slot is a lock
of the connection: the server frees it with the process, so `kill -9` leaks none; a machine that falls silent
loses its own within a minute. All moments are those of the database's clock. While the database is away, the
limits are those of this machine's own files.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from citeproof.plumbing.clock import Clock
from citeproof.plumbing.net.message import Rate
from citeproof.plumbing.net.rate_limiter import ServerLimiter, ServerState, decode_state
from citeproof.plumbing.store_address import StoreAddress
from citeproof.plumbing.stores.postgres_cache import PostgresCache
from citeproof.plumbing.stores.postgres_database import import_postgres
from citeproof.plumbing.stores.sqlite_file import StoreTables

if TYPE_CHECKING:
    import psycopg

SCHEMA = "citeproof_limits"
_LOST = "limits hold on this machine alone"
_TABLES = StoreTables(
    "limits", "CREATE TABLE IF NOT EXISTS limits (name TEXT PRIMARY KEY, state BLOB NOT NULL)"
)
_COMPARED = 5  # answers of which the quickest gives the time
_DRIFT = 600.0  # seconds after which the clocks are compared again
_SILENT = ("SET tcp_keepalives_idle = 15", "SET tcp_keepalives_interval = 5", "SET tcp_keepalives_count = 3")


@dataclass(slots=True)
class LimitRow:
    """The state of one server while it is changed; `data` is written at the end."""

    data: bytes


@dataclass(frozen=True, slots=True)
class SharedSlot:
    """One open request among those of all machines."""

    name: str
    number: int
    session: int  # of the connection that has the lock


class PostgresLimits:
    """The limits at one address, for one client. While the server is away every answer is None."""

    def __init__(self, address: StoreAddress, clock: Clock) -> None:
        self._clock = clock
        self._cache = PostgresCache(
            address, _TABLES, _LOST, schema=SCHEMA, enter=self._enter, clock=clock, durable=False
        )
        self._offset, self._compared = 0.0, 0.0
        self._session = 0
        self._held: set[tuple[str, int]] = set()

    @property
    def trouble(self) -> str:
        """Why limits are not shared; empty while they are."""
        return self._cache.trouble

    def require(self) -> None:
        self._cache.require()

    def now(self) -> float:
        """Return the seconds since 1970 on the clock of the database."""
        if not self._session:
            self._cache.run(lambda _: None)
        return self._clock.now().timestamp() + self._offset

    def read(self, name: str) -> bytes | None:
        """Return the state of a server; empty if none was written."""

        def look(connection: psycopg.Connection) -> bytes:
            if self._clock.elapsed() - self._compared > _DRIFT:
                self._compare_clocks(connection)
            row = connection.execute("SELECT state FROM limits WHERE name = %s", (name,)).fetchone()
            return bytes(row[0]) if row else b""

        return self._cache.run(look)

    @contextmanager
    def change(self, name: str) -> Iterator[LimitRow | None]:
        """Yield the state of a server, alone among all machines; what its `data` is then is written."""
        with self._cache.lock:
            locked = self._cache.run(lambda connection: self._lock_row(connection, name))
            if locked is not None:
                connection, row = locked
                try:
                    yield row
                except BaseException:
                    self._end(connection, "ROLLBACK")
                    raise
                self._end(connection, "UPDATE limits SET state = %s WHERE name = %s", (row.data, name))
                return
        yield None

    @staticmethod
    def _lock_row(connection: psycopg.Connection, name: str) -> tuple[psycopg.Connection, LimitRow]:
        """Return the state, with the row locked and a transaction open."""
        read = "SELECT state FROM limits WHERE name = %s FOR UPDATE"
        try:
            connection.execute("BEGIN")
            row = connection.execute(read, (name,)).fetchone()
            if row is None:
                add = "INSERT INTO limits VALUES (%s, '') ON CONFLICT (name) DO NOTHING"
                connection.execute(add, (name,))
                row = connection.execute(read, (name,)).fetchone()
        except BaseException:
            if not connection.closed and not connection.broken:
                connection.rollback()
            raise
        return connection, LimitRow(bytes(row[0]) if row else b"")

    def _end(self, connection: psycopg.Connection, statement: str, values: tuple[object, ...] = ()) -> None:
        """Run the last statement of a transaction; if that fails, the state stays as it was."""
        library = import_postgres()
        try:
            connection.execute(statement.encode(), values)
            if values:
                connection.execute("COMMIT")
        except library.Error as error:
            self._cache.note_fault(error)

    def take_slot(self, name: str, most: int) -> SharedSlot | bool | None:
        """Return one of `most` slots, False if all are taken, None while the server is away."""

        def lock(connection: psycopg.Connection) -> SharedSlot | bool:
            free = [number for number in range(most) if (name, number) not in self._held]
            if not free:
                return False
            cases = " ".join("WHEN pg_try_advisory_lock(%s) THEN %s::int" for _ in free)  # tried in order
            values = [value for number in free for value in (_hash_slot(name, number), number)]
            row = connection.execute(f"SELECT CASE {cases} END".encode(), values).fetchone()
            if row is None or row[0] is None:
                return False
            self._held.add((name, row[0]))
            return SharedSlot(name, row[0], self._session)

        return self._cache.run(lock)

    def free_slot(self, slot: SharedSlot) -> None:
        """Give a slot back; one of a connection that broke is free already."""

        def unlock(connection: psycopg.Connection) -> None:
            if slot.session == self._session:
                self._held.discard((slot.name, slot.number))
                connection.execute("SELECT pg_advisory_unlock(%s)", (_hash_slot(slot.name, slot.number),))

        self._cache.run(unlock)

    def close(self) -> None:
        """Let go of the connection, and of all slots."""
        self._held.clear()
        self._session += 1
        self._cache.close()

    def _enter(self, connection: psycopg.Connection) -> None:
        """Compare the clocks; the slots of an earlier connection are gone."""
        self._session += 1
        self._held.clear()
        for statement in _SILENT:
            connection.execute(statement.encode())
        self._compare_clocks(connection)

    def _compare_clocks(self, connection: psycopg.Connection) -> None:
        """Learn how far the clock of the database is ahead, from the quickest of a few answers."""
        seen = []
        for _ in range(_COMPARED):
            before, began = self._clock.now().timestamp(), self._clock.elapsed()
            row = connection.execute("SELECT extract(epoch FROM clock_timestamp())::float8").fetchone()
            assert row is not None
            took = self._clock.elapsed() - began
            seen.append((took, row[0] - before - took / 2))
        self._offset, self._compared = min(seen)[1], self._clock.elapsed()


def _hash_slot(name: str, number: int) -> int:
    digest = blake2b(f"citeproof slot {name} {number}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, signed=True)


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

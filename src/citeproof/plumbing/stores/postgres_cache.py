"""Tables of a PostgreSQL database that may be lost, with the calls of `CacheDatabase`: never fatal.

Every statement may be run twice: what fails is tried again, with a new connection if the old one broke. While
the server is away, no question has rows and nothing is written; `trouble` says why.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from citeproof.errors import StoreUnreachableError, UsageError
from citeproof.plumbing.clock import Clock, SystemClock
from citeproof.plumbing.store_address import StoreAddress
from citeproof.plumbing.stores.postgres_database import PostgresLink, import_postgres, translate_marks
from citeproof.plumbing.stores.sqlite_file import StoreTables

if TYPE_CHECKING:
    import psycopg

PAUSE = 30.0  # seconds for which a server that is away is not tried again
SESSION = (  # no process waits for long, and one that stands still does not hold up the others
    "SET statement_timeout = '20s'",
    "SET lock_timeout = '10s'",
    "SET idle_in_transaction_session_timeout = '10s'",
)
_TRIES = 3
_Made = TypeVar("_Made")


class PostgresCache:
    """The tables of one store. Connected at the first call; every method is safe between threads."""

    def __init__(
        self,
        address: StoreAddress,
        tables: StoreTables,
        lost: str,
        *,
        schema: str,
        enter: Callable[[psycopg.Connection], None] | None = None,
        clock: Clock | None = None,
        durable: bool = True,
    ) -> None:
        """`lost` says what a fault costs; `enter` is called with each new connection, in a transaction.

        Not `durable`: a crash of the server may lose what was written in its last second.
        """
        self.address, self.trouble = address, ""
        session = SESSION if durable else (*SESSION, "SET synchronous_commit = off")
        self._link = PostgresLink(address.reveal(), tables, schema=schema, session=session)
        self._lost, self._enter, self._clock = lost, enter, clock or SystemClock()
        self._away = float("-inf")  # since when the server is
        self.lock = threading.RLock()

    def require(self) -> None:
        """Raise a UsageError if the database cannot be used now."""
        library = import_postgres()
        with self.lock:
            try:
                self._connect()
            except (library.Error, StoreUnreachableError) as error:
                fault = error if isinstance(error, StoreUnreachableError) else self._link.make_fault(error)
                raise UsageError(fault.message, place=fault.place, hint=fault.hint) from error

    def ask(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a question; none if the database cannot be read."""
        if not _can_hold(values):
            return []

        def read(connection: psycopg.Connection) -> list[tuple[Any, ...]]:
            cursor = connection.execute(translate_marks(statement), values)
            return cursor.fetchall() if cursor.description else []

        return self.run(read) or []

    def write(self, *steps: tuple[str, Sequence[tuple[object, ...]]]) -> None:
        """Run each statement for each of its rows, all in one transaction."""
        fitting = [(translate_marks(text), [row for row in rows if _can_hold(row)]) for text, rows in steps]

        def change(connection: psycopg.Connection) -> None:
            with connection.transaction(), connection.cursor() as cursor:
                for statement, rows in fitting:
                    if rows:
                        cursor.executemany(statement, rows)

        if any(rows for _, rows in fitting):
            self.run(change)

    def run(self, work: Callable[[psycopg.Connection], _Made]) -> _Made | None:
        """Return what `work` gives, tried again after a fault; None while the server is away."""
        library = import_postgres()
        with self.lock:
            if self._clock.elapsed() < self._away + PAUSE:
                return None
            for tried in range(1, _TRIES + 1):
                try:
                    return work(self._connect())
                except (library.Error, StoreUnreachableError) as error:
                    connection = self._link.connection  # whole, for example, after a deadlock
                    if connection is None or connection.closed or connection.broken:
                        self._link.close()
                    if tried == _TRIES or not isinstance(error, library.OperationalError):
                        self.note_fault(error)
        return None

    def note_fault(self, error: Exception) -> None:
        """Say what is wrong, and let the server alone for a while."""
        library = import_postgres()
        fault = self._link.make_fault(error) if isinstance(error, library.Error) else error
        why = fault.message if isinstance(fault, StoreUnreachableError) else str(fault)
        self.trouble = self.trouble or f"{self.address}: {self._lost}: {why}"
        self._link.close()
        self._away = self._clock.elapsed()

    def close(self) -> None:
        with self.lock:
            self._link.close()

    def _connect(self) -> psycopg.Connection:
        fresh = self._link.connection is None
        connection = self._link.open()
        if fresh and self._enter is not None:
            with connection.transaction():
                self._enter(connection)
        return connection


def _can_hold(values: Sequence[object]) -> bool:
    """Return whether PostgreSQL can hold all values: no text of it has a NUL or half a character."""
    try:
        return not any(isinstance(value, str) and b"\0" in value.encode() for value in values)
    except UnicodeEncodeError:
        return False

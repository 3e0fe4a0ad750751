"""The tables of one store in a PostgreSQL database, with the calls of `StoreDatabase`. Extra `[postgres]`.

Whether the server is still there is asked before each call: after a call that failed, it is unknown what was
done. What cannot be written must be known: every fault is a `StoreUnreachableError`.
"""

from __future__ import annotations

import threading
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from citeproof.plumbing.store_address import is_postgres_url
from citeproof.plumbing.stores.postgres_link import (
    CONNECTION_OPTIONS,
    PostgresLink,
    import_postgres,
    translate_marks,
)
from citeproof.plumbing.stores.sqlite_file import StoreTables
from citeproof.plumbing.stores.store_database import StoreDatabase

if TYPE_CHECKING:
    import psycopg

_CHANNEL = "citeproof_jobs"
# The end of a statement that changes rows of `jobs`: a notice leaves with the transaction that changed them.
TELL = f"RETURNING pg_notify('{_CHANNEL}', state || ' ' || id)"
AT_ONCE = 250  # rows of one statement; PostgreSQL takes 65,535 values
_Made = TypeVar("_Made")


class PostgresDatabase:
    """The tables of one store at a URL. Connected at the first call; every method is safe between threads."""

    def __init__(self, url: str, tables: StoreTables) -> None:
        self.url = url
        self._link = PostgresLink(url, tables)
        self._lock = threading.RLock()

    def read(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a question, or of a statement that returns what it changed."""
        clean = _clean_values(values)

        def run(connection: psycopg.Connection) -> list[tuple[Any, ...]]:
            return connection.execute(translate_marks(statement), clean).fetchall()

        return self._run(run)

    def write(self, statement: str, rows: Iterable[Sequence[object]]) -> int:
        """Return how many rows a statement changed, run for each of `rows` in one durable transaction."""
        cleaned = [_clean_values(row) for row in rows]

        def run(connection: psycopg.Connection) -> int:
            with connection.transaction(), connection.cursor() as cursor:
                changed = 0
                for row in cleaned:
                    cursor.execute(translate_marks(statement), row)
                    changed += cursor.rowcount
                return changed

        return self._run(run)

    def insert(self, head: str, rows: Sequence[Sequence[object]], tail: str = "") -> None:
        """Add `rows` in one durable transaction, hundreds in one statement."""

        def run(connection: psycopg.Connection) -> None:
            with connection.transaction():
                for start in range(0, len(rows), AT_ONCE):
                    some = rows[start : start + AT_ONCE]
                    marks = ",".join([f"({','.join(['%s'] * len(some[0]))})"] * len(some))
                    values = [value for row in some for value in _clean_values(row)]
                    connection.execute(f"{head} VALUES {marks} {tail}".encode(), values)

        self._run(run)

    def close(self) -> None:
        with self._lock:
            self._link.close()

    def _run(self, work: Callable[[psycopg.Connection], _Made]) -> _Made:
        with self._lock:
            library = import_postgres()
            try:
                if self._link.connection is not None and self._is_gone(self._link.connection):
                    self._link.close()
                return work(self._link.open())
            except library.Error as error:
                self._link.close()
                raise self._link.make_fault(error) from error

    def _is_gone(self, connection: psycopg.Connection) -> bool:
        if connection.closed or connection.broken:
            return True
        try:
            connection.execute("SELECT 1")
        except import_postgres().Error:
            return True
        return False


def open_store_database(
    where: Path | str, file: str, tables: StoreTables
) -> StoreDatabase | PostgresDatabase:
    """Return a store in a file of a folder, or in the database at a `postgresql://` address."""
    if isinstance(where, str) and is_postgres_url(where):
        return PostgresDatabase(where, tables)
    return StoreDatabase(Path(where) / file, tables)


def _clean_values(values: Iterable[object]) -> list[object]:
    """Return values as PostgreSQL can hold them: no text of it has a NUL or half a character."""
    return [
        value.replace("\0", "\ufffd").encode("utf-8", "replace").decode() if isinstance(value, str) else value
        for value in values
    ]


@dataclass(frozen=True, slots=True)
class JobNotice:
    """A job that has changed, and the state it is in. Both are empty when listening begins.

    Nothing rests on it: a server that misses one finds the job a little later, since every server also looks.
    """

    state: str = ""
    job: str = ""


async def read_notices(url: str) -> AsyncGenerator[JobNotice]:
    """Yield an empty notice as soon as none is missed any more, then each; end when the server is gone."""
    library = import_postgres()
    try:
        async with await library.AsyncConnection.connect(
            url, autocommit=True, **CONNECTION_OPTIONS
        ) as connection:
            await connection.execute(f"LISTEN {_CHANNEL}")
            yield JobNotice()
            async for notice in connection.notifies():
                yield JobNotice(*notice.payload.split(" ", 1))
    except library.Error:
        return

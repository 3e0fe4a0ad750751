"""The tables of one store in a PostgreSQL database, with the calls of `StoreDatabase`. Extra `[postgres]`.

Statements are written once, for SQLite: their marks and column types are translated here. Whether the
server is still there is asked before each call: after a call that failed, nobody knows what was done.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from citeproof.errors import AuditError, UsageError

if TYPE_CHECKING:
    import psycopg

SCHEMES = ("postgresql://", "postgres://")
AT_ONCE = 250  # rows of one statement; PostgreSQL takes 65,535 values
PATIENCE = 10  # seconds for a connection
_SETUP_LOCK = 7_203_511  # one process makes the tables, the others wait
_TYPES = (
    (re.compile(r"\bBLOB\b"), "BYTEA"),
    (re.compile(r"\bREAL\b"), "DOUBLE PRECISION"),
    (re.compile(r"\bINTEGER\b"), "BIGINT"),
    (re.compile(r"\)\s{0,9}STRICT(?:, WITHOUT ROWID)?"), ")"),
)
_Made = TypeVar("_Made")


class PostgresDatabase:
    """The tables of one store at a URL. Connected at the first call; every method is safe between threads."""

    def __init__(self, url: str, tables: str) -> None:
        self.url = url
        self._tables = tables
        self._connection: psycopg.Connection | None = None
        self._lock = threading.RLock()

    def read(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a question, or of a statement that returns what it changed."""

        def run(connection: psycopg.Connection) -> list[tuple[Any, ...]]:
            return connection.execute(_translate_marks(statement), values).fetchall()

        return self._run(run)

    def write(self, statement: str, rows: Iterable[Sequence[object]]) -> int:
        """Return how many rows a statement changed, run for each of `rows` in one durable transaction."""
        kept = list(rows)

        def run(connection: psycopg.Connection) -> int:
            with connection.transaction(), connection.cursor() as cursor:
                changed = 0
                for row in kept:
                    cursor.execute(_translate_marks(statement), row)
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
                    values = [value for row in some for value in row]
                    connection.execute(f"{head} VALUES {marks} {tail}".encode(), values)

        self._run(run)

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _run(self, work: Callable[[psycopg.Connection], _Made]) -> _Made:
        with self._lock:
            library = _import_library()
            try:
                if self._connection is not None and self._is_gone(self._connection):
                    self.close()
                return work(self._open())
            except library.Error as error:
                self.close()
                raise self._make_fault(error) from error

    def _is_gone(self, connection: psycopg.Connection) -> bool:
        """Return whether the server has left since the last call."""
        if connection.closed or connection.broken:
            return True
        try:
            connection.execute("SELECT 1")
        except _import_library().Error:
            return True
        return False

    def _open(self) -> psycopg.Connection:
        if self._connection is None:
            connection = _import_library().connect(self.url, autocommit=True, connect_timeout=PATIENCE)
            try:
                with connection.transaction():
                    connection.execute("SELECT pg_advisory_xact_lock(%s)", (_SETUP_LOCK,))
                    for statement in filter(str.strip, translate_tables(self._tables).split(";")):
                        connection.execute(statement.encode())
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _make_fault(self, error: Exception) -> AuditError:
        said = " ".join(str(error).split())[:300]
        return AuditError(
            f"cannot be read or written: {said}",
            place=hide_password(self.url),
            hint="is the PostgreSQL server running, and may this user use the database?",
        )


def is_postgres_url(where: str) -> bool:
    """Return whether a store is named by the address of a PostgreSQL database."""
    return where.startswith(SCHEMES)


def hide_password(url: str) -> str:
    """Return the address of a database as it may be shown: without user, password and parameters."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}"


def translate_tables(tables: str) -> str:
    """Return SQLite's `CREATE` statements for PostgreSQL."""
    for pattern, replacement in _TYPES:
        tables = pattern.sub(replacement, tables)
    return tables


def _translate_marks(statement: str) -> bytes:
    return statement.replace("?", "%s").encode()


def _import_library() -> ModuleType:
    try:
        import psycopg  # noqa: PLC0415 - an extra
    except ImportError as error:
        hint = "pip install 'citeproof[postgres]'"
        raise UsageError("a PostgreSQL store needs psycopg", place="--store", hint=hint) from error
    return psycopg

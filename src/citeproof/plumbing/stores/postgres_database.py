"""The tables of one store in a PostgreSQL database, with the calls of `StoreDatabase`. Extra `[postgres]`.

Whether the server is still there is asked before each call: after a call that failed, it is unknown what was
done. What cannot be written must be known: every fault is a `StoreUnreachableError`.

A process has one connection for a store. Statements are written once, for SQLite: their marks and column
types are translated here. A password of the address is in no message.
"""

from __future__ import annotations

import os
import threading
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote

from citeproof.errors import StoreUnreachableError, UsageError
from citeproof.plumbing.clock import SystemClock
from citeproof.plumbing.store_address import hide_password, is_postgres_url
from citeproof.plumbing.stores.sqlite_file import StoreTables
from citeproof.plumbing.stores.store_database import StoreDatabase
from citeproof.text import lazy_patterns as re

if TYPE_CHECKING:
    import psycopg
    from psycopg.abc import PQGen

_CHANNEL = "citeproof_jobs"
# The end of a statement that changes rows of `jobs`: a notice leaves with the transaction that changed them.
TELL = f"RETURNING pg_notify('{_CHANNEL}', state || ' ' || id)"
AT_ONCE = 250  # rows of one statement; PostgreSQL takes 65,535 values
_Made = TypeVar("_Made")
PATIENCE = 10  # seconds for a connection
SILENCE = 60.0  # seconds without a byte: the server stands still; it gives up a statement itself before that
_SETUP_LOCK = 7_203_511  # one process makes the tables, the others wait
_VERSIONS = "CREATE TABLE IF NOT EXISTS citeproof_versions (store TEXT PRIMARY KEY, version BIGINT NOT NULL)"
# A server or a client that is gone is noticed in half a minute, also without a word from it.
CONNECTION_OPTIONS: dict[str, Any] = {
    "keepalives_idle": 15,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,  # ms
    "connect_timeout": PATIENCE,
    "application_name": "citeproof",
}
_TYPES = (
    (re.compile(r"\bBLOB\b"), "BYTEA"),
    (re.compile(r"\bTEXT\b"), 'TEXT COLLATE "C"'),  # as SQLite compares, whatever the language of the server
    (re.compile(r"\bREAL\b"), "DOUBLE PRECISION"),
    (re.compile(r"\bINTEGER\b"), "BIGINT"),
    (re.compile(r"\)\s{0,9}(?:STRICT|WITHOUT ROWID)(?:, WITHOUT ROWID)?"), ")"),
)

_Answer = TypeVar("_Answer")
_INHERITED: list[object] = []  # connections of parents: a fork does not touch them, not even to close them


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


class PostgresLink:
    """A connection that is made when it is needed, again after a fork. The caller locks it among threads."""

    def __init__(
        self, url: str, tables: StoreTables, *, schema: str = "", session: Sequence[str] = ()
    ) -> None:
        """`schema`: where the tables are, if not in the usual one; `session`: run for each new connection."""
        self.url, self._tables, self._schema, self._session = url, tables, schema, tuple(session)
        self._connection: psycopg.Connection | None = None
        self._process = 0  # that opened it: a forked child must not use its parent's connection

    @property
    def connection(self) -> psycopg.Connection | None:
        """The connection of this process if it is open."""
        if self._connection is not None and self._process != os.getpid():
            _INHERITED.append(self._connection)
            self._connection = None
        return self._connection

    def open(self) -> psycopg.Connection:
        """Return the connection; errors are those of psycopg, and of tables of a later version."""
        if self.connection is None:
            made = _make_connection_class().connect(self.url, autocommit=True, **CONNECTION_OPTIONS)
            try:
                self._prepare(made)
            except BaseException:
                made.close()
                raise
            self._connection, self._process = made, os.getpid()
        assert self._connection is not None
        return self._connection

    def close(self) -> None:
        """Let go of the connection, and of all that the server holds for it."""
        if self.connection is not None:
            self.connection.close()
            self._connection = None

    def make_fault(self, error: Exception) -> StoreUnreachableError:
        library, message = import_postgres(), " ".join(str(error).split())
        try:
            secret = str(library.conninfo.conninfo_to_dict(self.url).get("password") or "")
            for word in {secret, unquote(secret)} if secret else ():
                message = message.replace(word, "***")
        except library.Error:  # where its password is, is unknown: nothing is repeated
            message = "the address is not well formed (in user and password, write special characters as %XX)"
        hint = "is the PostgreSQL server running, and may this user use the database?"
        message = f"cannot be read or written: {message[:300]}"
        return StoreUnreachableError(message, place=hide_password(self.url), hint=hint)

    def _prepare(self, connection: psycopg.Connection) -> None:
        """Make the tables, or bring those of an older version up to date; refuse those of a later one."""
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_SETUP_LOCK,))
            if self._schema:
                known = connection.execute("SELECT to_regnamespace(%s)", (self._schema,)).fetchone()
                if not known or known[0] is None:  # who may not make schemas can be given one
                    connection.execute(f"CREATE SCHEMA {self._schema}".encode())
                connection.execute(f"SET search_path TO {self._schema}".encode())
            connection.execute(_VERSIONS.encode())
            question = "SELECT version FROM citeproof_versions WHERE store = %s"
            known = connection.execute(question, (self._tables.name,)).fetchone()
            version = known[0] if known else 0
            if version > self._tables.version:
                raise StoreUnreachableError(
                    "a later version of citeproof wrote this",
                    place=f"{hide_password(self.url)} ({self._tables.name})",
                    hint="use that version here too, or another database",
                )
            if version < self._tables.version:
                for statement in self._tables.list_steps(version):
                    connection.execute(translate_tables(statement).encode())
                connection.execute(
                    "INSERT INTO citeproof_versions VALUES (%s, %s) "
                    "ON CONFLICT (store) DO UPDATE SET version = excluded.version",
                    (self._tables.name, self._tables.version),
                )
        for statement in self._session:
            connection.execute(statement.encode())


def translate_tables(tables: str) -> str:
    """Return SQLite's `CREATE` statements for PostgreSQL."""
    for pattern, replacement in _TYPES:
        tables = pattern.sub(replacement, tables)
    return tables


def translate_marks(statement: str) -> bytes:
    """Return a statement of SQLite with the marks of psycopg."""
    return statement.replace("?", "%s").encode()


@cache
def _make_connection_class() -> type[psycopg.Connection]:
    """Return connections that break when the server keeps silent: psycopg would wait for it for ever."""
    import_postgres()
    import psycopg  # noqa: PLC0415 - an extra

    class BoundedConnection(psycopg.Connection):
        """A connection whose answers come in time."""

        def wait(self, gen: PQGen[_Answer], interval: float = 0.1) -> _Answer:
            try:
                return super().wait(_limit_silence(gen), interval)
            except TimeoutError as error:
                self.close()
                raise psycopg.OperationalError(str(error)) from error

    return BoundedConnection


def _limit_silence(work: PQGen[_Answer]) -> PQGen[_Answer]:
    """Do what `work` does; TimeoutError if it has to wait for too long. psycopg reports every moment."""
    clock = SystemClock()
    try:
        wanted, begun = next(work), clock.elapsed()
        while True:
            ready = yield wanted
            if ready:
                begun = clock.elapsed()
            elif clock.elapsed() - begun > SILENCE:
                raise TimeoutError(f"no answer within {SILENCE:.0f} s")
            wanted = work.send(ready)
    except StopIteration as end:
        answer: _Answer = end.value
        return answer


def import_postgres() -> ModuleType:
    """Return psycopg; UsageError if it is not installed."""
    try:
        import psycopg  # noqa: PLC0415 - an extra
    except ImportError as error:
        hint = "pip install 'citeproof[postgres]'"
        raise UsageError("a PostgreSQL store needs psycopg", place="PostgreSQL", hint=hint) from error
    return psycopg

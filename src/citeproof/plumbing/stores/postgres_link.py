"""One connection of a process to a PostgreSQL database, with the tables of one store. Extra `[postgres]`.

Statements are written once, for SQLite: their marks and column types are translated here. A password of the
address is in no message.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote

from citeproof.errors import StoreUnreachableError, UsageError
from citeproof.plumbing.clock import SystemClock
from citeproof.plumbing.store_address import hide_password
from citeproof.plumbing.stores.sqlite_file import StoreTables
from citeproof.text import lazy_patterns as re

if TYPE_CHECKING:
    import psycopg
    from psycopg.abc import PQGen

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

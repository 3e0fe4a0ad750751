"""The one way to SQLite: how our own file is connected to, given its tables, and written.

What a fault costs is decided above: `cache_database` continues without the file, `store_database` must tell.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from citeproof.vocabulary.quick_dataclass import dataclass

_ATTEMPTS, _PAUSE = 100, 0.05  # seconds between them
ENDINGS = ("", "-wal", "-shm")  # of a database and of what is next to it while it is written


@dataclass(frozen=True, slots=True)
class StoreTables:
    """`made` makes the tables of version 1; each of `changes` leads from one version to the next.

    A new store goes through all of them, so that there is one way only. No statement has a `;` inside.
    """

    name: str  # under which a database of several stores has the version
    made: str
    changes: tuple[str, ...] = ()

    @property
    def version(self) -> int:
        return 1 + len(self.changes)

    def list_steps(self, version: int) -> Iterator[str]:
        """Yield the statements that lead from a version, 0 for a new store, to this one."""
        scripts = (self.made, *self.changes)
        for script in scripts[version:]:
            yield from filter(str.strip, script.split(";"))


def connect_database(path: Path, patience: float, how: str = "") -> sqlite3.Connection:
    """Return a connection for every thread that waits `patience` seconds for other processes.

    It begins no transaction by itself and trusts nothing that the file defines. `how` is the query of
    SQLite's file addresses, such as mode=ro.
    """
    connection = sqlite3.connect(
        f"file:{quote(str(path.absolute()))}?{how}" if how else path,
        uri=bool(how),
        timeout=patience,
        isolation_level=None,
        check_same_thread=False,
    )
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def read_version(connection: sqlite3.Connection) -> int:
    """Return the version of the tables; 0 for a new file."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version


def prepare_tables(connection: sqlite3.Connection, tables: str, version: int, *, synchronous: str) -> None:
    """Let readers and a writer work at once, and make the tables of a file that is new."""
    prepare_file(connection, synchronous)
    if read_version(connection) < version:
        connection.executescript(f"BEGIN IMMEDIATE; {tables} PRAGMA user_version = {version}; COMMIT;")


def prepare_file(connection: sqlite3.Connection, synchronous: str) -> None:
    """Let readers and a writer work at once."""
    for attempt in range(_ATTEMPTS, -1, -1):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            break
        except sqlite3.OperationalError as error:  # SQLite does not wait where two processes do this at once
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or not attempt:
                raise
            time.sleep(_PAUSE)
    connection.execute(f"PRAGMA synchronous = {synchronous}")


def upgrade_tables(connection: sqlite3.Connection, tables: StoreTables) -> None:
    """Make the tables of a new file, and bring those of an older version up to date."""
    if read_version(connection) < tables.version:
        with begin_transaction(connection):
            for statement in tables.list_steps(read_version(connection)):  # another process may have done it
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {tables.version}")


@contextmanager
def begin_transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Write all that follows, or nothing of it."""
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        yield

"""One SQLite file that may be lost: opened at the first call, made again when damaged, never fatal."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from citeproof.own_files import make_private_folder, prepare_own_database

WAIT = 5.0  # seconds for another process that writes

_INHERITED: list[
    sqlite3.Connection
] = []  # of parents: a fork keeps its hands off them, also off closing them


class CacheDatabase:
    """A file with tables. After a fault no question has rows and nothing is written; `trouble` says why."""

    def __init__(
        self,
        path: Path,
        tables: str,
        version: int,
        enter: Callable[[sqlite3.Connection], None],
        new: Callable[[], None],
    ) -> None:
        """`enter` is called in the first transaction of each opening, `new` before the file is made."""
        self.path = path
        self.trouble = ""
        self._tables, self._version, self._enter, self._new = tables, version, enter, new
        self._database: sqlite3.Connection | None = None
        self._process = 0  # that opened it: a forked child must not use its parent's connection
        self._closed = False

    def ask(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a question; none if the file cannot be read."""
        if self._closed:
            return []
        try:
            return self._open().execute(statement, values).fetchall()
        except (sqlite3.Error, OSError) as error:
            self._note_failure(error)
            return []

    def write(self, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
        """Run a statement for each of `rows` in one transaction."""
        if self._closed or not rows:
            return
        try:
            database = self._open()
            with database:
                database.execute("BEGIN IMMEDIATE")
                database.executemany(statement, rows)
        except (sqlite3.Error, OSError) as error:
            self._note_failure(error)

    def refuse(self, why: str) -> None:
        """Never open the file."""
        self.trouble = self.trouble or f"{self.path}: results are not cached: {why}"
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        if self._database is not None and self._process == os.getpid():
            with suppress(sqlite3.Error):
                self._database.close()
            self._database = None
        self._closed = True

    def _open(self) -> sqlite3.Connection:
        if self._process != os.getpid():
            if self._database is not None:
                _INHERITED.append(self._database)
            self._database, self._process = None, os.getpid()
        if self._database is None:
            try:
                self._database = self._open_database()
            except sqlite3.DatabaseError as error:
                if not _is_damaged(error):
                    raise
                self._discard()
                self._database = self._open_database()
        return self._database

    def _open_database(self) -> sqlite3.Connection:
        make_private_folder(self.path.parent)
        if not os.path.lexists(self.path):
            self._new()
        prepare_own_database(self.path)
        database = sqlite3.connect(self.path, timeout=WAIT, isolation_level=None, check_same_thread=False)
        try:
            self._prepare(database)
        except BaseException:
            database.close()
            raise
        return database

    def _prepare(self, database: sqlite3.Connection) -> None:
        database.execute("PRAGMA trusted_schema = OFF")
        version = database.execute("PRAGMA user_version").fetchone()[0]
        if version not in {0, self._version}:
            raise sqlite3.DatabaseError("written by another version")
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        if not version:
            made = f"BEGIN IMMEDIATE; {self._tables} PRAGMA user_version = {self._version}; COMMIT;"
            database.executescript(made)
        with database:
            database.execute("BEGIN IMMEDIATE")
            self._enter(database)

    def _note_failure(self, error: Exception) -> None:
        """Say what is wrong, and continue without; a damaged file is made again by the next run."""
        if _is_damaged(error):
            self._discard()
        self.refuse(str(error))

    def _discard(self) -> None:
        for end in ("", "-wal", "-shm"):
            with suppress(OSError):
                Path(f"{self.path}{end}").unlink()

    def __getstate__(self) -> dict[str, object]:
        """Return what a worker that is not a fork needs: everything but the connection."""
        return self.__dict__ | {"_database": None}


def _is_damaged(error: Exception) -> bool:
    """Return whether the file or its tables are wrong, and not the disk, the rights or another process."""
    if isinstance(error, sqlite3.OperationalError):
        return (
            getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_ERROR
        )  # a table or a column is not there
    return isinstance(error, sqlite3.DatabaseError)

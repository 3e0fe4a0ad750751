"""One SQLite file that may be lost: opened at the first call, made again when damaged, never fatal."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from citeproof.plumbing.own_files import make_private_folder, prepare_own_database
from citeproof.plumbing.stores import sqlite_file

_SET_ASIDE = "a new file is begun, and the old one is renamed to"
WAIT = 5.0  # seconds for another process that writes

_INHERITED: list[sqlite3.Connection] = []  # of parents: a fork does not touch them, not even to close them


class CacheDatabase:
    """A file with tables. After a fault no question has rows and nothing is written; `trouble` says why."""

    def __init__(
        self,
        path: Path,
        tables: str,
        version: int,
        lost: str,
        *,
        enter: Callable[[sqlite3.Connection], None] | None = None,
        new: Callable[[], None] | None = None,
        retries: bool = False,
    ) -> None:
        """`enter` is called in the first transaction of each opening, `new` before the file is made.

        `lost` says what a fault costs. `retries`: the call after a fault tries again, and a damaged file is
        set aside, not removed.
        """
        self.path = path
        self.trouble = ""
        self._tables, self._version, self._lost = tables, version, lost
        self._enter, self._new, self._retries = enter, new, retries
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

    def write(self, *steps: tuple[str, Sequence[tuple[object, ...]]]) -> None:
        """Run each statement for each of its rows, all in one transaction."""
        if self._closed or not any(rows for _, rows in steps):
            return
        try:
            database = self._open()
            with sqlite_file.begin_transaction(database):
                for statement, rows in steps:
                    database.executemany(statement, rows)
        except (sqlite3.Error, OSError) as error:
            self._note_failure(error)

    def refuse(self, why: str) -> None:
        """Never open the file."""
        self._note_trouble(why)
        self.close()

    def close(self) -> None:
        self._closed = not self._retries
        if self._database is not None and self._process == os.getpid():
            with suppress(sqlite3.Error):
                self._database.close()
            self._database = None

    def _open(self) -> sqlite3.Connection:
        if self._process != os.getpid():
            if self._database is not None:
                _INHERITED.append(self._database)
            self._database, self._process = None, os.getpid()
        if self._database is None:
            try:
                self._database = self._open_database()
            except sqlite3.DatabaseError as error:
                if self._retries or not _is_damaged(error):
                    raise
                self._discard()
                self._database = self._open_database()
        return self._database

    def _open_database(self) -> sqlite3.Connection:
        make_private_folder(self.path.parent)
        if self._new is not None and not os.path.lexists(self.path):
            self._new()
        prepare_own_database(self.path)
        database = sqlite_file.connect_database(self.path, WAIT)
        try:
            self._prepare(database)
        except BaseException:
            database.close()
            raise
        return database

    def _prepare(self, database: sqlite3.Connection) -> None:
        if sqlite_file.read_version(database) not in {0, self._version}:
            raise sqlite3.DatabaseError("written by another version")
        sqlite_file.prepare_tables(database, self._tables, self._version, synchronous="NORMAL")
        if self._enter is not None:
            with sqlite_file.begin_transaction(database):
                self._enter(database)

    def _note_failure(self, error: Exception) -> None:
        """Say what is wrong, and continue without; a damaged file is made again by the next opening."""
        damaged = _is_damaged(error)
        if damaged or not self._retries:
            self.close()
        if damaged:
            self._discard()
        aside = f"; {_SET_ASIDE} {self._name_damaged().name}" if self._retries and damaged else ""
        self._note_trouble(f"{error}{aside}")

    def _note_trouble(self, why: str) -> None:
        self.trouble = self.trouble or f"{self.path}: {self._lost}: {why}"

    def _discard(self) -> None:
        for end in sqlite_file.ENDINGS:
            file = Path(f"{self.path}{end}")
            with suppress(OSError):
                if self._retries:
                    file.replace(f"{self._name_damaged()}{end}")
                else:
                    file.unlink()

    def _name_damaged(self) -> Path:
        return self.path.with_suffix(".damaged")

    def __getstate__(self) -> dict[str, object]:
        """Return what a worker that is not a fork needs: everything but the connection."""
        return self.__dict__ | {"_database": None}


def _is_damaged(error: Exception) -> bool:
    """Return whether the file or its tables are wrong, and not the disk, the rights or another process."""
    if isinstance(error, sqlite3.OperationalError):
        code: int = getattr(error, "sqlite_errorcode", 0)
        return code == sqlite3.SQLITE_ERROR  # a table or a column is not there
    return isinstance(error, sqlite3.DatabaseError)

"""One SQLite file of an audit folder: durable writes of several processes, reads that change nothing.

Unlike the cache of answers, what cannot be written here must be known: every fault is an `AuditError`.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from errno import EDQUOT, ENOSPC
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from weakref import WeakSet

import zstandard

from citeproof.errors import AuditError
from citeproof.plumbing.disk_files import sync_folder
from citeproof.plumbing.own_files import RefusedFileError, check_own_database
from citeproof.plumbing.stores import sqlite_file
from citeproof.plumbing.stores.sqlite_file import StoreTables

AT_ONCE = 250  # rows of one statement; SQLite takes 32,766 values
PATIENCE = 30.0  # seconds that a writer waits for the others

_DAMAGED = "the file is damaged: bring it back from a backup; the log itself does not depend on it"
_HINTS = {
    "SQLITE_FULL": "free some disk space, then try again; what was acknowledged is kept",
    "SQLITE_IOERR": "check the disk (full, failing, missing?), then try again",
    "SQLITE_BUSY": "another process is using the file; wait until it ends, then try again",
    "SQLITE_READONLY": "give this user write permission for the file and its folder",
    "SQLITE_CANTOPEN": "give this user read and write permission for the file and its folder",
    "SQLITE_CORRUPT": _DAMAGED,
    "SQLITE_NOTADB": _DAMAGED,
}

_READERS: WeakSet[StoreDatabase] = WeakSet()


def compress_bodies(bodies: Sequence[bytes], level: int) -> list[bytes]:
    """Return each of `bodies` compressed, all in one call: next to a busy thread, each call waits."""
    press = zstandard.ZstdCompressor(level=level)
    if not all(bodies):  # it takes no empty ones
        return [press.compress(body) for body in bodies]
    made = press.multi_compress_to_buffer(list(bodies)) if bodies else ()
    return [made[at].tobytes() for at in range(len(made))]


class StoreDatabase:
    """A file with the tables of one store. Opened at the first call; every method is safe between threads.

    With `readonly` nothing in the folder changes, a file that is not there holds nothing, and what a killed
    process left in the write-ahead file is read too.
    """

    def __init__(self, path: Path, tables: str | StoreTables, *, readonly: bool = False) -> None:
        """Take statements for tables of version 1, or tables of any version; a later one is not touched."""
        self.path = path
        self._tables = StoreTables(path.stem, tables) if isinstance(tables, str) else tables
        self._readonly = readonly
        self._connection: sqlite3.Connection | None = None
        self._copy: TemporaryDirectory[str] | None = None
        self._lock = threading.RLock()

    def read(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a question; of a file that is only read and not there, none."""
        with self._lock:
            if self._readonly and not os.path.lexists(self.path):
                return []
            try:
                return self._open().execute(statement, values).fetchall()
            except (sqlite3.Error, OSError) as error:
                if not self._readonly:
                    raise self._fault(error) from error
            self.close()  # a writer may have come after we found none, and moved pages under us: look again
            try:
                return self._open().execute(statement, values).fetchall()
            except (sqlite3.Error, OSError) as error:
                raise self._fault(error) from error

    def write(self, statement: str, rows: Iterable[Sequence[object]]) -> int:
        """Return how many rows a statement changed, run for each of `rows` in one durable transaction."""
        with self._transact() as connection:
            before = connection.total_changes
            connection.executemany(statement, rows)
            return connection.total_changes - before

    def insert(self, head: str, rows: Sequence[Sequence[object]], tail: str = "") -> None:
        """Add `rows` in one durable transaction, hundreds in one statement.

        Row by row a thread gives up and takes back the interpreter twice for each, next to a busy one.
        """
        with self._transact() as connection:
            for start in range(0, len(rows), AT_ONCE):
                some = rows[start : start + AT_ONCE]
                marks = ",".join([f"({','.join('?' * len(some[0]))})"] * len(some))
                values = [value for row in some for value in row]
                connection.execute(f"{head} VALUES {marks} {tail}", values)

    @contextmanager
    def _transact(self) -> Iterator[sqlite3.Connection]:
        if self._readonly:
            raise AuditError("this store was opened to be read only", place=str(self.path))
        with self._lock:
            try:
                connection = self._open()
                with sqlite_file.begin_transaction(connection):
                    yield connection
            except (sqlite3.Error, OSError) as error:
                raise self._fault(error) from error

    def shrink(self) -> None:
        with self._lock:
            try:
                self._open().executescript("PRAGMA incremental_vacuum")
            except sqlite3.Error as error:
                raise self._fault(error) from error
        self.flush_log()

    def flush_log(self) -> None:
        """Move all of the write-ahead file into the file and cut it to nothing, so that it keeps no bytes."""
        busy = self.read("PRAGMA wal_checkpoint(TRUNCATE)")[0][0]
        if busy:
            raise AuditError(
                "another process is reading, so that old bytes stay in the write-ahead file",
                place=f"{self.path}-wal",
                hint="wait until it ends, then try again",
            )

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                with suppress(sqlite3.Error):  # a full disk: what is written ahead stays
                    self._connection.close()
                self._connection = None
            if self._copy is not None:
                self._copy.cleanup()
                self._copy = None

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            if not self._readonly:
                check_own_database(self.path)
            # the log of another user may be read, too, but no link or pipe in its place
            for path in (f"{self.path}{end}" for end in sqlite_file.ENDINGS if self._readonly):
                if os.path.lexists(path) and not stat.S_ISREG(os.lstat(path).st_mode):
                    raise AuditError("not a regular file", place=path, hint="move it away")
            self._connection = self._reader() if self._readonly else self._writer()
        return self._connection

    def _writer(self) -> sqlite3.Connection:
        for reader in [reader for reader in _READERS if reader.path.absolute() == self.path.absolute()]:
            reader.close()  # SQLite lets no connection write next to a strict reader of the same process
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not self.path.exists():
            self.path.touch(mode=0o600)
            sync_folder(self.path.parent)
        connection = self._connect(self.path)
        try:
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # means something to a new file only
            connection.execute("PRAGMA secure_delete = ON")
            sqlite_file.prepare_file(connection, "FULL")
            sqlite_file.upgrade_tables(connection, self._tables)
        except BaseException:
            connection.close()
            raise
        return connection

    def _reader(self) -> sqlite3.Connection:
        """Return a connection that writes nothing, not even next to the file.

        1. Where there is an index of the write-ahead file, SQLite can read along with living writers and
           after dead ones.
        2. A write-ahead file without it (a copied folder) needs a new one: made next to a copy.
        3. Else the file is all there is.
        """
        _READERS.add(self)
        log = Path(f"{self.path}-wal")
        if os.path.lexists(f"{self.path}-shm"):
            with suppress(sqlite3.Error):
                return self._connect(self.path, "mode=ro&readonly_shm=1")
        if log.is_file() and log.stat().st_size:
            self._copy = TemporaryDirectory(prefix="citeproof-")
            copied = Path(self._copy.name) / self.path.name
            shutil.copyfile(self.path, copied)
            shutil.copyfile(log, f"{copied}-wal")
            return self._connect(copied, "mode=rw")
        return self._connect(self.path, "mode=ro&immutable=1")

    def _connect(self, path: Path, how: str = "") -> sqlite3.Connection:
        """Return a connection to a file that is ours; it is closed if the file is not."""
        connection = sqlite_file.connect_database(path, PATIENCE, how)
        try:
            self._vet(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _vet(self, connection: sqlite3.Connection) -> None:
        """Refuse a file of a later version, and one that runs code of its own."""
        connection.execute("PRAGMA cell_size_check = ON")
        strange = "SELECT count(*) FROM sqlite_schema WHERE type IN ('view', 'trigger')"
        if connection.execute(strange).fetchone()[0]:
            raise AuditError("this file was not made by citeproof", place=str(self.path), hint="move it away")
        if sqlite_file.read_version(connection) > self._tables.version:
            hint = "use that version"
            raise AuditError("a later version of citeproof wrote this", place=str(self.path), hint=hint)

    def _fault(self, error: Exception) -> AuditError:
        if isinstance(error, RefusedFileError):
            return AuditError(f"is not used: it {error.strerror}", place=error.filename, hint=error.hint)
        name = str(getattr(error, "sqlite_errorname", ""))
        if isinstance(error, OSError):
            name = "SQLITE_FULL" if error.errno in (ENOSPC, EDQUOT) else "SQLITE_CANTOPEN"
        hint = next((hint for start, hint in _HINTS.items() if name.startswith(start)), "")
        done = "read" if self._readonly else "read or written"
        return AuditError(f"cannot be {done}: {error}", place=str(self.path), hint=hint)

"""The memory in one SQLite file or one PostgreSQL database, safe for several processes and for `kill -9`.

    entries   number (of its name), name, body (zstd), when judged, day of last use
    keys      the first 16 bytes of a key's hash, number
    vectors   cell, number, vector: an entry's vector lies next to those of its cell
    facts     the model that made the vectors

Never more than `most` entries and a few: the ones not used for the longest are evicted. A damaged file is set
aside; one of a later version is not touched. Rows are written in the order of their numbers, the entry before
its keys: so that processes which write at once wait for each other, and do not block each other for good.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import zstandard

from citeproof.errors import UsageError
from citeproof.plumbing.own_files import check_own_file
from citeproof.plumbing.store_address import StoreAddress
from citeproof.plumbing.stores import sqlite_file
from citeproof.plumbing.stores.cache_database import CacheDatabase
from citeproof.plumbing.stores.sqlite_file import StoreTables
from citeproof.plumbing.zstd_frames import unpack_frame

if TYPE_CHECKING:
    import psycopg

    from citeproof.plumbing.stores.postgres_cache import PostgresCache

SCHEMA = "citeproof_memory"  # of its tables in a database
FILE = "memory.sqlite"
VERSION = 1
MOST = 1_000_000  # entries
LARGEST = 64_000  # bytes of one body
EVERY = 256  # entries after which what is too much is evicted
_AT_ONCE = 500
_TABLES = """
CREATE TABLE IF NOT EXISTS entries (
  number INTEGER PRIMARY KEY, name TEXT NOT NULL, body BLOB NOT NULL, at TEXT NOT NULL, used INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS entries_used ON entries (used);
CREATE TABLE IF NOT EXISTS keys (
  key BLOB NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (key, number)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS keys_number ON keys (number);
CREATE TABLE IF NOT EXISTS vectors (
  cell INTEGER NOT NULL, number INTEGER NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (cell, number)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS vectors_number ON vectors (number);
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""
_PARTS = ("entries", "keys", "vectors")
_LOST = "nothing is remembered"
_PUT = """
INSERT INTO entries VALUES (?, ?, ?, ?, ?) ON CONFLICT (number) DO UPDATE SET
  name = excluded.name, body = excluded.body, at = excluded.at, used = excluded.used
"""
_PUT_KEY = "INSERT INTO keys VALUES (?, ?) ON CONFLICT (key, number) DO NOTHING"
_PUT_VECTOR = """
INSERT INTO vectors VALUES (?, ?, ?) ON CONFLICT (cell, number) DO UPDATE SET vector = excluded.vector
"""
_PUT_MODEL = """
INSERT INTO facts VALUES ('model', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value
"""
_SIZE = f"SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class WHERE relkind = 'r' \
AND relnamespace = to_regnamespace('{SCHEMA}')"  # noqa: S608 - our own name


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """One work: `body` says what it is, `keys` what it is found by, `at` (RFC 3339) how old it is."""

    name: str
    body: bytes
    at: str
    keys: tuple[str, ...]
    vector: bytes = b""  # of its title, one signed byte a dimension; empty: not known
    cell: int = 0  # of the vector


@dataclass(frozen=True, slots=True)
class MemoryFigures:
    entries: int
    vectors: int
    size: int  # bytes
    oldest: str = ""
    newest: str = ""


class MemoryDatabase:
    """Works by key and by vector. A fault costs the memory, never the run: `trouble` says which."""

    def __init__(self, where: Path | StoreAddress, *, most: int = MOST, model: str = "") -> None:
        """Open no file yet; vectors of another `model` are dropped. UsageError for a later version's file."""
        self._most, self._model = most, model
        self._added = 0
        self._touched: dict[int, int] = {}
        self._path: Path | None = None
        self._database: CacheDatabase | PostgresCache
        if isinstance(where, StoreAddress):
            self._database = self._connect(where)
            return
        self._path = where / FILE
        _refuse_later_version(self._path)
        self._database = CacheDatabase(
            self._path,
            _TABLES,
            VERSION,
            _LOST,
            enter=lambda file: self._drop_other_vectors(file.execute),
            retries=True,
        )

    def _connect(self, address: StoreAddress) -> PostgresCache:
        from citeproof.plumbing.stores.postgres_cache import PostgresCache  # noqa: PLC0415 - few runs need it
        from citeproof.plumbing.stores.postgres_database import translate_marks  # noqa: PLC0415 - same

        def drop(connection: psycopg.Connection) -> None:
            self._drop_other_vectors(
                lambda text, values=(): connection.execute(translate_marks(text), values)
            )

        made = PostgresCache(address, StoreTables("memory", _TABLES), _LOST, schema=SCHEMA, enter=drop)
        made.require()
        return made

    @property
    def trouble(self) -> str:
        """Why nothing is remembered; empty while all is well."""
        return self._database.trouble

    def find(self, key: str) -> list[MemoryEntry]:
        rows = self._database.ask(
            "SELECT name, body, at FROM keys JOIN entries USING (number) WHERE key = ? LIMIT 20",
            _hash_key(key),
        )
        return _unpack_entries(rows)

    def list_near(self, cells: Sequence[int]) -> list[tuple[int, bytes]]:
        """Return the number and the vector of each entry in these cells."""
        marks = ",".join("?" * len(cells))
        statement = f"SELECT number, vector FROM vectors WHERE cell IN ({marks})"  # noqa: S608 - only marks
        return self._database.ask(statement, *cells)

    def get(self, numbers: Sequence[int]) -> list[MemoryEntry]:
        read = "SELECT name, body, at FROM entries WHERE number = ?"
        return _unpack_entries(row for number in numbers for row in self._database.ask(read, number))

    def has(self, name: str, since: str) -> bool:
        """Return whether the entry `name` is there, no older than `since`."""
        read = "SELECT 1 FROM entries WHERE number = ? AND at >= ?"
        return bool(self._database.ask(read, number_name(name), since))

    def put(self, entries: Iterable[MemoryEntry], day: int) -> None:
        """Keep entries, in place of those with the same names; what is too much is evicted."""
        entries = [entry for entry in entries if len(entry.body) <= LARGEST]
        for start in range(0, len(entries), _AT_ONCE):
            self._write(entries[start : start + _AT_ONCE], day)
        self._added += len(entries)
        if self._added >= min(EVERY, self._most):
            self._evict()

    def touch(self, name: str, day: int) -> None:
        """Note that an entry was of use on this day."""
        self._touched[number_name(name)] = day
        if len(self._touched) >= EVERY:
            self._flush()

    def list_all(self) -> Iterator[MemoryEntry]:
        """Yield every entry, always in the same order."""
        last = -1
        page = "SELECT name, body, at, number FROM entries WHERE number > ? ORDER BY number LIMIT 500"
        while rows := self._database.ask(page, last):
            yield from _unpack_entries(row[:3] for row in rows)
            last = rows[-1][3]

    def measure(self) -> MemoryFigures:
        """Return how much is remembered, and since when."""
        rows = self._database.ask("SELECT count(*), min(at), max(at) FROM entries")
        entries, oldest, newest = rows[0] if rows else (0, "", "")
        vectors = self._database.ask("SELECT count(*) FROM vectors")
        count = vectors[0][0] if vectors else 0
        if self._path is None:
            size = next((int(row[0]) for row in self._database.ask(_SIZE)), 0)
        else:
            files = (Path(f"{self._path}{end}") for end in sqlite_file.ENDINGS)
            size = sum(file.stat().st_size for file in files if file.is_file())
        return MemoryFigures(entries, count, size, oldest or "", newest or "")

    def clear(self) -> None:
        self._touched.clear()
        self._database.write(*((f"DELETE FROM {part}", [()]) for part in _PARTS))  # noqa: S608 - names of ours
        if self._path is not None:  # PostgreSQL does it by itself
            self._database.ask("VACUUM")

    def close(self) -> None:
        """Write what was used, evict what is too much, and let go of the file."""
        self._flush()
        if self._added:
            self._evict()
        self._database.close()

    def _write(self, entries: Sequence[MemoryEntry], day: int) -> None:
        numbered = sorted({number_name(entry.name): entry for entry in entries}.items())
        numbers = [(number,) for number, _ in numbered]
        # An entry without a vector keeps the one it has.
        placed = [(entry.cell, number, entry.vector) for number, entry in numbered if entry.vector]
        rows = [(n, entry.name, zstandard.compress(entry.body, 3), entry.at, day) for n, entry in numbered]
        keys = [(_hash_key(key), number) for number, entry in numbered for key in entry.keys]
        self._database.write(
            (_PUT, rows),
            ("DELETE FROM keys WHERE number = ?", numbers),
            ("DELETE FROM vectors WHERE number = ?", [(number,) for _, number, _ in placed]),
            (_PUT_KEY, keys),
            (_PUT_VECTOR, placed),
        )

    def _evict(self) -> None:
        self._added = 0
        counted = self._database.ask("SELECT count(*) FROM entries")
        over = counted[0][0] - self._most if counted else 0
        if over > 0:
            oldest = "SELECT number FROM entries ORDER BY used, at LIMIT ?"
            numbers = sorted(tuple(row) for row in self._database.ask(oldest, over))
            steps = ((f"DELETE FROM {part} WHERE number = ?", numbers) for part in _PARTS)  # noqa: S608 - same
            self._database.write(*steps)

    def _flush(self) -> None:
        used = [(day, number, day) for number, day in sorted(self._touched.items())]
        self._touched.clear()
        self._database.write(("UPDATE entries SET used = ? WHERE number = ? AND used < ?", used))

    def _drop_other_vectors(self, execute: Callable[..., Any]) -> None:
        """Forget the vectors of another model: they have nothing to do with those of this one."""
        if not self._model:
            return
        row = execute("SELECT value FROM facts WHERE name = 'model'").fetchone()
        if row is not None and row[0] == self._model:
            return
        if row is not None:
            execute("DELETE FROM vectors")
        execute(_PUT_MODEL, (self._model,))


def number_name(name: str) -> int:
    return int.from_bytes(blake2b(name.encode(errors="replace"), digest_size=8).digest()) >> 1


def _hash_key(key: str) -> bytes:
    return blake2b(key.encode(errors="replace"), digest_size=16).digest()


def _unpack_entries(rows: Iterable[tuple[Any, ...]]) -> list[MemoryEntry]:
    """Return the entries that are whole; others were damaged or changed, and are not used."""
    entries = []
    for name, packed, at in rows:
        body = unpack_frame(packed, LARGEST) if isinstance(packed, bytes) else None
        if body is not None:
            entries.append(MemoryEntry(str(name), body, str(at), ()))
    return entries


def _refuse_later_version(path: Path) -> None:
    """Raise a UsageError for a file of a later version: it is somebody's memory, not damaged."""
    if not check_own_file(path) or not os.path.getsize(path):  # noqa: PTH202 - of a file that was just seen
        return
    try:
        connection = sqlite_file.connect_database(path, 5.0, "mode=ro")
        try:
            version = sqlite_file.read_version(connection)
        finally:
            connection.close()
    except sqlite3.Error:
        return  # damaged, or held by another process: reported when it is used
    if version > VERSION:
        hint = "use that version of citeproof, or name another folder"
        raise UsageError("a later version of citeproof wrote this memory", place=str(path), hint=hint)

"""What is stored between runs: results of documents, hashes of cited files, whether DOIs exist.

One SQLite file for each root, safe for several processes and for `kill -9`. Whatever goes wrong with it
costs the saving, never the run: `trouble` says what.

A result is used again if the document's bytes are the same (shown by its signature, or else by its SHA-256)
and every question it rests on still has the same answer; `packed_result.py` has both tests. Rows of other
versions and settings are under other keys.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from citeproof.corpus.packed_result import PackedResult, Signature, is_settled
from citeproof.plumbing.clock import Clock, SystemClock
from citeproof.plumbing.stores.cache_database import WAIT, CacheDatabase
from citeproof.plumbing.stores.sqlite_file import ENDINGS, connect_database

_ROOT_TABLE = "CREATE TABLE IF NOT EXISTS root (path BLOB NOT NULL);"
_LOOKED = 200  # files that are examined, the oldest first
_STALE = 90 * 86_400 * 10**9  # ns without use after which the file of a root that is gone goes

VERSION = 3  # of the tables and of the packed rows; a file of another one is made again
KEYS = 4  # settings and modes whose rows stay: those used last
SWEEP = 86_400 * 10**9  # ns without a run after which the next one takes out rows of files that are gone
BATCH = 400  # paths of one question
_ADDED = 256  # hashes of files that wait in memory for a transaction

_TABLES = f"""
{_ROOT_TABLE}
CREATE TABLE IF NOT EXISTS keys (key BLOB PRIMARY KEY, used INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS swept (at INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS documents (
  key BLOB NOT NULL, path BLOB NOT NULL, size INTEGER, mtime INTEGER, ctime INTEGER, inode BLOB, at INTEGER,
  sha256 BLOB, asked BLOB, head BLOB, citations BLOB, PRIMARY KEY (key, path)
);
CREATE TABLE IF NOT EXISTS files (
  path BLOB PRIMARY KEY, size INTEGER, mtime INTEGER, ctime INTEGER, inode BLOB, at INTEGER, sha256 TEXT,
  lines INTEGER
);
CREATE TABLE IF NOT EXISTS dois (scope TEXT, doi TEXT, answer TEXT, until INTEGER, PRIMARY KEY (scope, doi));
"""
_ROW = "path, size, mtime, ctime, inode, at, sha256, asked, head"
_GET = f"SELECT {_ROW}, {{}} FROM documents WHERE key = ? AND path IN ({{}})"  # noqa: S608 - our own words
_PUT = f"INSERT OR REPLACE INTO documents (key, {_ROW}, citations) VALUES (?{', ?' * 10})"  # noqa: S608
_RENEW = "UPDATE documents SET size = ?, mtime = ?, ctime = ?, inode = ?, at = ? WHERE key = ? AND path = ?"
_ENTER = "INSERT INTO keys VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET used = excluded.used"
_OLD = f"SELECT key FROM keys ORDER BY used DESC LIMIT -1 OFFSET {KEYS}"  # noqa: S608
_DOI = "SELECT answer, until FROM dois WHERE scope = ? AND doi = ?"


class ResultCache:
    """The rows of one root and one key; without a usable file every method works and keeps nothing."""

    def __init__(self, folder: Path, root: Path, key: str, clock: Clock | None = None) -> None:
        self._root = os.fsencode(root.absolute())
        self._key = sha256(key.encode("utf-8", "replace")).digest()[:8]
        self._clock = clock or SystemClock()
        path = folder / "corpus" / f"{sha256(self._root).hexdigest()[:16]}.sqlite"
        self.database = CacheDatabase(
            # a root that comes may represent others that went
            path, _TABLES, VERSION, "results are not cached", enter=self._enter,
            new=lambda: remove_stale_files(path.parent, self.now()),
        )  # fmt: skip
        if _is_inside(path, root):  # there a project could lay down results of its own making
            self.database.refuse("it lies below the root; keep it elsewhere (CITEPROOF_CACHE_DIR)")
        self.hashes = HashCache(self)

    @property
    def trouble(self) -> str:
        """Why nothing is stored; empty while all is well."""
        return self.database.trouble

    def get(
        self, paths: Sequence[Path], *, citations: bool = True
    ) -> Iterator[tuple[Path, PackedResult | None]]:
        """Yield each of `paths` with the row that was stored of it, whether or not that still holds."""
        last = "citations" if citations else "NULL"
        for start in range(0, len(paths), BATCH):
            some = paths[start : start + BATCH]
            names = [self._name_row(path) for path in some]
            rows = self.database.ask(_GET.format(last, ",".join("?" * len(names))), self._key, *names)
            by_name = {row[0]: row for row in rows}
            for path, name in zip(some, names, strict=True):
                yield path, _parse_row(by_name[name]) if name in by_name else None

    def put(self, rows: Iterable[tuple[Path, PackedResult]]) -> None:
        """Keep results in one transaction."""
        made = [
            (self._key, self._name_row(path), *_split_signature(row.signature), row.at, row.sha256,
             row.asked, row.head, row.citations)
            for path, row in rows
        ]  # fmt: skip
        self.database.write((_PUT, made))

    def renew(self, rows: Iterable[tuple[Path, Signature, int]]) -> None:
        """Note newer signatures of documents whose bytes were found to be the same."""
        made = [(*_split_signature(signed), at, self._key, self._name_row(path)) for path, signed, at in rows]
        self.database.write((_RENEW, made))

    def doi(self, doi: str, scope: str) -> str | None:
        """Return what was stored about a DOI while that may be used."""
        for answer, until in self.database.ask(_DOI, _replace_surrogates(scope), _replace_surrogates(doi)):
            if isinstance(answer, str) and isinstance(until, int) and until > self.now():
                return answer
        return None

    def put_doi(self, doi: str, scope: str, answer: str, until: datetime) -> None:
        """Keep what a registry said about a DOI until a time."""
        row = (*map(_replace_surrogates, (scope, doi, answer)), int(until.timestamp() * 1e9))
        self.database.write(("INSERT OR REPLACE INTO dois VALUES (?, ?, ?, ?)", [row]))

    def close(self) -> None:
        """Write what waits, and let go of the file."""
        self.hashes.flush()
        self.database.close()

    def now(self) -> int:
        return int(self._clock.now().timestamp() * 1e9)

    def _name_row(self, path: Path) -> bytes:
        """Return the name of a row: relative to the root where it is below it."""
        name = os.fsencode(path)
        return name[len(self._root) + 1 :] if name.startswith(self._root + b"/") else name

    def _enter(self, database: sqlite3.Connection) -> None:
        """Note that our key is in use; rows of those that were not for long go."""
        record_root(database, self._root)
        database.execute(_ENTER, (self._key, self.now()))
        database.execute(f"DELETE FROM documents WHERE key IN ({_OLD})")  # noqa: S608
        database.execute(f"DELETE FROM keys WHERE key IN ({_OLD})")  # noqa: S608
        last = database.execute("SELECT max(at) FROM swept").fetchone()[0]
        if last is None or self.now() - last > SWEEP:
            self._sweep(database)

    def _sweep(self, database: sqlite3.Connection) -> None:
        """Take out rows of files that are gone, and answers about DOIs that are too old."""
        for table in ("documents", "files"):
            paths = database.execute(f"SELECT DISTINCT path FROM {table}").fetchall()  # noqa: S608
            gone = [(path,) for (path,) in paths if not os.path.lexists(os.path.join(self._root, path))]  # noqa: PTH118 - bytes
            database.executemany(f"DELETE FROM {table} WHERE path = ?", gone)  # noqa: S608
        database.execute("DELETE FROM dois WHERE until < ?", (self.now(),))
        database.execute("DELETE FROM swept")
        database.execute("INSERT INTO swept VALUES (?)", (self.now(),))


class HashCache:
    """Hashes of cited files, by signature; one of a file that had just been changed is not trusted."""

    def __init__(self, keeping: ResultCache) -> None:
        self._keeping = keeping
        self._began: dict[str, int] = {}  # when the reading of a file began whose hash was not here
        self._new: list[tuple[object, ...]] = []

    def get(self, path: str, signature: Signature) -> tuple[str, int] | None:
        """Return the SHA-256 and the number of lines of the file with this signature."""
        statement = "SELECT size, mtime, ctime, inode, at, sha256, lines FROM files WHERE path = ?"
        rows = self._keeping.database.ask(statement, os.fsencode(path))
        if rows and _is_whole_row(rows[0]):
            *signed, at, digest, lines = rows[0]
            if tuple(signed) == _split_signature(signature) and is_settled(signature, at):
                return digest, lines
        self._began[path] = self._keeping.now()
        return None

    def put(self, path: str, signature: Signature, sha256: str, lines: int) -> None:
        """Keep the hash of a file's bytes, which had this signature before they were read."""
        at = self._began.pop(path, None) or self._keeping.now()
        self._new.append((os.fsencode(path), *_split_signature(signature), at, sha256, lines))
        if len(self._new) >= _ADDED:
            self.flush()

    def flush(self) -> None:
        """Write what waits in memory."""
        new, self._new = self._new, []
        self._keeping.database.write(("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?)", new))


def _is_inside(path: Path, root: Path) -> bool:
    try:
        return path.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError, ValueError):  # RuntimeError: links in a circle, before 3.13
        return True


def _split_signature(signed: Signature) -> tuple[int, int, int, bytes]:
    """Return a signature as columns; some file systems have inodes beyond SQLite's integers."""
    return signed[0], signed[1], signed[2], signed[3].to_bytes(16, "big")


def _parse_row(row: tuple[Any, ...]) -> PackedResult | None:
    """Return a row of the table; None if it is not what we write."""
    _, size, mtime, ctime, inode, at, digest, asked, head, citations = row
    if not all(isinstance(n, int) for n in (size, mtime, ctime, at)) or not isinstance(inode, bytes):
        return None
    signed = (size, mtime, ctime, int.from_bytes(inode, "big"))
    return PackedResult(signed, at, digest, asked, head, citations or b"")


def _is_whole_row(row: tuple[Any, ...]) -> bool:
    kinds = (int, int, int, bytes, int, str, int)
    hexadecimal = isinstance(row[5], str) and len(row[5]) == 64
    return hexadecimal and all(isinstance(value, kind) for value, kind in zip(row, kinds, strict=True))


def _replace_surrogates(value: str) -> str:
    return value.encode("utf-8", "replace").decode()


def record_root(database: sqlite3.Connection, root: bytes) -> None:
    """Write down whose rows these are."""
    if database.execute("SELECT path FROM root").fetchall() != [(root,)]:
        database.execute("DELETE FROM root")
        database.execute("INSERT INTO root VALUES (?)", (root,))


def remove_stale_files(folder: Path, now: int) -> None:
    """Take away the files of a folder that were not used for long and whose roots are not there any more."""
    for file in _list_old_files(folder, now):
        for end in ENDINGS if _has_lost_root(file) else ():
            with suppress(OSError):
                Path(f"{file}{end}").unlink()


def is_own_file(file: Path) -> bool:
    """Return whether a file is there that this user made: no link, and no other user's."""
    try:
        state = file.lstat()
    except OSError:
        return False
    mine = not hasattr(os, "geteuid") or state.st_uid == os.geteuid()
    return stat.S_ISREG(state.st_mode) and mine


def _list_old_files(folder: Path, now: int) -> Iterator[Path]:
    """Yield our own files that were not used for long."""
    with suppress(OSError):
        used = sorted((file.lstat().st_mtime_ns, file) for file in folder.glob("*.sqlite"))
        yield from (file for at, file in used[:_LOOKED] if now - at > _STALE and is_own_file(file))


def _has_lost_root(file: Path) -> bool:
    """Return whether a file says whose it is, and that root is not there."""
    try:
        with closing(connect_database(file, WAIT, "mode=ro")) as old:
            rows = old.execute("SELECT path FROM root").fetchall()
    except sqlite3.Error:
        return False
    return bool(rows) and isinstance(rows[0][0], bytes) and not os.path.lexists(rows[0][0])

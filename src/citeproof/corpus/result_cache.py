"""What is stored between runs: results of documents, hashes of cited files, whether DOIs exist.

One SQLite file for each root, safe for several processes and for `kill -9`. Whatever goes wrong with it
costs the saving, never the run: `trouble` says what.

A result is used again if the document's bytes are the same and every question it rests on still has the same
answer; `PackedResult` has the second test. Rows of other versions and settings are under other keys.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias, TypeVar

import msgspec
import xxhash
import zstandard

from citeproof.answers.serializers import dumps
from citeproof.corpus.corpus_types import (
    AskedQuestion,
    CorpusCitation,
    Counts,
    DocumentResult,
    Issue,
    PendingDoi,
    shorten_result,
)
from citeproof.plumbing.clock import Clock, SystemClock
from citeproof.plumbing.stores.cache_database import CacheDatabase
from citeproof.plumbing.zstd_frames import unpack_frame

_STALE = 90 * 86_400 * 10**9  # ns without use after which the file of a root goes

VERSION = 4  # of the tables and of the packed rows; a file of another one is made again
KEYS = 4  # settings and modes whose rows stay: those used last
BATCH = 400  # paths of one question

_TABLES = """
CREATE TABLE IF NOT EXISTS keys (key BLOB PRIMARY KEY, used INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS documents (
  key BLOB NOT NULL, path BLOB NOT NULL, sha256 BLOB, asked BLOB, head BLOB, citations BLOB,
  PRIMARY KEY (key, path)
);
CREATE TABLE IF NOT EXISTS dois (scope TEXT, doi TEXT, answer TEXT, until INTEGER, PRIMARY KEY (scope, doi));
"""
_GET = "SELECT path, sha256, asked, head, {} FROM documents WHERE key = ? AND path IN ({})"
_PUT = "INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?, ?, ?)"
_ENTER = "INSERT INTO keys VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET used = excluded.used"
_OLD = f"SELECT key FROM keys ORDER BY used DESC LIMIT -1 OFFSET {KEYS}"  # noqa: S608
_DOI = "SELECT answer, until FROM dois WHERE scope = ? AND doi = ?"
T = TypeVar("T")
Head: TypeAlias = tuple[tuple[Issue, ...], tuple[PendingDoi, ...], Counts, tuple[CorpusCitation, ...]]
# and which of them each issue is about
All: TypeAlias = tuple[tuple[CorpusCitation, ...], tuple[int | None, ...]]

LARGEST = 64_000_000  # bytes of each part, unpacked; a larger result is shown and not stored
NEVER = "never:"  # what a result asks for that rests on a failure which may not come again: it is not stored
_SUM = 8  # bytes of the checksum before each part

_ASKED: msgspec.msgpack.Decoder[tuple[AskedQuestion, ...]] = msgspec.msgpack.Decoder(
    tuple[AskedQuestion, ...]
)
_HEAD: msgspec.msgpack.Decoder[Head] = msgspec.msgpack.Decoder(Head)
_CITATIONS: msgspec.msgpack.Decoder[All] = msgspec.msgpack.Decoder(All)
_DAMAGE = (msgspec.DecodeError, msgspec.ValidationError, MemoryError, ValueError)


@dataclass(frozen=True, slots=True)
class PackedResult:
    """One result, packed."""

    sha256: bytes  # of the document's bytes
    asked: bytes
    head: bytes
    citations: bytes  # empty if they were not fetched

    def is_keepable(self, asked: tuple[AskedQuestion, ...]) -> bool:
        """Return whether the result, which rests on `asked`, may be used by later runs."""
        unpacked = zstandard.frame_content_size(self.citations[_SUM:])
        small = max(len(self.asked), len(self.head), unpacked) <= LARGEST
        return small and not any(question.question.startswith(NEVER) for question in asked)

    def list_questions(self) -> tuple[AskedQuestion, ...] | None:
        """Return the questions that the result rests on; None if the row is damaged."""
        return _open_part(self.asked, _ASKED)

    def result(
        self, file: str, asked: tuple[AskedQuestion, ...], *, citations: bool, largest: int = LARGEST
    ) -> DocumentResult | None:
        """Return the result, `brief` unless all citations are wanted; None if it is damaged or too large."""
        head = _open_part(self.head, _HEAD)
        if head is None:
            return None
        issues, pending, counts, shown = head
        if not citations:
            return DocumentResult(file, shown, issues, pending, asked, counts)
        every = _open_part(self.citations, _CITATIONS, largest)
        if every is None or len(every[1]) != len(issues):
            return None
        pairs = zip(issues, every[1], strict=True)
        whole = tuple(issue if issue.cited == at else replace(issue, cited=at) for issue, at in pairs)
        return DocumentResult(file, every[0], whole, pending, asked, counts)


def pack_result(result: DocumentResult, sha256: bytes) -> PackedResult:
    """Return a result as it is stored and sent; only of one without trouble."""
    short = shorten_result(result)
    head = (short.issues, result.pending, result.counts, short.citations)
    every = (result.citations, tuple(issue.cited for issue in result.issues))
    return PackedResult(sha256, _seal_part(result.asked), _seal_part(head), _seal_part(every, pressed=True))


def has_same_answers(asked: tuple[AskedQuestion, ...], digest: Callable[[str], str]) -> bool:
    """Return whether every question still has its answer."""
    return all(digest(question.question) == question.digest for question in asked)


def _seal_part(value: object, *, pressed: bool = False) -> bytes:
    try:
        body = msgspec.msgpack.encode(value)
    except UnicodeEncodeError:  # lone surrogates, of a file name that is not UTF-8
        body = msgspec.msgpack.encode(msgspec.json.decode(dumps(msgspec.to_builtins(value))))
    body = zstandard.compress(body, 1) if pressed else body
    return xxhash.xxh3_64_digest(body) + body


def _open_part(sealed: object, decoder: msgspec.msgpack.Decoder[T], largest: int = 0) -> T | None:
    """Return what was sealed; None if a bit of it changed or an older version wrote something else.

    What may have a `largest` size was pressed, and is not unpacked beyond it.
    """
    if not isinstance(sealed, bytes) or xxhash.xxh3_64_digest(sealed[_SUM:]) != sealed[:_SUM]:
        return None
    try:
        body = unpack_frame(sealed[_SUM:], largest) if largest else sealed[_SUM:]
        return None if body is None else decoder.decode(body)
    except _DAMAGE:
        return None


class ResultCache:
    """The rows of one root and one key; without a usable file every method works and keeps nothing."""

    def __init__(self, folder: Path, root: Path, key: str, clock: Clock | None = None) -> None:
        self._root = os.fsencode(root.absolute())
        self._key = sha256(key.encode("utf-8", "replace")).digest()[:8]
        self._clock = clock or SystemClock()
        path = folder / "corpus" / f"{sha256(self._root).hexdigest()[:16]}.sqlite"
        self.database = CacheDatabase(
            path, _TABLES, VERSION, "results are not cached", enter=self._enter,
            new=lambda: _remove_stale_files(path.parent, self.now()),
        )  # fmt: skip
        if _is_inside(path, root):  # there a project could lay down results of its own making
            self.database.refuse("it lies below the root; keep it elsewhere (CITEPROOF_CACHE_DIR)")

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
            by_name = {row[0]: PackedResult(row[1], row[2], row[3], row[4] or b"") for row in rows}
            for path, name in zip(some, names, strict=True):
                yield path, by_name.get(name)

    def put(self, rows: Iterable[tuple[Path, PackedResult]]) -> None:
        """Keep results in one transaction."""
        made = [
            (self._key, self._name_row(path), row.sha256, row.asked, row.head, row.citations)
            for path, row in rows
        ]
        self.database.write((_PUT, made))

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
        """Let go of the file."""
        self.database.close()

    def now(self) -> int:
        return int(self._clock.now().timestamp() * 1e9)

    def _name_row(self, path: Path) -> bytes:
        """Return the name of a row: relative to the root where it is below it."""
        name = os.fsencode(path)
        return name[len(self._root) + 1 :] if name.startswith(self._root + b"/") else name

    def _enter(self, database: sqlite3.Connection) -> None:
        """Note that our key is in use; rows of other keys, of files that are gone and of old answers go."""
        database.execute(_ENTER, (self._key, self.now()))
        database.execute(f"DELETE FROM documents WHERE key IN ({_OLD})")  # noqa: S608
        database.execute(f"DELETE FROM keys WHERE key IN ({_OLD})")  # noqa: S608
        paths = database.execute("SELECT DISTINCT path FROM documents").fetchall()
        gone = [(path,) for (path,) in paths if not os.path.lexists(os.path.join(self._root, path))]  # noqa: PTH118 - bytes
        database.executemany("DELETE FROM documents WHERE path = ?", gone)
        database.execute("DELETE FROM dois WHERE until < ?", (self.now(),))


def _is_inside(path: Path, root: Path) -> bool:
    try:
        return path.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError, ValueError):  # RuntimeError: links in a circle, before 3.13
        return True


def _replace_surrogates(value: str) -> str:
    return value.encode("utf-8", "replace").decode()


def _remove_stale_files(folder: Path, now: int) -> None:
    """Take away the files of a folder that no run opened for long."""
    with suppress(OSError):
        for file in folder.glob("*.sqlite*"):
            if now - file.lstat().st_mtime_ns > _STALE:
                file.unlink()

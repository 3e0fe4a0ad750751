"""Answers of servers on disk: a cache with lifetimes, and the evidence behind every judgement.

One SQLite file, or a PostgreSQL database of several machines; safe for several processes and for `kill -9`.
Bodies are stored by the SHA-256 of what the server sent and stay when a cache row expires: a judgement names
the hash. A body that no longer has its hash is no answer. Whatever goes wrong with the file or the database
costs the cache, never the run (`trouble` says what).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import zstandard

from citeproof.plumbing.clock import Clock
from citeproof.plumbing.store_address import StoreAddress
from citeproof.plumbing.stores.cache_database import CacheDatabase
from citeproof.plumbing.stores.sqlite_file import StoreTables
from citeproof.plumbing.zstd_frames import unpack_frame
from citeproof.text.typed_decoding import decode_json
from citeproof.vocabulary.quick_dataclass import dataclass, field

if TYPE_CHECKING:
    from citeproof.plumbing.stores.postgres_cache import PostgresCache

FILE = "answers-1.sqlite"  # the number is that of the meaning of keys and rows
VERSION = 1  # of the tables
SCHEMA = "citeproof_answers_1"  # of its tables in a database; the number is that of FILE
_LOST = "answers are not cached"
MAX_KEPT = 50_000_000  # bytes of one body, unpacked; `net` allows less
_SKEW = timedelta(minutes=5)  # a row from further in the future was written by a clock that went back
_TABLES = """
CREATE TABLE IF NOT EXISTS bodies (sha256 TEXT PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS answers (
  key TEXT PRIMARY KEY, source TEXT NOT NULL, url TEXT NOT NULL, status INTEGER NOT NULL, media TEXT NOT NULL,
  headers TEXT NOT NULL, at TEXT NOT NULL, sha256 TEXT NOT NULL, absent INTEGER NOT NULL, life TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS items (
  scope TEXT, by TEXT, value TEXT, key TEXT NOT NULL, at TEXT NOT NULL, life TEXT NOT NULL,
  PRIMARY KEY (scope, by, value)
) WITHOUT ROWID;
"""
_PUT = """
INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET
  source = excluded.source, url = excluded.url, status = excluded.status, media = excluded.media,
  headers = excluded.headers, at = excluded.at, sha256 = excluded.sha256, absent = excluded.absent,
  life = excluded.life
"""
_PUT_ITEM = """
INSERT INTO items VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (scope, by, value) DO UPDATE SET
  key = excluded.key, at = excluded.at, life = excluded.life
"""


class AnswerLife(StrEnum):
    """How long an answer may be used again."""

    FOUND = "found"
    ABSENT = "absent"
    NOTICE = "notice"  # it reports a retraction or a concern, which may be taken back or added to


@dataclass(frozen=True, slots=True)
class AnswerLifetimes:
    found: timedelta = timedelta(days=30)
    absent: timedelta = timedelta(hours=24)
    notice: timedelta = timedelta(hours=24)

    def get_lifetime(self, life: AnswerLife) -> timedelta:
        lifetime: timedelta = getattr(self, life.value)
        return lifetime


@dataclass(frozen=True, slots=True)
class CachedAnswer:
    """One answer as it is in the store; `at` is RFC 3339."""

    key: str
    source: str
    url: str
    status: int
    media: str
    at: str
    body: bytes
    absent: bool
    headers: Mapping[str, str] = field(default_factory=dict)


class AnswerCache:
    """The store in one folder or at one address; a damaged file or absent database costs only the cache."""

    def __init__(
        self, where: Path | StoreAddress, clock: Clock, lifetimes: AnswerLifetimes | None = None
    ) -> None:
        self._clock, self._lifetimes = clock, lifetimes or AnswerLifetimes()
        self._database: CacheDatabase | PostgresCache
        if isinstance(where, Path):
            self._database = CacheDatabase(where / FILE, _TABLES, VERSION, _LOST, retries=True)
        else:
            from citeproof.plumbing.stores.postgres_cache import PostgresCache  # noqa: PLC0415 - few runs need it

            tables = StoreTables("answers", _TABLES)
            self._database = PostgresCache(where, tables, _LOST, schema=SCHEMA, clock=clock)

    @property
    def trouble(self) -> str:
        """Why answers are not stored; empty while all is well."""
        return self._database.trouble

    def get(self, key: str) -> CachedAnswer | None:
        """Return the answer under `key` if it is young enough and its body is whole."""
        row = self._fetch_one(
            "SELECT source, url, status, media, headers, at, sha256, absent, life FROM answers WHERE key = ?",
            key,
        )
        if row is None or not self._fresh(row[5], row[8]):
            return None
        body = self.body(row[6])
        if body is None:
            return None
        try:
            headers = decode_json(row[4], type=dict[str, str])
        except (msgspec.DecodeError, TypeError, UnicodeDecodeError):
            return None
        return CachedAnswer(key, row[0], row[1], row[2], row[3], row[5], body, bool(row[7]), headers)

    def put(self, answer: CachedAnswer, life: AnswerLife) -> None:
        digest = sha256(answer.body).hexdigest()
        packed = zstandard.compress(answer.body, 3)
        headers = msgspec.json.encode(dict(answer.headers)).decode()
        row = (answer.key, answer.source, answer.url, answer.status, answer.media, headers, answer.at, digest)
        self._database.write(
            ("INSERT INTO bodies VALUES (?, ?) ON CONFLICT (sha256) DO NOTHING", [(digest, packed)]),
            (_PUT, [(*row, int(answer.absent), life.value)]),
        )

    def body(self, digest: str) -> bytes | None:
        """Return the evidence with this SHA-256; None when it is not here or no longer whole."""
        row = self._fetch_one("SELECT data FROM bodies WHERE sha256 = ?", digest)
        if row is None:
            return None
        body = unpack_frame(row[0], MAX_KEPT)
        if body is not None and sha256(body).hexdigest() == digest:
            return body
        self._database.write(("DELETE FROM bodies WHERE sha256 = ?", [(digest,)]))  # to be stored again
        return None

    def item(self, scope: str, by: str, value: str) -> CachedAnswer | None:
        """Return the answer of the batch in which this question was answered."""
        question = "SELECT key, at, life FROM items WHERE scope = ? AND by = ? AND value = ?"
        row = self._fetch_one(question, scope, by, value)
        if row is None or not self._fresh(row[1], row[2]):
            return None
        question = "SELECT source, url, status, media, headers, sha256, absent FROM answers WHERE key = ?"
        whole = self._fetch_one(question, row[0])
        body = self.body(whole[5]) if whole else None
        if whole is None or body is None:
            return None
        return CachedAnswer(row[0], whole[0], whole[1], whole[2], whole[3], row[1], body, bool(whole[6]))

    def put_item(self, scope: str, by: str, value: str, kept_key: str, at: str, life: AnswerLife) -> None:
        """Keep which answer answered this question of a batch."""
        self._database.write((_PUT_ITEM, [(scope, by, value, kept_key, at, life.value)]))

    def close(self) -> None:
        self._database.close()

    def _fresh(self, at: str, life: str) -> bool:
        try:
            age = self._clock.now() - datetime.fromisoformat(at).astimezone(UTC)
            return -_SKEW <= age <= self._lifetimes.get_lifetime(AnswerLife(life))
        except (ValueError, TypeError, OverflowError):  # somebody edited the row
            return False

    def _fetch_one(self, statement: str, *values: str) -> tuple[Any, ...] | None:
        return next(iter(self._database.ask(statement, *values)), None)

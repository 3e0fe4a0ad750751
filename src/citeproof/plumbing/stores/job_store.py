"""Long work that outlives a process: jobs, their inputs, their results one by one, in SQLite or PostgreSQL.

A worker claims a job for a while (`LEASE`) and renews its claim as it works; a job whose worker died is
claimed by another when the lease is over. Results are numbered and come in any order: what is there is
never stored twice, and the next worker continues at the first gap. Times are seconds of the caller's clock.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import Any

import zstandard

from citeproof.plumbing.stores.postgres_database import TELL, PostgresDatabase, open_store_database
from citeproof.plumbing.stores.sqlite_file import StoreTables
from citeproof.plumbing.stores.store_database import compress_bodies

LEASE = 30.0  # seconds for which a claim holds without being renewed
MAX_INPUT = 64_000_000  # bytes of one job's input, unpacked
PAGE = 500  # results that are read at once
_LEVEL = 3
_QUICK = -1  # of results: a run waits for it
_FIELDS = (
    "id, kind, owner, state, created, started, ended, done, total, sha256, options, error, attempts, "
    "head, tail"
)
_TABLES = StoreTables(
    "jobs",
    """
CREATE TABLE IF NOT EXISTS jobs (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL, owner TEXT NOT NULL, state TEXT NOT NULL,
  created REAL NOT NULL, started REAL, ended REAL, done INTEGER NOT NULL DEFAULT 0, total INTEGER,
  sha256 TEXT NOT NULL, options BLOB NOT NULL, error TEXT NOT NULL DEFAULT '',
  attempts INTEGER NOT NULL DEFAULT 0, head BLOB, tail BLOB, input BLOB, once TEXT, worker TEXT, lease REAL
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS jobs_once ON jobs (owner, once) WHERE once IS NOT NULL;
CREATE INDEX IF NOT EXISTS jobs_state ON jobs (state, created);
CREATE TABLE IF NOT EXISTS results (
  job TEXT NOT NULL, number INTEGER NOT NULL, body BLOB NOT NULL, value BLOB, PRIMARY KEY (job, number)
) STRICT, WITHOUT ROWID;
""",
)


class JobState(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def ended(self) -> bool:
        return self not in (JobState.QUEUED, JobState.RUNNING)


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of long work, as it stands."""

    id: str
    kind: str  # "check", "ground", "fix"
    owner: str  # whose it is: only they see it
    state: JobState
    created: float
    started: float | None
    ended: float | None
    done: int  # results that are stored
    total: int | None  # results there will be; None: not known yet
    sha256: str  # of the input
    options: bytes  # JSON
    error: str  # in words, if it failed
    attempts: int  # how often a worker began it
    head: bytes | None  # what is known before the first result, such as the head of the report
    tail: bytes | None  # what is known after the last result


class JobConflictError(Exception):
    """The same idempotency key with another input."""


class JobStore:
    """All jobs of one folder or `postgresql://` database. Safe between threads and processes."""

    def __init__(self, where: Path | str) -> None:
        self._database = open_store_database(where, "jobs.sqlite", _TABLES)
        shared = isinstance(self._database, PostgresDatabase)
        self._locking = "FOR UPDATE SKIP LOCKED" if shared else ""
        self._tell = TELL if shared else ""  # other servers, at once

    def add(
        self,
        kind: str,
        owner: str,
        data: bytes,
        options: bytes,
        now: float,
        *,
        once: str | None = None,
        tell: bool = True,
    ) -> Job:
        """Return a new job; the one that is there already if `once` was used for the same input.

        `tell` other servers of it: they may take it at once.
        JobConflictError: `once` was used for another one.
        """
        digest = sha256(data + b"\0" + options + b"\0" + kind.encode()).hexdigest()
        made = secrets.token_urlsafe(16)
        packed = zstandard.ZstdCompressor(level=_LEVEL).compress(data)
        row = (made, kind, owner, JobState.QUEUED.value, now, digest, options, packed, once)
        self._database.insert(
            "INSERT INTO jobs (id, kind, owner, state, created, sha256, options, input, once)",
            [row],
            f"ON CONFLICT (owner, once) WHERE once IS NOT NULL DO NOTHING {self._tell if tell else ''}",
        )
        if (new := self.find(made, owner)) is not None:
            return new
        statement = f"SELECT {_FIELDS} FROM jobs WHERE owner = ? AND once = ?"  # noqa: S608 - our own names
        job = _read_row(self._database.read(statement, owner, once)[0])
        if job.sha256 != digest:
            raise JobConflictError(job.id)
        return job

    def find(self, job: str, owner: str | None = None) -> Job | None:
        """Return a job; None if there is none of that name, or it is not the owner's."""
        rows = self._database.read(f"SELECT {_FIELDS} FROM jobs WHERE id = ?", job)  # noqa: S608 - same
        stored = _read_row(rows[0]) if rows else None
        return stored if stored and owner in (None, stored.owner) else None

    def list_jobs(self, owner: str, *, most: int = 100) -> list[Job]:
        """Return the jobs of an owner, the newest first."""
        statement = f"SELECT {_FIELDS} FROM jobs WHERE owner = ? ORDER BY created DESC, id LIMIT ?"  # noqa: S608 - same
        return [_read_row(row) for row in self._database.read(statement, owner, most)]

    def list_waiting(self) -> list[tuple[str, str]]:
        """Return id and owner of the jobs that are not ended."""
        statement = "SELECT id, owner FROM jobs WHERE state IN ('queued', 'running')"
        return [(job, owner) for job, owner in self._database.read(statement)]

    def claim(self, worker: str, now: float, job: str | None = None) -> Job | None:
        """Return a free job, or this one, now the worker's: the oldest of the owner with fewest running."""
        statement = f"""UPDATE jobs SET state = 'running', worker = ?, lease = ?,
              started = coalesce(started, ?), attempts = attempts + 1
            WHERE id = (SELECT id FROM jobs WHERE (CAST(? AS TEXT) IS NULL OR id = ?)
                        AND (state = 'queued' OR (state = 'running' AND lease < ?))
                        ORDER BY (SELECT count(*) FROM jobs AS busy WHERE busy.owner = jobs.owner
                                  AND busy.state = 'running' AND busy.lease >= ?), created, id
                        LIMIT 1 {self._locking})
            RETURNING {_FIELDS}"""  # noqa: S608 - same
        rows = self._database.read(statement, worker, now + LEASE, now, job, job, now, now)
        return _read_row(rows[0]) if rows else None

    def renew(self, job: str, worker: str, now: float) -> bool:
        """Return whether the job is still this worker's: not cancelled, and not another's by now."""
        statement = "UPDATE jobs SET lease = ? WHERE id = ? AND worker = ? AND state = 'running' RETURNING 1"
        return bool(self._database.read(statement, now + LEASE, job, worker))

    def list_workers(self) -> list[str]:
        """Return who has claimed jobs that are not ended."""
        statement = "SELECT DISTINCT worker FROM jobs WHERE state = 'running' AND worker IS NOT NULL"
        return [worker for (worker,) in self._database.read(statement)]

    def release(self, worker: str) -> None:
        """Give back what a worker did not end, for another to continue."""
        statement = "UPDATE jobs SET state = 'queued', worker = NULL WHERE worker = ? AND state = 'running'"
        self._database.write(f"{statement} {self._tell}", [(worker,)])

    def begin(self, job: str, head: bytes, total: int, kept: int = 0) -> None:
        """Store what is known before the first result that is new; only the first `kept` results stay."""
        self._database.write("DELETE FROM results WHERE job = ? AND number >= ?", [(job, kept)])
        statement = f"UPDATE jobs SET head = ?, total = ? WHERE id = ? {self._tell}"  # noqa: S608 - same
        self._database.write(statement, [(head, total, job)])

    def add_results(
        self, job: str, numbers: Sequence[int], bodies: Sequence[bytes], values: Sequence[bytes] = ()
    ) -> None:
        """Store new results with their numbers: bodies to be shown, values to make reports of."""
        packed = compress_bodies([*bodies, *values], _QUICK)
        half = len(bodies)
        rows = [(job, numbers[n], packed[n], packed[half + n] if values else None) for n in range(half)]
        insert, known = (
            "INSERT INTO results (job, number, body, value)",
            "ON CONFLICT (job, number) DO NOTHING",
        )
        self._database.insert(insert, rows, known)
        # Also if there is nothing to add: the worker that stored the last ones may have died before this.
        done = "UPDATE jobs SET done = (SELECT count(*) FROM results WHERE job = jobs.id) WHERE id = ?"
        self._database.write(f"{done} {self._tell}", [(job,)])

    def read_results(self, job: str, start: int = 0) -> Iterator[bytes]:
        """Yield the results from number `start` on, in order, as far as they are there without a gap."""
        return (body for n, (number, body) in enumerate(self.read_bodies(job, start), start) if n == number)

    def read_bodies(self, job: str, start: int = 0) -> Iterator[tuple[int, bytes]]:
        """Yield all results that are there from number `start` on, each with its number, in order."""
        return self._read_column("body", job, start)

    def read_values(self, job: str) -> Iterator[tuple[int, bytes]]:
        """Yield what reports are made of, in the same way."""
        return self._read_column("value", job, 0)

    def _read_column(self, column: str, job: str, start: int) -> Iterator[tuple[int, bytes]]:
        statement = (
            f"SELECT number, {column} FROM results WHERE job = ? AND number >= ? ORDER BY number LIMIT ?"  # noqa: S608 - our own names
        )
        while True:
            rows = self._database.read(statement, job, start, PAGE)
            for number, packed in rows:
                if packed is None:
                    return
                yield number, zstandard.ZstdDecompressor().decompress(packed, max_output_size=MAX_INPUT)
                start = number + 1
            if len(rows) < PAGE:
                return

    def read_input(self, job: str) -> bytes:
        (packed,) = self._database.read("SELECT input FROM jobs WHERE id = ?", job)[0]
        return zstandard.ZstdDecompressor().decompress(packed, max_output_size=MAX_INPUT)

    def finish(
        self,
        job: str,
        state: JobState,
        now: float,
        error: str = "",
        *,
        tail: bytes | None = None,
        worker: str | None = None,
    ) -> bool:
        """Return whether a job ends now: it has not ended already, and is the worker's if one is named."""
        statement = """UPDATE jobs SET state = ?, ended = ?, error = ?, tail = ?, worker = NULL
            WHERE id = ? AND state IN ('queued', 'running') AND (CAST(? AS TEXT) IS NULL OR worker = ?)"""
        values = (state.value, now, error, tail, job, worker, worker)
        return bool(self._database.write(f"{statement} {self._tell}", [values]))

    def delete_ended(self, before: float) -> int:
        """Delete jobs that ended before a time, with their results; return how many."""
        old = "job IN (SELECT id FROM jobs WHERE ended < ?)"
        self._database.write(f"DELETE FROM results WHERE {old}", [(before,)])  # noqa: S608 - same
        return self._database.write("DELETE FROM jobs WHERE ended < ?", [(before,)])

    def close(self) -> None:
        self._database.close()


def _read_row(row: Sequence[Any]) -> Job:
    job, kind, owner, state, *more = row
    return Job(job, kind, owner, JobState(state), *more)

"""What people decided about the references of a run, the addresses of shared runs, and batches of runs.

A decision replaces the one before it; each of them has its own event in the audit log, if there is one.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from citeproof.plumbing.stores.postgres_database import open_store_database
from citeproof.plumbing.stores.sqlite_file import StoreTables

MAX_NOTE = 1_900  # characters; an ignore list takes 2,000 with the words before it
_TABLES = StoreTables(
    "decisions",
    """
CREATE TABLE IF NOT EXISTS decisions (
  run TEXT NOT NULL, number INTEGER NOT NULL, choice TEXT NOT NULL, note TEXT NOT NULL, at TEXT NOT NULL,
  salt BLOB NOT NULL, PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS shares (run TEXT PRIMARY KEY, address TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE IF NOT EXISTS batches (
  batch TEXT NOT NULL, position INTEGER NOT NULL, run TEXT NOT NULL, owner TEXT NOT NULL,
  PRIMARY KEY (batch, position)
) STRICT, WITHOUT ROWID;
""",
)


class DecisionChoice(StrEnum):
    ACCEPT = "accept"  # the citation stays as it is
    DISPUTE = "dispute"  # the verdict is wrong
    NOTE = "note"  # only a note


@dataclass(frozen=True, slots=True)
class RunDecision:
    number: int  # of the reference, from 0
    choice: DecisionChoice
    note: str
    at: str  # when, in UTC
    salt: bytes = b""  # of the commitment to the note in the audit log, if there is one


class DecisionStore:
    """The decisions of one folder or `postgresql://` database. Safe between threads and processes."""

    def __init__(self, where: Path | str) -> None:
        self._database = open_store_database(where, "decisions.sqlite", _TABLES)

    def put(self, run: str, decision: RunDecision) -> None:
        """Store a decision in place of the one before it."""
        self._database.insert(
            "INSERT INTO decisions (run, number, choice, note, at, salt)",
            [(run, decision.number, decision.choice.value, decision.note, decision.at, decision.salt)],
            "ON CONFLICT (run, number) DO UPDATE SET choice = excluded.choice, note = excluded.note, "
            "at = excluded.at, salt = excluded.salt",
        )

    def withdraw(self, run: str, number: int) -> bool:
        """Delete a decision; return whether there was one."""
        statement = "DELETE FROM decisions WHERE run = ? AND number = ?"
        return bool(self._database.write(statement, [(run, number)]))

    def load(self, run: str) -> dict[int, RunDecision]:
        """Return the decisions about a run by the number of the reference."""
        statement = "SELECT number, choice, note, at, salt FROM decisions WHERE run = ? ORDER BY number"
        rows = self._database.read(statement, run)
        return {number: RunDecision(number, DecisionChoice(choice), *rest) for number, choice, *rest in rows}

    def share(self, run: str) -> str:
        """Return the unguessable address of a run, the same each time until it is withdrawn."""
        row = (run, secrets.token_urlsafe(24))
        self._database.insert("INSERT INTO shares (run, address)", [row], "ON CONFLICT (run) DO NOTHING")
        return self.find_address(run)

    def find_address(self, run: str) -> str:
        """Return the address under which a run is shared; empty if it is not."""
        rows = self._database.read("SELECT address FROM shares WHERE run = ?", run)
        return str(rows[0][0]) if rows else ""

    def find_shared_run(self, address: str) -> str | None:
        """Return the run that is shared under an address."""
        rows = self._database.read("SELECT run FROM shares WHERE address = ?", address)
        return str(rows[0][0]) if rows else None

    def unshare(self, run: str) -> None:
        """Withdraw the address of a run; a new one will be another."""
        self._database.write("DELETE FROM shares WHERE run = ?", [(run,)])

    def add_batch(self, owner: str, runs: Sequence[str]) -> str:
        """Return the name of several runs that were handed over together."""
        batch = secrets.token_urlsafe(16)
        rows = [(batch, position, run, owner) for position, run in enumerate(runs)]
        self._database.insert("INSERT INTO batches (batch, position, run, owner)", rows)
        return batch

    def list_batch(self, batch: str, owner: str) -> list[str]:
        """Return the runs of a batch in order; none if it is not the owner's."""
        statement = "SELECT run FROM batches WHERE batch = ? AND owner = ? ORDER BY position"
        return [run for (run,) in self._database.read(statement, batch, owner)]

    def map_batches(self, owner: str) -> dict[str, str]:
        """Return the batch of each run of an owner that was handed over with others."""
        return dict(self._database.read("SELECT run, batch FROM batches WHERE owner = ?", owner))

    def delete_missing(self, is_kept: Callable[[str], bool]) -> None:
        """Delete what is known about runs that are not stored any more."""
        tables = ("decisions", "shares", "batches")
        named = {run for name in tables for (run,) in self._database.read(f"SELECT DISTINCT run FROM {name}")}  # noqa: S608 - our own names
        gone = [(run,) for run in named if not is_kept(run)]
        for name in tables:
            self._database.write(f"DELETE FROM {name} WHERE run = ?", gone)  # noqa: S608 - same

    def close(self) -> None:
        self._database.close()

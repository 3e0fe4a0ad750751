"""What of a batch is done, in one SQLite file of its folder: a killed run loses only work under way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import msgspec
import zstandard

from citeproof.errors import AuditError, InputError
from citeproof.plumbing.stores.store_database import StoreDatabase
from citeproof.service.batch.document_checker import DocumentOutcome
from citeproof.text.typed_decoding import decode_msgpack

FILE = "ledger.sqlite"
_LEVEL = 3
_MOST = 1 << 30  # bytes of one outcome, unpacked
_TABLES = """
CREATE TABLE IF NOT EXISTS starts (digest TEXT PRIMARY KEY, started TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS outcomes (
  key TEXT PRIMARY KEY, document TEXT NOT NULL, status TEXT NOT NULL, items INTEGER NOT NULL,
  problems INTEGER NOT NULL, unchecked INTEGER NOT NULL, used BLOB NOT NULL, body BLOB NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS written (file TEXT PRIMARY KEY) STRICT;
"""


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """What is said of a document that is done, without reading its results."""

    status: str
    references: int
    problems: int
    unchecked: int  # references that could not be checked
    used: dict[str, str]


class BatchLedger:
    """The outcomes of one folder, by the key of document and settings."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._database = StoreDatabase(self._path, _TABLES)

    def begin(self, digest: str, now: str) -> str:
        """Return when the first run with these settings began."""
        with _explain_fault():
            self._database.write("INSERT OR IGNORE INTO starts VALUES (?, ?)", [(digest, now)])
            return str(self._database.read("SELECT started FROM starts WHERE digest = ?", digest)[0][0])

    def find(self, key: str) -> LedgerEntry | None:
        """Return the entry of a document that is done; None if it is not."""
        statement = "SELECT status, items, problems, unchecked, used FROM outcomes WHERE key = ?"
        with _explain_fault():
            rows = self._database.read(statement, key)
        if not rows:
            return None
        status, references, problems, unchecked, data = rows[0]
        try:
            used = decode_msgpack(data, type=dict[str, str])
        except msgspec.DecodeError:
            return None  # damaged: it is done again
        return LedgerEntry(status, references, problems, unchecked, used)

    def add(self, key: str, document: str, outcome: DocumentOutcome) -> LedgerEntry:
        """Keep an outcome, in place of one that is there; return its entry once it is on the disk."""
        entry = make_entry(outcome)
        body = zstandard.ZstdCompressor(level=_LEVEL).compress(msgspec.msgpack.encode(outcome))
        used = msgspec.msgpack.encode(entry.used)
        row = (key, document, entry.status, entry.references, entry.problems, entry.unchecked, used, body)
        with _explain_fault():
            self._database.write("INSERT OR REPLACE INTO outcomes VALUES (?, ?, ?, ?, ?, ?, ?, ?)", [row])
        return entry

    def read(self, key: str) -> DocumentOutcome:
        with _explain_fault():
            rows = self._database.read("SELECT body FROM outcomes WHERE key = ?", key)
        try:
            data = zstandard.ZstdDecompressor().decompress(rows[0][0], max_output_size=_MOST)
            return decode_msgpack(data, type=DocumentOutcome)
        except (IndexError, zstandard.ZstdError, msgspec.DecodeError) as error:
            hint = "remove it and run the same command again: the documents are checked again"
            raise InputError("the ledger is damaged", place=str(self._path), hint=hint) from error

    def list_written(self) -> set[str]:
        """Return the names of the reports that former runs wrote."""
        with _explain_fault():
            return {str(row[0]) for row in self._database.read("SELECT file FROM written")}

    def note_written(self, files: set[str]) -> None:
        """Note which reports this run is about to write; those of former runs stay noted until removed."""
        with _explain_fault():
            rows = [(file,) for file in sorted(files)]
            self._database.write("INSERT OR IGNORE INTO written VALUES (?)", rows)

    def forget_written(self, files: set[str]) -> None:
        with _explain_fault():
            self._database.write("DELETE FROM written WHERE file = ?", [(file,) for file in sorted(files)])

    def close(self) -> None:
        self._database.close()


def make_entry(outcome: DocumentOutcome) -> LedgerEntry:
    """Return what is said of an outcome while the run goes on."""
    facts = outcome.facts
    labels = facts.get("labels", {})
    problems, unchecked = labels.get("MAJOR", 0) + labels.get("MINOR", 0), labels.get("none", 0)
    return LedgerEntry(outcome.status, facts.get("references", 0), problems, unchecked, outcome.used)


def make_key(digest: str, document: str, content: str) -> str:
    """Return what an outcome is known by: the settings, the name that stands in it, and the content."""
    parts = (digest, document, content)
    return sha256(b"\0".join(part.encode("utf-8", "backslashreplace") for part in parts)).hexdigest()


@contextmanager
def _explain_fault() -> Iterator[None]:
    try:
        yield
    except AuditError as error:
        hint = error.hint.replace("; the log itself does not depend on it", "") or "check the disk"
        raise InputError(f"the ledger {error.message}", place=error.place, hint=hint) from error

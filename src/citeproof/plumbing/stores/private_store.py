"""The clear values behind the log's commitments, with their salts: what may be erased.

`private.sqlite` in the audit folder, for this user's eyes only. Rows are added at the end and erased by
zeros of the same length in their own place. Deleting them does not do, `secure_delete` or not: SQLite moves
a row when its neighbour goes, and of 81,246 rows deleted so 20 left bytes where they had stood once. So no
row is taken out before `compact` writes the whole file again.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path

from citeproof.plumbing.stores.store_database import StoreDatabase, compress_bodies
from citeproof.plumbing.zstd_frames import unpack_frame
from citeproof.vocabulary.quick_dataclass import dataclass

SALT = 32  # bytes
FILE = "private.sqlite"
LARGEST = 64_000_000  # bytes of one value
COMPACTED = 256_000_000  # bytes of a file that is written again in memory
_TABLES = """
CREATE TABLE IF NOT EXISTS rows (
  id INTEGER PRIMARY KEY, commitment TEXT NOT NULL UNIQUE, run TEXT NOT NULL, kind TEXT NOT NULL,
  ref INTEGER NOT NULL, salt BLOB NOT NULL, data BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS by_run ON rows (run, ref);
CREATE TABLE IF NOT EXISTS marks (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
"""
_GONE = bytes(SALT)  # the salt of an erased row
_MOVED = "moved"  # rows were taken out and the file was not written again since: old bytes may lie about
_PUT = "INSERT OR IGNORE INTO rows (commitment, run, kind, ref, salt, data)"
_GET = "SELECT commitment, run, kind, ref, salt, data FROM rows WHERE commitment = ?"
_OF = """
SELECT id, commitment, run, kind, ref, salt, data FROM rows
WHERE run = ? AND (ref, id) > (?, ?) AND ref <= ? ORDER BY ref, id LIMIT 500
"""
_HELD = "SELECT commitment FROM rows WHERE run = ? AND ref BETWEEN ? AND ? AND salt != ? ORDER BY ref, id"
_ERASE = "UPDATE rows SET salt = ?, data = zeroblob(length(data)) WHERE commitment = ? AND salt != ?"


def make_commitment(data: bytes) -> tuple[bytes, str]:
    """Return a new salt and the commitment to `data` under it, in hexadecimal.

    HMAC-SHA256 under a fresh random salt: who has the salt and the words can show that they were meant; who
    has the log alone learns nothing, not even whether two are equal. Erase the salt, and no one can.
    """
    salt = secrets.token_bytes(SALT)
    return salt, hmac.digest(salt, data, "sha256").hex()


def is_commitment_to(commitment: str, salt: bytes, data: bytes) -> bool:
    """Return whether `salt` and `data` are what the commitment was made of."""
    made = hmac.digest(salt, data, "sha256").hex()
    return len(salt) == SALT and hmac.compare_digest(made.encode(), commitment.encode())


@dataclass(frozen=True, slots=True)
class PrivateRow:
    """One value that the log commits to: `kind` is "case", "document" …, `ref` the reference's number."""

    commitment: str
    run: str
    kind: str
    ref: int
    salt: bytes
    data: bytes


class PrivateStore:
    """The sidecar of one audit folder."""

    def __init__(self, folder: Path, *, readonly: bool = False) -> None:
        self.folder = folder
        self._database = StoreDatabase(folder / FILE, _TABLES, readonly=readonly)

    def put(self, rows: Iterable[PrivateRow]) -> None:
        """Keep all of `rows` in one transaction; on the disk on return. One that is there is left alone."""
        rows = list(rows)
        small = compress_bodies([row.data for row in rows], -1)  # quick: a run waits for it
        made = [(r.commitment, r.run, r.kind, r.ref, r.salt, s) for r, s in zip(rows, small, strict=True)]
        if made:
            self._database.insert(_PUT, made)

    def get(self, commitment: str) -> PrivateRow | None:
        """Return the row that opens a commitment; None when it is absent, erased or damaged."""
        rows = self._database.read(_GET, commitment)
        return next((row for values in rows if (row := _unpack_row(*values)) is not None), None)

    def list_run_rows(
        self, run: str, kind: str | None = None, ref: int | None = None
    ) -> Iterator[PrivateRow]:
        """Yield what is left of one run, by the number of the reference."""
        first, end = _make_ref_range(ref)
        last = (first, 0)
        while rows := self._database.read(_OF, run, *last, end):
            unpacked = (_unpack_row(*values) for _, *values in rows)
            yield from (row for row in unpacked if row and kind in {None, row.kind})
            last = (rows[-1][4], rows[-1][0])

    def list_commitments(self, run: str, ref: int | None = None) -> list[str]:
        """Return the commitments of a run, or of one of its references, whose values are still here."""
        return [row[0] for row in self._database.read(_HELD, run, *_make_ref_range(ref), _GONE)]

    def erase(self, commitments: Iterable[str]) -> int:
        """Overwrite values and salts with zeros, so that no byte stays in any file; return how many rows."""
        rows = [(_GONE, commitment, _GONE) for commitment in commitments]
        if not rows:
            return 0
        changed = self._database.write(_ERASE, rows)
        if self.mark(_MOVED):
            self._rewrite()
        self._database.flush_log()  # also when nothing changed: a call before may have died just here
        return changed

    def compact(self) -> None:
        """Take erased rows out and write the file again, if it is small enough to be held in memory."""
        if self._database.path.stat().st_size <= COMPACTED:
            self.note(_MOVED, 1)
            self._database.write("DELETE FROM rows WHERE salt = ?", [(_GONE,)])
            self._rewrite()

    def _rewrite(self) -> None:
        self._database.read("PRAGMA temp_store = MEMORY")  # no copy of what is left in a folder for all
        self._database.read("VACUUM")
        self._database.flush_log()
        self.note(_MOVED, 0)

    def mark(self, name: str) -> int:
        """Return a number that was noted, 0 if none was."""
        rows = self._database.read("SELECT value FROM marks WHERE name = ?", name)
        return int(rows[0][0]) if rows else 0

    def note(self, name: str, value: int) -> None:
        self._database.write("INSERT OR REPLACE INTO marks VALUES (?, ?)", [(name, value)])

    def close(self) -> None:
        self._database.close()


def _make_ref_range(ref: int | None) -> tuple[int, int]:
    """Return the first and last number of reference that is meant; None means all."""
    return (0, 2**62) if ref is None else (ref, ref)


def _unpack_row(
    commitment: str, run: str, kind: str, ref: int, salt: object, data: object
) -> PrivateRow | None:
    if not isinstance(salt, bytes) or not isinstance(data, bytes) or salt == _GONE:
        return None
    clear = unpack_frame(data, LARGEST)
    return None if clear is None else PrivateRow(commitment, run, kind, ref, salt, clear)

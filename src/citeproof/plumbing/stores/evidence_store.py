"""The bytes behind judgements, by content: what sources answered, stored for as long as the log is.

`evidence.sqlite` in the audit folder. A body goes in durably before the event that names it, and comes
out only if it still has its hash. Rows are numbered, not filed by hash: with whole bodies filed by a
random key, writing took 2.5 times as long.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from hashlib import sha256
from pathlib import Path

from citeproof.errors import AuditError
from citeproof.plumbing.clock import Clock, SystemClock, today
from citeproof.plumbing.stores.store_database import StoreDatabase, compress_bodies
from citeproof.plumbing.zstd_frames import unpack_frame

FILE = "evidence.sqlite"
LARGEST = 64_000_000  # bytes of one body; `net` allows less
_RAW, _ZSTD = 0, 1
_PAGE = 1_000
_SHORT = 400  # bytes of a body that is not worth compressing alone
_TABLES = """
CREATE TABLE IF NOT EXISTS bodies (
  sha256 BLOB PRIMARY KEY, length INTEGER NOT NULL, packed INTEGER NOT NULL, data BLOB NOT NULL,
  day INTEGER NOT NULL
);
"""
# A body that is put again heals a damaged one and is in use again, which `drop` must know.
_PUT = "INSERT INTO bodies"
_AGAIN = """
ON CONFLICT (sha256) DO UPDATE
SET length = excluded.length, packed = excluded.packed, data = excluded.data, day = max(day, excluded.day)
WHERE excluded.data != data OR excluded.packed != packed OR excluded.length != length OR excluded.day > day
"""


class EvidenceStore:
    """The store of one audit folder. Hashes are SHA-256 in hexadecimal."""

    def __init__(self, folder: Path, *, readonly: bool = False, clock: Clock | None = None) -> None:
        self.folder = folder
        self._database = StoreDatabase(folder / FILE, _TABLES, readonly=readonly)
        self._clock = clock or SystemClock()

    def put(self, bodies: Iterable[tuple[str, bytes]]) -> None:
        """Keep all of `bodies` in one transaction; on the disk on return. One that is there is left alone."""
        day = today(self._clock).toordinal()
        bodies = list(bodies)
        small = iter(compress_bodies([body for _, body in bodies if len(body) >= _SHORT], 3))
        rows = []
        for digest, body in bodies:
            key, size = sha256(body).digest(), len(body)
            if key != _decode_digest(digest):
                raise AuditError(f"a body has the hash {key.hex()}, not {digest[:64]}", place=FILE)
            if size > LARGEST:
                message = f"a body of {size:,} bytes is larger than the {LARGEST:,} allowed"
                raise AuditError(message, place=FILE)
            packed = next(small) if size >= _SHORT else body
            whole = len(packed) >= size
            rows.append((key, size, _RAW if whole else _ZSTD, body if whole else packed, day))
        if rows:
            self._database.insert(_PUT, rows, _AGAIN)

    def get(self, digest: str) -> bytes | None:
        """Return the body with this hash; None when it is absent or no longer whole."""
        question = "SELECT length, packed, data FROM bodies WHERE sha256 = ?"
        rows = self._database.read(question, _decode_digest(digest))
        length, packed, data = rows[0] if rows else (None, None, None)
        # no row may claim a length that fills the memory
        if not isinstance(data, bytes) or not isinstance(length, int) or not 0 <= length <= LARGEST:
            return None
        body = unpack_frame(data, length) if packed == _ZSTD else data
        if body is None or (packed == _ZSTD and len(body) != length):
            return None
        return body if sha256(body).hexdigest() == digest.lower() else None

    def read_stored(self, digest: str) -> bytes | None:
        """Return what is under this hash, whole or not; None when there is nothing to be read."""
        rows = self._database.read("SELECT packed, data FROM bodies WHERE sha256 = ?", _decode_digest(digest))
        packed, data = rows[0] if rows else (None, None)
        if not isinstance(data, bytes) or len(data) > LARGEST:
            return None
        return unpack_frame(data, LARGEST) if packed == _ZSTD else data

    def has(self, digest: str) -> bool:
        return self.length(digest) is not None

    def length(self, digest: str) -> int | None:
        """Return how many bytes the body with this hash has, as it was put; None when it is absent."""
        rows = self._database.read("SELECT length FROM bodies WHERE sha256 = ?", _decode_digest(digest))
        return rows[0][0] if rows else None

    def hashes(self) -> Iterator[str]:
        """Yield the hash of every body, whole or not, in order."""
        last, question = b"", "SELECT sha256 FROM bodies WHERE sha256 > ? ORDER BY sha256 LIMIT ?"
        while rows := self._database.read(question, last, _PAGE):
            yield from (row[0].hex() for row in rows)
            last = rows[-1][0]

    def list_older(self, hashes: Iterable[str], than: date) -> list[str]:
        """Return those of `hashes` that are here and were last put before that day."""
        question = "SELECT 1 FROM bodies WHERE sha256 = ? AND day < ?"
        day = than.toordinal()
        return [digest for digest in hashes if self._database.read(question, _decode_digest(digest), day)]

    def drop(self, hashes: Iterable[str], unless_since: date | None = None) -> int:
        """Take bodies out, but for those put on that day or later; return how many went."""
        limit = unless_since.toordinal() if unless_since else date.max.toordinal() + 1
        rows = [(_decode_digest(digest), limit) for digest in hashes]
        if not rows:
            return 0
        gone = self._database.write("DELETE FROM bodies WHERE sha256 = ? AND day < ?", rows)
        self._database.shrink()
        return gone

    def close(self) -> None:
        self._database.close()


def _decode_digest(digest: str) -> bytes:
    try:
        return bytes.fromhex(digest)
    except ValueError:
        return b""  # a hash that is not one, out of a log that somebody edited: nothing has it

"""Which events of a log stand under its signed checkpoint: for showing them; it replaces no verification."""

from __future__ import annotations

from pathlib import Path

import msgspec

from citeproof.audit import merkle
from citeproof.audit.canonical import canonical
from citeproof.audit.checkpoint import Checkpoint, parse
from citeproof.audit.looking.seeing import BAD, About
from citeproof.audit.note import VerifierKey, opened
from citeproof.audit.reading import Entry
from citeproof.audit.state import CHECKPOINT, HEAD
from citeproof.audit.tiles import Tiles
from citeproof.audit.untrusted import Unreadable, Untrusted
from citeproof.errors import AuditError

_NOTE = 1_000_000


class SignedEntries:
    """The tree under the checkpoint that the log's own key signed; without one, no event is signed."""

    def __init__(self, folder: Path) -> None:
        self._now = _read_checkpoint(folder)
        self._tiles = Tiles(folder)

    def covers(self, entry: Entry, run: str) -> bool:
        """Return whether `entry`, read from the file of `run`, is what the signed tree has at its number."""
        seq, now = entry.get("seq"), self._now
        if now is None or entry.get("run") != run or not isinstance(seq, int) or not 0 <= seq < now.size:
            return False
        try:
            proof = merkle.inclusion(seq, now.size, self._tiles.hashes(now.size))
            return merkle.check_inclusion(seq, now.size, merkle.leaf(canonical(entry)), proof, now.root)
        except (AuditError, ValueError, RecursionError):  # a damaged tile, or what has no canonical form
            return False


def _read_checkpoint(folder: Path) -> Checkpoint | None:
    try:
        with Untrusted(folder) as files:
            note, about = files.read(CHECKPOINT, _NOTE), files.read(HEAD, _NOTE)
        key = VerifierKey.parse(msgspec.json.decode(about, type=About).key)
        now = parse(opened(note, [key]).text)
    except (Unreadable, AuditError, *BAD):
        return None
    return now if now.origin == key.name else None

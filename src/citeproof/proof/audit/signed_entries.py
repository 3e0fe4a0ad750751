"""Which events of a log are under its signed checkpoint: for showing them; it replaces no verification."""

from __future__ import annotations

from pathlib import Path

from citeproof.errors import AuditError
from citeproof.plumbing.signed_note import VerifierKey, open_note
from citeproof.proof.audit import merkle
from citeproof.proof.audit.canonical_json import encode_canonical
from citeproof.proof.audit.log_checkpoint import LogCheckpoint, parse_checkpoint
from citeproof.proof.audit.log_reader import Entry
from citeproof.proof.audit.log_state import CHECKPOINT, HEAD
from citeproof.proof.audit.tiles import Tiles
from citeproof.proof.audit.untrusted_files import UnreadableFileError, UntrustedFolder
from citeproof.proof.audit.verify.log_files import BAD, UntrustedHead
from citeproof.text.typed_decoding import decode_json

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
            proof = merkle.prove_inclusion(seq, now.size, self._tiles.hashes(now.size))
            return merkle.check_inclusion(
                seq, now.size, merkle.hash_leaf(encode_canonical(entry)), proof, now.root
            )
        except (AuditError, ValueError, RecursionError):  # a damaged tile, or what has no canonical form
            return False


def _read_checkpoint(folder: Path) -> LogCheckpoint | None:
    try:
        with UntrustedFolder(folder) as files:
            note, about = files.read(CHECKPOINT, _NOTE), files.read(HEAD, _NOTE)
        key = VerifierKey.parse(decode_json(about, type=UntrustedHead).key)
        now = parse_checkpoint(open_note(note, [key]).text)
    except (UnreadableFileError, AuditError, *BAD):
        return None
    return now if now.origin == key.name else None

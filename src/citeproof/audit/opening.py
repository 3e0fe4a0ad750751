"""A folder -> what a writer must know of it, at the cost of the tree's right edge, or an error with the mend.

Everything here happens under the lock of the log.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from citeproof.audit import checkpoint, merkle, state
from citeproof.audit.durable import read_small, sync_folder
from citeproof.audit.journal import Entry, Journal, create, path_of
from citeproof.audit.keys import KeyStore
from citeproof.audit.note import NoteError, SignerKey, VerifierKey, opened
from citeproof.audit.state import Committed, Head, Stamp, State
from citeproof.audit.tiles import Tiles, tidy
from citeproof.errors import AuditError

COMMIT = "merkle_commit"
BACKUP = "restore the folder from a backup, or keep it as it is and log to a new folder"
NEWER = (
    "put the newer files back; if they are lost, keep this folder as it is and log to a new folder: "
    "the key has signed what is missing here"
)


@dataclass(slots=True)
class View:
    """What one process knows of a log: small, whatever the size of the log."""

    head: Head
    key: SignerKey
    state: State
    stamp: Stamp | None
    journal: Journal

    def committed(self, entries: Sequence[Entry]) -> Committed | None:
        """Return the tree of the last commit: among the entries of the journal, or in the tiles."""
        for entry in reversed(entries):
            if entry.line.ev == COMMIT:
                with suppress(msgspec.DecodeError):
                    return msgspec.json.decode(entry.data, type=Committed)
        return self.state.commit


def view_of(folder: Path, keys: KeyStore) -> tuple[View, list[Entry], bytes]:
    """Return the log as it stands, the entries of its journal, and torn bytes that a crash left behind."""
    # 1 who it is
    head = state.load(folder, state.HEAD, Head)
    if head is None:
        raise AuditError("there is no audit log here", place=str(folder), mend="name the folder of a log")
    if head.format != state.FORMAT:
        raise AuditError(
            f"is a log of the format {head.format[:40]!r}, which this version does not write",
            place=str(folder),
            mend="use the version of citeproof that made it, or log to a new folder",
        )
    key = _key(folder, head, keys)
    # 2 what stands in its tiles, and whether they lead to it
    now, stamp = state.load(folder, state.STATE, State), state.stamp(folder)
    if now is None:
        raise AuditError("is missing", place=str(folder / state.STATE), mend=BACKUP)
    _finish(folder, now)
    check_edge(folder, now)
    # 3 that nothing that was signed is gone or changed
    for where in (keys.signed_path(key), folder / state.CHECKPOINT):
        note = read_small(where)
        if note is not None:
            check_signed(folder, head, key, now, note, where)
    # 4 what is not in tiles yet
    journal = _journal(folder, now)
    try:
        entries, torn = journal.catch_up()
    except BaseException:
        journal.close()
        raise
    return View(head, key, now, stamp, journal), entries, torn


def _key(folder: Path, head: Head, keys: KeyStore) -> SignerKey:
    try:
        public = VerifierKey.parse(head.key)
    except NoteError as error:
        place = str(folder / state.HEAD)
        raise AuditError(f"is damaged: {error.message}", place=place, mend=BACKUP) from error
    return keys.find(public)


def check_edge(folder: Path, now: State) -> None:
    """Raise unless the right edge of the tiles leads to the root that state.json names."""
    tiles = Tiles(folder)
    found = merkle.root_of(now.size, tiles.hashes(now.size))
    whole = now.size == 0 or merkle.leaf(tiles.entry(now.size - 1, now.size)) == tiles.leaf(
        now.size - 1, now.size
    )
    if found.hex() != now.root or not whole:
        raise AuditError(
            f"the tiles of {now.size:,} entries do not lead to the root of {state.STATE}: one was changed",
            place=str(folder / "tile"),
            mend=f"{BACKUP}; `citeproof audit verify` tells which",
        )


def check_signed(folder: Path, head: Head, key: SignerKey, now: State, note: bytes, where: Path) -> None:
    """Raise unless the tree continues the checkpoint `note` of the file `where`, which our key signed."""
    name = "its checkpoint" if where.parent == folder else "the last checkpoint that its key signed"
    mend = "restore this file; if it is lost, remove what is left of it, and it is written anew"
    try:
        then = checkpoint.parse(opened(note, [key.verifier]).text)
    except NoteError as error:
        raise AuditError(f"{name} is damaged: {error.message}", place=str(where), mend=mend) from error
    if then.origin != head.origin:
        raise AuditError(f"{name} is of another log, {then.origin[:80]}", place=str(where), mend=mend)
    if then.size > now.size:
        raise AuditError(
            f"the log was rolled back: {name} has {then.size:,} entries, and here are {now.size:,}",
            place=str(folder),
            mend=NEWER,
        )
    proof = merkle.consistency(then.size, now.size, Tiles(folder).hashes(now.size))
    if not merkle.check_consistency(then.size, then.root, now.size, bytes.fromhex(now.root), proof):
        raise AuditError(
            f"the tree does not continue {name} of {then.size:,} entries: entries were changed",
            place=str(folder),
            mend=NEWER,
        )


def _finish(folder: Path, now: State) -> None:
    """Complete an integration that a crash cut short: the entries stand in tiles, their journal may go."""
    old = path_of(folder, now.journal)
    if now.journal == now.size or not old.exists():
        return
    if not path_of(folder, now.size).exists():
        create(folder, now.size)
    old.unlink()
    sync_folder(folder)
    tidy(folder, now.journal, now.size)


def _journal(folder: Path, now: State) -> Journal:
    try:
        return Journal.open(folder, now.size, now.ts)
    except FileNotFoundError:
        raise AuditError(
            "the journal is missing, and with it every event since the last checkpoint",
            place=str(path_of(folder, now.size)),
            mend=f"{BACKUP}; if nothing was logged since, make an empty file of this name",
        ) from None

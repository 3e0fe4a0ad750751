"""A folder -> what a writer must know of it, or an error with the mend; all under the lock of the log.

It costs the tree's right edge and the entries since the last commit, whatever the size of the log.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from citeproof.audit import checkpoint, merkle, state
from citeproof.audit.durable import read_small
from citeproof.audit.journal import Entry, Journal, create, decoded, path_of
from citeproof.audit.keys import KeyStore
from citeproof.audit.note import NoteError, SignerKey, VerifierKey, opened
from citeproof.audit.state import Committed, Head, Stamp, State
from citeproof.audit.tiles import WIDTH, Tiles, tidy
from citeproof.errors import AuditError
from citeproof.stores.disk import sync_folder

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
        lines = (entry.data for entry in entries if entry.line.ev == COMMIT)
        return _last_commit(lines) or self.state.commit


def view_of(folder: Path, keys: KeyStore, seen: View | None = None) -> tuple[View, list[Entry], bytes]:
    """Return the log as it stands, the entries of its journal, and torn bytes that a crash left behind.

    `seen` is what this writer knew before: what it held against the tiles then is not read again.
    """
    # 1 who it is
    head = state.head(folder)
    if head is None:
        raise AuditError("there is no audit log here", place=str(folder), mend="name the folder of a log")
    key = _key(folder, head, keys)
    # 2 what stands in its tiles, and whether they lead to it
    now, stamp = state.load(folder, state.STATE, State), state.stamp(folder)
    if now is None:
        raise AuditError("is missing", place=str(folder / state.STATE), mend=BACKUP)
    check_edge(folder, now)
    _check_memory(folder, head, now, seen.state if seen and seen.head == head else None)
    # 3 that nothing that was signed is gone or changed
    for where in (keys.signed_path(key), folder / state.CHECKPOINT):
        note = read_small(where)
        if note is not None:
            check_signed(folder, head, key, now, note, where)
    _finish(folder, now)
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


def _check_memory(folder: Path, head: Head, now: State, seen: State | None) -> None:
    """Raise unless the last entry and the last commit in the tiles are those that state.json names."""
    tiles, last = Tiles(folder), head.created
    if now.size:
        read = decoded(tiles.entry(now.size - 1, now.size))
        last = read.ts if read else ""
    if now.ts != last:
        raise _contradicted(folder, f"the last entry is of {last}, not of {now.ts[:40]}")
    said = now.commit
    start = said.seq if said is not None and 0 <= said.seq < now.size else 0
    before = None
    if seen is not None and start < seen.size <= now.size:  # nothing before it is read a second time
        start, before = seen.size, seen.commit
    found = _last_commit(_in_tree(folder, tiles, now, start)) or before
    if (found and (found.root, found.size)) != (said and (said.root, said.size)):
        raise _contradicted(folder, "the last commit in the tiles is not the one that it names")


def _in_tree(folder: Path, tiles: Tiles, now: State, start: int) -> Iterator[bytes]:
    """Yield the entries from number `start` on; raise unless each is in the tree."""
    hashes, root = tiles.hashes(now.size), bytes.fromhex(now.root)
    for number in range(start // WIDTH, -(-now.size // WIDTH)):
        first = number * WIDTH
        found = tiles.bundle(number, min(WIDTH, now.size - first))
        leaves = merkle.leaves(found)
        proof = merkle.inclusion(first, now.size, hashes)
        whole = all(hashes(0, first + n) == leaf for n, leaf in enumerate(leaves))
        if not whole or not merkle.check_inclusion(first, now.size, leaves[0], proof, root):
            raise AuditError(
                f"the entries from {first:,} on are not those of the tree: some were changed",
                place=str(folder / "tile"),
                mend=f"{BACKUP}; `citeproof audit verify` tells which",
            )
        yield from found[max(0, start - first) :]


def _last_commit(lines: Iterable[bytes]) -> Committed | None:
    """Return what the last commit among the entries says, None when there is none."""
    found: Committed | None = None
    for line in lines:
        if COMMIT.encode() in line and (read := decoded(line)) is not None and read.ev == COMMIT:
            with suppress(msgspec.DecodeError):
                found = msgspec.json.decode(line, type=Committed)
    return found


def _contradicted(folder: Path, why: str) -> AuditError:
    return AuditError(f"was changed: {why}", place=str(folder / state.STATE), mend=BACKUP)


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

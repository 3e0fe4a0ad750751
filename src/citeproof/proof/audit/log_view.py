"""A folder -> what a writer must know of it, or an error with the hint; and the journal -> part of the tree.

All under the lock of the log. To read it costs the tree's right edge and the entries since the last commit,
whatever the size of the log. What is in the journal stays there until it is in tiles and state.json says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from citeproof.errors import AuditError
from citeproof.plumbing.disk_files import replace_durably
from citeproof.plumbing.signed_note import NoteError, SignerKey, VerifierKey, open_note, sign_note
from citeproof.proof.audit import log_state, merkle, run_files
from citeproof.proof.audit.key_store import KeyStore
from citeproof.proof.audit.log_journal import (
    Journal,
    JournalEntry,
    create_journal,
    decode_line,
    make_journal_path,
)
from citeproof.proof.audit.log_state import (
    LastCommit,
    LogCheckpoint,
    LogHead,
    LogState,
    Stamp,
    parse_checkpoint,
    read_small_file,
)
from citeproof.proof.audit.tiles import WIDTH, Tiles, extend_tree, remove_partial_tiles
from citeproof.text.typed_decoding import decode_json
from citeproof.vocabulary.quick_dataclass import dataclass

COMMIT = "merkle_commit"
BACKUP = "restore the folder from a backup, or keep it as it is and log to a new folder"
NEWER = (
    "put the newer files back; if they are lost, keep this folder as it is and log to a new folder: "
    "the key has signed what is missing here"
)


@dataclass(slots=True)
class LogView:
    """What one process knows of a log: small, whatever the size of the log."""

    head: LogHead
    key: SignerKey
    state: LogState
    stamp: Stamp | None
    journal: Journal

    def find_last_commit(self, entries: Sequence[JournalEntry]) -> LastCommit | None:
        """Return the tree of the last commit: among the entries of the journal, or in the tiles."""
        lines = (entry.data for entry in entries if entry.line.ev == COMMIT)
        return _find_last_commit(lines) or self.state.commit


def read_view(
    folder: Path, keys: KeyStore, seen: LogView | None = None
) -> tuple[LogView, list[JournalEntry], bytes]:
    """Return the log as it is, the entries of its journal, and torn bytes that a crash left behind.

    `seen` is what this writer knew before: what it compared with the tiles then is not read again.
    """
    # 1 who it is
    head = log_state.load_head(folder)
    if head is None:
        raise AuditError("this folder has no audit log", place=str(folder), hint="name the folder of a log")
    try:
        public = VerifierKey.parse(head.key)
    except NoteError as error:
        place = str(folder / log_state.HEAD)
        raise AuditError(f"is damaged: {error.message}", place=place, hint=BACKUP) from error
    key = keys.find(public)
    # 2 what is in its tiles, and whether they lead to it
    now, stamp = (
        log_state.load_state_file(folder, log_state.STATE, LogState),
        log_state.read_state_stamp(folder),
    )
    if now is None:
        raise AuditError("is missing", place=str(folder / log_state.STATE), hint=BACKUP)
    _check_edge(folder, now)
    _check_state(folder, head, now, seen.state if seen and seen.head == head else None)
    # 3 that nothing that was signed is gone or changed
    for where in (keys.locate_signed(key), folder / log_state.CHECKPOINT):
        note = read_small_file(where)
        if note is not None:
            _check_signed(folder, head, key, now, note, where)
    _finish_integration(folder, now)
    # 4 what is not in tiles yet
    journal = _open_journal(folder, now)
    try:
        entries, torn = journal.catch_up()
    except BaseException:
        journal.close()
        raise
    return LogView(head, key, now, stamp, journal), entries, torn


def _check_edge(folder: Path, now: LogState) -> None:
    """Raise unless the right edge of the tiles leads to the root that state.json names."""
    tiles = Tiles(folder)
    root = merkle.compute_root_at(now.size, tiles.hashes(now.size))
    whole = now.size == 0 or merkle.hash_leaf(tiles.entry(now.size - 1, now.size)) == tiles.leaf(
        now.size - 1, now.size
    )
    if root.hex() != now.root or not whole:
        raise AuditError(
            f"the tiles of {now.size:,} entries do not lead to the root of {log_state.STATE}: one was "
            "changed",
            place=str(folder / "tile"),
            hint=f"{BACKUP}; `citeproof audit verify` shows which",
        )


def _check_state(folder: Path, head: LogHead, now: LogState, seen: LogState | None) -> None:
    """Raise unless the last entry and the last commit in the tiles are those that state.json names."""
    tiles, last = Tiles(folder), head.created
    if now.size:
        read = decode_line(tiles.entry(now.size - 1, now.size))
        last = read.ts if read else ""
    if now.ts != last:
        raise _make_state_error(folder, f"the last entry is of {last}, not of {now.ts[:40]}")
    said = now.commit
    start = said.seq if said is not None and 0 <= said.seq < now.size else 0
    before = None
    if seen is not None and start < seen.size <= now.size:  # nothing before it is read a second time
        start, before = seen.size, seen.commit
    commit = _find_last_commit(_read_proved_entries(folder, tiles, now, start)) or before
    if (commit and (commit.root, commit.size)) != (said and (said.root, said.size)):
        raise _make_state_error(folder, "the last commit in the tiles is not the one that it names")


def _read_proved_entries(folder: Path, tiles: Tiles, now: LogState, start: int) -> Iterator[bytes]:
    """Yield the entries from number `start` on; raise unless each is in the tree."""
    hashes, root = tiles.hashes(now.size), bytes.fromhex(now.root)
    for number in range(start // WIDTH, -(-now.size // WIDTH)):
        first = number * WIDTH
        entries = tiles.bundle(number, min(WIDTH, now.size - first))
        leaves = merkle.hash_leaves(entries)
        proof = merkle.prove_inclusion(first, now.size, hashes)
        whole = all(hashes(0, first + n) == leaf for n, leaf in enumerate(leaves))
        if not whole or not merkle.check_inclusion(first, now.size, leaves[0], proof, root):
            message = f"the entries from {first:,} on are not those of the tree: some were changed"
            hint = f"{BACKUP}; `citeproof audit verify` shows which"
            raise AuditError(message, place=str(folder / "tile"), hint=hint)
        yield from entries[max(0, start - first) :]


def _find_last_commit(lines: Iterable[bytes]) -> LastCommit | None:
    """Return what the last commit among the entries says, None when there is none."""
    commit: LastCommit | None = None
    for line in lines:
        if COMMIT.encode() in line and (read := decode_line(line)) is not None and read.ev == COMMIT:
            with suppress(msgspec.DecodeError):
                commit = decode_json(line, type=LastCommit)
    return commit


def _make_state_error(folder: Path, why: str) -> AuditError:
    return AuditError(f"was changed: {why}", place=str(folder / log_state.STATE), hint=BACKUP)


def _check_signed(
    folder: Path, head: LogHead, key: SignerKey, now: LogState, note: bytes, where: Path
) -> None:
    """Raise unless the tree continues the checkpoint `note` of the file `where`, which our key signed."""
    name = "its checkpoint" if where.parent == folder else "the last checkpoint that its key signed"
    hint = "restore this file; if it is lost, remove what is left of it: it will be written again"
    try:
        then = parse_checkpoint(open_note(note, [key.verifier]).text)
    except NoteError as error:
        raise AuditError(f"{name} is damaged: {error.message}", place=str(where), hint=hint) from error
    if then.origin != head.origin:
        raise AuditError(f"{name} is of another log, {then.origin[:80]}", place=str(where), hint=hint)
    if then.size > now.size:
        message = f"the log was rolled back: {name} has {then.size:,} entries, this folder only {now.size:,}"
        raise AuditError(message, place=str(folder), hint=NEWER)
    proof = merkle.prove_consistency(then.size, now.size, Tiles(folder).hashes(now.size))
    if not merkle.check_consistency(then.size, then.root, now.size, bytes.fromhex(now.root), proof):
        message = f"the tree does not continue {name} of {then.size:,} entries: entries were changed"
        raise AuditError(message, place=str(folder), hint=NEWER)


def _finish_integration(folder: Path, now: LogState) -> None:
    """Complete an integration that a crash cut short: the entries are in tiles, their journal may go."""
    old = make_journal_path(folder, now.journal)
    if now.journal == now.size or not old.exists():
        return
    if not make_journal_path(folder, now.size).exists():
        create_journal(folder, now.size)
    old.unlink()
    remove_partial_tiles(folder, now.journal, now.size)


def _open_journal(folder: Path, now: LogState) -> Journal:
    try:
        return Journal.open(folder, now.size, now.ts)
    except FileNotFoundError:
        message = "the journal is missing, and with it every event since the last checkpoint"
        hint = f"{BACKUP}; if nothing was logged since, make an empty file of this name"
        raise AuditError(message, place=str(make_journal_path(folder, now.size)), hint=hint) from None


def integrate_journal(folder: Path, keys: KeyStore, view: LogView) -> bytes:
    """Return the signed and published checkpoint of all entries; `view` is brought up to date.

    Each step is on the disk before the next begins, so a crash between any two leaves a log that opens.
    """
    entries = view.journal.entries()
    if not entries:
        return _publish_checkpoint(folder, keys, view)
    old = view.state
    _check_edge(folder, old)
    if old.size and old.journal == 0:  # a writer may have died before the first signature: it is made now
        _publish_checkpoint(folder, keys, view)
    # 1 the readable copies
    run_files.repair_run_files(folder, entries, old.size, view.journal.ts, sync=True)
    # 2 bundles, hash tiles
    root = extend_tree(folder, old.size, [entry.data for entry in entries])
    # 3 state
    view.state = LogState(
        old.size + len(entries), root.hex(), view.journal.ts, view.find_last_commit(entries), old.size
    )
    log_state.save_state_file(folder, log_state.STATE, view.state)
    view.stamp = log_state.read_state_stamp(folder)
    # 4 signature, 5 what was signed, 6 checkpoint
    note = _publish_checkpoint(folder, keys, view)
    # 7 new journal, 8 away with the old one, 9 and with partial tiles that wider ones replaced
    create_journal(folder, view.state.size)
    make_journal_path(folder, old.size).unlink()  # should a power cut bring it back: `_finish_integration`
    journal = Journal.open(folder, view.state.size, view.state.ts)
    view.journal.close()
    view.journal = journal
    remove_partial_tiles(folder, old.size, view.state.size)
    return note


def _publish_checkpoint(folder: Path, keys: KeyStore, view: LogView) -> bytes:
    """Return the checkpoint of what is in the tiles, signed unless it was."""
    now, key = view.state, view.key
    public = read_published(folder, key.verifier)
    if public is not None and public[1].size == now.size:
        return public[0]  # perhaps with the signatures of witnesses
    body = LogCheckpoint(view.head.origin, now.size, bytes.fromhex(now.root)).body()
    last = keys.last_signed(key)
    if last is not None:
        _check_signed(folder, view.head, key, now, last, keys.locate_signed(key))
    note = sign_note(body, key)
    keys.keep_signed(key, note)
    replace_durably(folder / log_state.CHECKPOINT, note)
    return note


def read_published(folder: Path, key: VerifierKey) -> tuple[bytes, LogCheckpoint] | None:
    """Return the published checkpoint, None when there is none that `key` signed."""
    note = read_small_file(folder / log_state.CHECKPOINT)
    if note is None:
        return None
    try:
        return note, parse_checkpoint(open_note(note, [key]).text)
    except NoteError:
        return None

"""The journal becomes part of the tree: runs, bundles and tiles, state, signature, checkpoint, new journal.

Each step is on the disk before the next begins, so a crash between any two leaves a log that opens: what
is in the journal stays there until it is in tiles and state.json says so.
"""

from __future__ import annotations

from pathlib import Path

from citeproof.audit import log_state, merkle, run_files
from citeproof.audit.durable_files import read_small_file
from citeproof.audit.key_store import KeyStore
from citeproof.audit.log_checkpoint import LogCheckpoint, parse_checkpoint
from citeproof.audit.log_journal import Journal, create_journal, make_journal_path
from citeproof.audit.log_state import LogState
from citeproof.audit.log_view import LogView, check_edge, check_signed
from citeproof.audit.signed_note import NoteError, VerifierKey, open_note, sign_note
from citeproof.audit.tiles import extend_tree, remove_partial_tiles
from citeproof.disk_files import replace_durably, sync_folder


def integrate_journal(folder: Path, keys: KeyStore, view: LogView) -> bytes:
    """Return the signed and published checkpoint of all entries; `view` is brought up to date."""
    entries = view.journal.entries()
    if not entries:
        return publish_checkpoint(folder, keys, view)
    old = view.state
    check_edge(folder, old)
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
    note = publish_checkpoint(folder, keys, view)
    # 7 new journal, 8 away with the old one, 9 and with partial tiles that wider ones replaced
    create_journal(folder, view.state.size)
    make_journal_path(folder, old.size).unlink()
    sync_folder(folder)
    journal = Journal.open(folder, view.state.size, view.state.ts)
    view.journal.close()
    view.journal = journal
    remove_partial_tiles(folder, old.size, view.state.size)
    return note


def publish_checkpoint(folder: Path, keys: KeyStore, view: LogView) -> bytes:
    """Return the checkpoint of what is in the tiles, signed unless it was."""
    now, key = view.state, view.key
    public = read_published(folder, key.verifier)
    if public is not None and public[1].size == now.size:
        return public[0]  # perhaps with the signatures of witnesses
    body = LogCheckpoint(view.head.origin, now.size, bytes.fromhex(now.root)).body()
    last = keys.last_signed(key)
    if last is not None:
        check_signed(folder, view.head, key, now, last, keys.locate_signed(key))
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


def make_empty_state(created: str) -> LogState:
    """Return the state of a log without entries."""
    return LogState(0, merkle.EMPTY.hex(), created)

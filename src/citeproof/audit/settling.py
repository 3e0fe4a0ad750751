"""The journal becomes part of the tree: runs, bundles and tiles, state, signature, checkpoint, new journal.

Each step is on the disk before the next begins, so a crash between any two leaves a log that opens: what
is in the journal stays there until it is in tiles and state.json says so.
"""

from __future__ import annotations

from pathlib import Path

from citeproof.audit import copies, merkle, state
from citeproof.audit.checkpoint import Checkpoint, parse
from citeproof.audit.durable import read_small, replace
from citeproof.audit.journal import Journal, create, path_of
from citeproof.audit.keys import KeyStore
from citeproof.audit.note import NoteError, VerifierKey, opened, sign
from citeproof.audit.opening import View, check_edge, check_signed
from citeproof.audit.state import State
from citeproof.audit.tiles import extend, tidy
from citeproof.stores.disk import sync_folder


def settle(folder: Path, keys: KeyStore, view: View) -> bytes:
    """Return the signed and published checkpoint of all entries; `view` is brought up to date."""
    entries = view.journal.entries()
    if not entries:
        return publish(folder, keys, view)
    old = view.state
    check_edge(folder, old)
    # 1 the readable copies
    copies.mend(folder, entries, old.size, view.journal.ts, sync=True)
    # 2 bundles, hash tiles
    root = extend(folder, old.size, [entry.data for entry in entries])
    # 3 state
    view.state = State(
        old.size + len(entries), root.hex(), view.journal.ts, view.committed(entries), old.size
    )
    state.save(folder, state.STATE, view.state)
    view.stamp = state.stamp(folder)
    # 4 signature, 5 what was signed, 6 checkpoint
    note = publish(folder, keys, view)
    # 7 new journal, 8 away with the old one, 9 and with partial tiles that wider ones replaced
    create(folder, view.state.size)
    path_of(folder, old.size).unlink()
    sync_folder(folder)
    journal = Journal.open(folder, view.state.size, view.state.ts)
    view.journal.close()
    view.journal = journal
    tidy(folder, old.size, view.state.size)
    return note


def publish(folder: Path, keys: KeyStore, view: View) -> bytes:
    """Return the checkpoint of what stands in the tiles, signed unless it was."""
    now, key = view.state, view.key
    public = published(folder, key.verifier)
    if public is not None and public[1].size == now.size:
        return public[0]  # perhaps with the signatures of witnesses
    body = Checkpoint(view.head.origin, now.size, bytes.fromhex(now.root)).body()
    last = keys.last_signed(key)
    if last is not None:
        check_signed(folder, view.head, key, now, last, keys.signed_path(key))
    note = sign(body, key)
    keys.signed(key, note)
    replace(folder / state.CHECKPOINT, note)
    return note


def published(folder: Path, key: VerifierKey) -> tuple[bytes, Checkpoint] | None:
    """Return the published checkpoint, None when there is none that `key` signed."""
    note = read_small(folder / state.CHECKPOINT)
    if note is None:
        return None
    try:
        return note, parse(opened(note, [key]).text)
    except NoteError:
        return None


def empty(created: str) -> State:
    """Return the state of a log without entries."""
    return State(0, merkle.EMPTY.hex(), created)

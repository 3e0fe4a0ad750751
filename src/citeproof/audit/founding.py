"""A new log in a folder, or in the place of one that is closed: there as a whole, or not at all."""

from __future__ import annotations

from contextlib import suppress
from itertools import count
from pathlib import Path

from citeproof.audit import state
from citeproof.audit.durable import locked, sync_folder, told
from citeproof.audit.journal import create, entry, path_of
from citeproof.audit.keys import KeyStore, checked_origin, fresh_origin
from citeproof.audit.note import SignerKey
from citeproof.audit.opening import View
from citeproof.audit.settling import empty
from citeproof.audit.state import Head, Rotating
from citeproof.clock import Clock, timestamp
from citeproof.errors import AuditError

CLOSED = "closed"
_STAY = frozenset({state.LOCK, state.COMMITTING, state.ROTATING, f".{state.ROTATING}.new", CLOSED})


def found(folder: Path, origin: str | None, clock: Clock, keys: KeyStore, *, fresh: bool) -> None:
    """Make a log in `folder`; where one stands, leave it, or refuse when it must be `fresh`."""
    if origin is not None:
        checked_origin(origin)
    with told(folder):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with locked(folder / state.LOCK):
            if (folder / state.HEAD).exists() or (folder / state.ROTATING).exists():
                if fresh:
                    raise AuditError(
                        "a log stands here already", place=str(folder), mend="name another folder"
                    )
                return
            _refuse_remains(folder)
            key = _key(origin, keys)
            begin(folder, head_of(key, timestamp(clock)), b"")


def _key(origin: str | None, keys: KeyStore) -> SignerKey:
    """Return the key that was made for this log, or a new one."""
    given = keys.unused()
    if given is not None and origin not in (None, given.name):
        raise AuditError(
            f"is the key of {given.name}, not of {origin}", place=str(keys.place), mend="name another key"
        )
    return given or keys.make(origin or fresh_origin())


def head_of(key: SignerKey, created: str) -> Head:
    return Head(created, state.FORMAT, key.verifier.text, key.name)


def begin(folder: Path, head: Head, first: bytes) -> None:
    """Write an empty log, log.json last: without it there is no log, and this is done again."""
    create(folder, 0, first)
    state.save(folder, state.STATE, empty(head.created))
    state.save(folder, state.HEAD, head)


def hand_over(folder: Path, view: View, key: SignerKey, ts: str) -> Path:
    """Return where the log went that ends with `view`; in its place stands a new one that names its root."""
    name = f"{view.head.origin.rpartition('/')[2]}-{ts[:19].replace('-', '').replace(':', '')}"
    taken = {path.name for path in (folder / CLOSED).iterdir()} if (folder / CLOSED).exists() else set()
    to = next(one for n in count(1) if (one := f"{name}-{n}" if n > 1 else name) not in taken)
    old = {"origin": view.head.origin, "size": view.state.size, "root": view.state.root, "key": view.head.key}
    first = entry("log", {"ev": "log_opened", **old}, ts, 0)
    state.save(folder, state.ROTATING, Rotating(to, head_of(key, ts), first.decode() + "\n"))
    resume(folder)
    return folder / CLOSED / to


def resume(folder: Path) -> None:
    """Complete a rotation that was begun; a step that was done is not done again."""
    plan = state.load(folder, state.ROTATING, Rotating)
    if plan is None:
        return
    closed = folder / CLOSED / plan.to
    if not plan.moved:
        closed.mkdir(mode=0o700, parents=True, exist_ok=True)
        sync_folder(folder / CLOSED)
        for path in sorted(folder.iterdir()):
            if path.name not in _STAY:
                path.rename(closed / path.name)
        sync_folder(closed)
        sync_folder(folder)
        plan = Rotating(plan.to, plan.head, plan.first, moved=True)
        state.save(folder, state.ROTATING, plan)
    if not (folder / state.HEAD).exists():
        begin(folder, plan.head, plan.first.encode())
    (folder / state.ROTATING).unlink()
    sync_folder(folder)


def _refuse_remains(folder: Path) -> None:
    """Raise where a log lost its log.json: a second tree over the files of a first would ruin both."""
    waiting = 0
    with suppress(FileNotFoundError):
        waiting = path_of(folder, 0).stat().st_size
    if waiting or (folder / state.CHECKPOINT).exists() or (folder / "tile").exists():
        raise AuditError(
            "the log of this folder has lost it",
            place=str(folder / state.HEAD),
            mend="restore it from a backup, or name an empty folder",
        )

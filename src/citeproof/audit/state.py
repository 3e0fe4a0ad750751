"""What a log folder says of itself: who it is (log.json), and how much stands in its tiles (state.json)."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

from citeproof.audit.canonical import canonical
from citeproof.audit.durable import read_small, replace
from citeproof.errors import AuditError

FORMAT = "citeproof-audit-1"
HEAD, STATE, CHECKPOINT, LOCK, ROTATING = "log.json", "state.json", "checkpoint", "lock", "rotating.json"
COMMITTING = "lock.commit"  # held by commits while they wait for anchors: the log is not rotated under them
Stamp = tuple[int, int, int]


class Head(msgspec.Struct, frozen=True):
    """What log.json holds: written once, never changed."""

    created: str
    format: str
    key: str
    origin: str


class Committed(msgspec.Struct, frozen=True):
    """The tree that the last `merkle_commit` names."""

    root: str
    size: int


class State(msgspec.Struct, frozen=True):
    """What stands in the tiles.

    `journal` names the journal whose lines came in last: until it is removed, a crash left it.
    """

    size: int
    root: str
    ts: str
    commit: Committed | None = None
    journal: int = 0


class Rotating(msgspec.Struct, frozen=True):
    """A rotation under way: where the old log goes, and what the new one is."""

    to: str
    head: Head
    first: str  # the first line of the new log
    moved: bool = False


Kept = TypeVar("Kept", bound=msgspec.Struct)


def load(folder: Path, name: str, kind: type[Kept]) -> Kept | None:
    """Return what the file `name` holds, None where there is none."""
    data = read_small(folder / name)
    if data is None:
        return None
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.DecodeError as error:
        raise AuditError(
            f"is damaged: {error}", place=str(folder / name), mend="restore the folder from a backup"
        ) from error


def save(folder: Path, name: str, what: msgspec.Struct) -> None:
    replace(folder / name, canonical(msgspec.to_builtins(what)) + b"\n")


def stamp(folder: Path) -> Stamp | None:
    """Return what changes whenever anybody replaces state.json."""
    try:
        seen = (folder / STATE).stat()
    except FileNotFoundError:
        return None
    return seen.st_ino, seen.st_mtime_ns, seen.st_ctime_ns

"""A folder -> what its small files say at one moment: checkpoint, journal, state, commits, names of runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from citeproof.audit.canonical import is_canonical
from citeproof.audit.untrusted import Unreadable, Untrusted

MAX_NOTE = 1_000_000  # bytes of a checkpoint, as signed notes are bounded
MAX_JOURNAL = 1 << 28
MAX_COMMITS = 200_000
FORMAT = "citeproof-audit-1"

RUN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", re.ASCII)
T = TypeVar("T")
_JOURNAL = re.compile(r"journal-(0|[1-9][0-9]{0,18})", re.ASCII)


class About(msgspec.Struct, frozen=True):
    """`log.json`: what the log is."""

    origin: str
    key: str
    format: str
    created: str = ""


class Mark(msgspec.Struct, frozen=True):
    """A size and its root."""

    root: str
    size: int


class State(msgspec.Struct, frozen=True):
    """`state.json`: what is in tiles."""

    size: int
    root: str
    ts: str = ""
    commit: Mark | None = None


class Head(msgspec.Struct, frozen=True, gc=False):
    """The members of an entry that verification looks at; those that not every event has may be anything."""

    v: int
    ts: str
    seq: int
    run: str
    ev: str
    case: Any = None
    documents: Any = None
    config: Any = None
    evidence: Any = None  # `pruned` has a count here
    judge_hash: Any = None
    commitments: Any = None
    before: Any = None
    origin: Any = None
    root: Any = None
    size: Any = None
    prior: Any = None


BAD = (msgspec.DecodeError, ValueError, RecursionError)  # ValueError: msgspec lets wrong UTF-8 through as one

head = msgspec.json.Decoder(Head).decode


@dataclass(frozen=True, slots=True)
class Kept:
    """A checkpoint and where it was kept."""

    place: str
    note: bytes


@dataclass(slots=True)
class Seen:
    """The small files, read while no writer could move them (`still`)."""

    still: bool = False
    about: About | None = None
    checkpoint: bytes | None = None
    state: State | None = None
    journals: dict[int, bytes] = field(default_factory=dict)
    runs: dict[str, int] = field(default_factory=dict)  # the bytes of <run>.jsonl
    commits: list[Kept] = field(default_factory=list)
    bad: list[Unreadable] = field(default_factory=list)
    odd: list[str] = field(default_factory=list)  # .jsonl files that no run can have


def look(files: Untrusted) -> Seen:
    """Return what stands in the small files; what cannot be read is told in `bad`."""
    with files.still() as still:
        seen = Seen(still=still)
        seen.about = _json(files, "log.json", About, seen)
        seen.state = _json(files, "state.json", State, seen)
        seen.checkpoint = _read(files, "checkpoint", MAX_NOTE, seen)
        for name in files.names(strict=True):
            _sort(files, name, seen)
        seen.commits = list(_commits(files, seen))
    return seen


def _sort(files: Untrusted, name: str, seen: Seen) -> None:
    """Put one name of the folder where it belongs."""
    if found := _JOURNAL.fullmatch(name):
        data = _read(files, name, MAX_JOURNAL, seen)
        if data is not None:
            seen.journals[int(found[1])] = data
    elif name.endswith(".jsonl"):
        run = name.removesuffix(".jsonl")
        if not RUN.fullmatch(run):
            seen.odd.append(name)
            return
        try:
            seen.runs[run] = files.size(name)
        except Unreadable as error:
            _denied(error)
            seen.bad.append(error)
            seen.runs[run] = -1


def _commits(files: Untrusted, seen: Seen) -> Iterator[Kept]:
    left = MAX_COMMITS
    for run in files.names("commits", strict=True):
        for name in files.names(f"commits/{run}", strict=True):
            if name.endswith(".merkle") and left:
                left -= 1
                place = f"commits/{run}/{name}"
                data = _read(files, place, MAX_NOTE, seen)
                if data is not None:
                    yield Kept(place, data)


def _read(files: Untrusted, name: str, limit: int, seen: Seen) -> bytes | None:
    try:
        return files.read(name, limit)
    except Unreadable as error:
        _denied(error)
        if not error.absent:
            seen.bad.append(error)
        return None


def _denied(error: Unreadable) -> None:
    """Give up on a log that we may not read: nothing can be said about it."""
    if error.denied:
        raise error


def _json(files: Untrusted, name: str, kind: type[T], seen: Seen) -> T | None:
    data = _read(files, name, 100_000, seen)
    if data is None:
        return None
    try:
        if is_canonical(data.removesuffix(b"\n")):
            return msgspec.json.decode(data, type=kind)
    except BAD:
        pass
    seen.bad.append(Unreadable(name, "it does not hold what belongs there: it was changed"))
    return None

"""A folder -> what its small files say at one moment: checkpoint, journal, state, commits, names of runs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, BinaryIO, TypeVar

import msgspec

from citeproof.proof.audit.canonical_json import is_canonical
from citeproof.proof.audit.log_state import LastCommit, LogHead, LogState
from citeproof.proof.audit.run_lock import RUN
from citeproof.proof.audit.untrusted_files import UnreadableFileError, UntrustedFolder
from citeproof.text import lazy_patterns as re
from citeproof.text.typed_decoding import decode_json

MAX_NOTE = 1_000_000  # bytes of a checkpoint, as signed notes are bounded
MAX_COMMIT = 1 << 16  # the same of one in commits/: hundreds of cosignatures
MAX_COMMITS = 200_000
TRIES = 20  # next to a writer that never lets go of the lock

T = TypeVar("T")
_JOURNAL = re.compile(r"journal-(0|[1-9][0-9]{0,18})", re.ASCII)
_SIZE = re.compile(rb"[^\n]+\n(0|[1-9][0-9]{0,18})\n")  # the size in a checkpoint


class UntrustedHead(LogHead, frozen=True, forbid_unknown_fields=True):
    """`log.json`: what the log is."""


class UntrustedCommit(LastCommit, frozen=True, forbid_unknown_fields=True):
    """The size and root of a commit, and the number of its event."""


class UntrustedState(LogState, frozen=True, forbid_unknown_fields=True):
    """`state.json`: what is in tiles."""

    commit: UntrustedCommit | None = None
    journal: int = -1  # how much was in tiles before


class EntryHead(msgspec.Struct, frozen=True, gc=False):
    """The members of an entry that verification examines; those that not every event has may be anything."""

    v: int
    ts: str
    seq: int
    run: str
    ev: str
    case: Any = None
    claim: Any = None
    set_: Any = msgspec.field(default=None, name="set")
    line: Any = None
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
    anchors: Any = None


BAD = (msgspec.DecodeError, ValueError, RecursionError)  # ValueError: msgspec lets wrong UTF-8 through as one

head = msgspec.json.Decoder(EntryHead).decode


def decode_head(entry: bytes) -> EntryHead | None:
    """Return what verification examines of an entry; None if it is no entry."""
    try:
        return head(entry)
    except BAD:
        return None


@dataclass(frozen=True, slots=True)
class KeptCheckpoint:
    """A checkpoint and where it was stored; `early`: by the writer itself, just before it is published."""

    place: str
    note: bytes
    early: bool = False


@dataclass(slots=True)
class LogFiles:
    """The small files, read while no writer could move them (`still`)."""

    still: bool = False
    moved: bool = False
    about: UntrustedHead | None = None
    checkpoint: bytes | None = None
    state: UntrustedState | None = None
    journals: dict[int, tuple[BinaryIO, int]] = field(default_factory=dict)  # open, and how long they were
    stray: list[str] = field(default_factory=list)  # journals that are none of this log
    runs: dict[str, int] = field(default_factory=dict)  # the bytes of <run>.jsonl
    commits: list[str] = field(default_factory=list)  # the places in commits/
    uncounted: bool = False  # there are more of them
    bad: list[UnreadableFileError] = field(default_factory=list)
    odd: list[str] = field(default_factory=list)  # .jsonl files that no run can have

    def close(self) -> None:
        for file, _ in self.journals.values():
            file.close()


def read_log_files(files: UntrustedFolder) -> LogFiles:
    """Return what is in the small files; what cannot be read is reported in `bad`."""
    with files.hold_writers() as still:
        for _ in range(TRIES):
            seen = _read_once(files, still=still)
            if not seen.moved:
                break
            seen.close()
    return seen


def _read_once(files: UntrustedFolder, *, still: bool) -> LogFiles:
    """Return what is there; `moved` if a writer put one journal in the place of another meanwhile."""
    seen = LogFiles(still=still)
    seen.about = _read_json(files, "log.json", UntrustedHead, seen)
    seen.state = _read_json(files, "state.json", UntrustedState, seen)
    seen.checkpoint = _try_read_file(files, "checkpoint", MAX_NOTE, seen)
    commits = _list_commits(files)
    seen.commits = list(islice(commits, MAX_COMMITS))
    seen.uncounted = next(commits, None) is not None
    starts = [at for name in files.names(strict=True) if (at := _sort_name(files, name, seen)) >= 0]
    _open_journals(files, starts, seen)
    return seen


def _sort_name(files: UntrustedFolder, name: str, seen: LogFiles) -> int:
    """Put one name of the folder where it belongs; return where it begins if it is that of a journal."""
    if match := _JOURNAL.fullmatch(name):
        return int(match[1])
    if name.endswith(".jsonl"):
        run = name.removesuffix(".jsonl")
        if not RUN.fullmatch(run):
            seen.odd.append(name)
            return -1
        try:
            seen.runs[run] = files.size(name)
        except UnreadableFileError as error:
            _raise_if_denied(error)
            seen.bad.append(error)
            seen.runs[run] = -1
    return -1


def _open_journals(files: UntrustedFolder, starts: list[int], seen: LogFiles) -> None:
    """Open the journals that a writer would continue with, or that a crash left; all others are strange.

    Open ones can be read to the end though a writer removes them meanwhile.
    """
    ours = {seen.state.size, seen.state.journal} if seen.state is not None else set[int]()
    signed = _SIZE.match(seen.checkpoint or b"")
    ours |= {int(signed[1])} if signed else set()
    seen.moved = not seen.still and bool({*starts} - ours)
    if not ours.intersection(starts):
        ours = {min(starts, default=0)}  # whatever it is, it is reported where it does not fit
    seen.stray = [f"journal-{start}" for start in starts if start not in ours]
    for start in sorted(ours.intersection(starts)):
        try:
            file = files.file(f"journal-{start}")
            seen.journals[start] = file, os.fstat(file.fileno()).st_size
        except UnreadableFileError as error:
            if error.denied:
                seen.close()
            _raise_if_denied(error)
            if error.absent:
                seen.moved = not seen.still
            else:
                seen.bad.append(error)


def _list_commits(files: UntrustedFolder) -> Iterator[str]:
    for run in files.names("commits", strict=True):
        for name in files.names(f"commits/{run}", strict=True):
            if name.endswith(".merkle"):
                yield f"commits/{run}/{name}"


def _try_read_file(files: UntrustedFolder, name: str, limit: int, seen: LogFiles) -> bytes | None:
    try:
        return files.read(name, limit)
    except UnreadableFileError as error:
        _raise_if_denied(error)
        if not error.absent:
            seen.bad.append(error)
        return None


def _raise_if_denied(error: UnreadableFileError) -> None:
    """Give up on a log that we may not read: nothing can be said about it."""
    if error.denied:
        raise error


def _read_json(files: UntrustedFolder, name: str, kind: type[T], seen: LogFiles) -> T | None:
    data = _try_read_file(files, name, 100_000, seen)
    if data is None:
        return None
    try:
        if is_canonical(data.removesuffix(b"\n")):
            return decode_json(data, type=kind)
    except BAD:
        pass
    seen.bad.append(UnreadableFileError(name, "its content is wrong: it was changed"))
    return None

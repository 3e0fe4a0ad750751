"""The entries of a log folder, read: all of them in tree order, or those of one run. Nothing is proved here.

Safe beside a writer: what moves from the journal into tiles while we read is looked for again. A last line
that is still being written is left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from citeproof.audit.checkpoint import parse
from citeproof.audit.note import NoteError
from citeproof.audit.state import CHECKPOINT, STATE, State, load
from citeproof.audit.tiles import LARGEST, Tiles
from citeproof.audit.untrusted import Unreadable, Untrusted
from citeproof.errors import AuditError
from citeproof.text.unicode import visible

RUN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", re.ASCII)
MOST = 1 << 28  # bytes of a journal
_NOTE = 1_000_000
_LOOKS = 20  # times that we look again because a writer moved the journal
_JOURNAL = re.compile(r"journal-(0|[1-9][0-9]{0,18})", re.ASCII)
_VERIFY = "say `citeproof audit verify` to see what can still be proved"

Entry = dict[str, Any]


class Brief(msgspec.Struct, frozen=True, gc=False):
    """What the list of runs needs of an entry."""

    seq: int
    ts: str
    run: str
    ev: str
    ref: int = 0
    verdict: str = ""


Shape = TypeVar("Shape")
_BRIEF = msgspec.json.Decoder(Brief)
_ENTRY = msgspec.json.Decoder(Entry)


@dataclass(slots=True)
class RunHead:
    """One run in a few words; `events` counts by name, `verdicts` one for each reference."""

    run: str
    started: str
    finished: str | None = None
    events: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    first: int = 0  # numbers of its entries
    last: int = 0

    @property
    def references(self) -> int:
        return self.verdicts.total()


def entries(folder: Path, run: str | None = None) -> Iterator[Entry]:
    """Yield the entries of a log in order: all, or those of one run."""
    for line in lines(folder) if run is None else lines_of(folder, run):
        brief(line)
        yield _read(_ENTRY, line)


def lines(folder: Path, start: int = 0) -> Iterator[bytes]:
    """Yield the entries from number `start` as bytes: those in tiles, then those in the journal."""
    at = start
    for _ in range(_LOOKS):
        state = load(folder, STATE, State)
        size = state.size if state else 0
        for bundle in Tiles(folder).bundles(size, at) if at < size else ():
            yield from bundle
        at = max(at, size)
        rest = _journal(folder, at)
        if rest is not None:
            yield from rest
            return
    raise AuditError("the journal does not follow the tiles", place=str(folder), mend=_VERIFY)


def lines_of(folder: Path, run: str) -> Iterator[bytes]:
    """Yield the lines of a run's own file, then those of the journal that a crash kept from it."""
    if not RUN.fullmatch(run):
        return
    state = load(folder, STATE, State)
    last, start = -1, state.size if state else 0  # what is in tiles is in the file too
    try:
        with Untrusted(folder) as files, files.file(f"{run}.jsonl") as raw:
            for line in _split(raw.fileno(), f"{run}.jsonl"):
                last = brief(line).seq
                yield line
    except Unreadable as error:
        if not error.absent:
            raise AuditError(error.why, place=error.name, mend=_VERIFY) from error
        start = 0
    mine = f'"run":"{run}"'.encode()
    rest = lines(folder, max(last + 1, start))
    yield from (line for line in rest if mine in line and brief(line).run == run)


def runs(folder: Path) -> Iterator[RunHead]:
    """Yield every run of a log, in the order in which they began."""
    heads: dict[str, RunHead] = {}
    judged: dict[tuple[str, int], str] = {}  # the last word on a reference counts
    for line in lines(folder):
        entry = brief(line)
        head = heads.setdefault(entry.run, RunHead(entry.run, entry.ts, first=entry.seq))
        head.last = entry.seq
        head.events[entry.ev] += 1
        if entry.verdict:
            judged[entry.run, entry.ref] = entry.verdict
        if entry.ev in {"run_start", "run_end"}:
            head.finished = entry.ts if entry.ev == "run_end" else None
    for (run, _), verdict in judged.items():
        heads[run].verdicts[verdict] += 1
    yield from heads.values()


def covered(folder: Path) -> int:
    """Return how many entries the published checkpoint covers, as it says itself; 0 where there is none."""
    try:
        with Untrusted(folder) as files:
            body = files.read(CHECKPOINT, _NOTE).decode().partition("\n\n")[0]
        return parse(f"{body}\n").size
    except (Unreadable, UnicodeDecodeError, NoteError):
        return 0


def present(folder: Path) -> bool:
    """Return whether there is a log at all."""
    try:
        with Untrusted(folder) as files:
            return files.has("log.json") or files.has(STATE)
    except Unreadable:
        return False


def _journal(folder: Path, at: int) -> list[bytes] | None:
    """Return the lines from number `at`; None when a writer has just moved the journal on."""
    try:
        with Untrusted(folder) as files:
            starts = [int(found[1]) for name in files.names() if (found := _JOURNAL.fullmatch(name))]
            start = max((start for start in starts if start <= at), default=None)
            if start is None:
                return None if starts else []
            data = files.read(f"journal-{start}", MOST)
    except Unreadable as error:
        if error.absent:
            return None
        raise AuditError(error.why, place=error.name, mend=_VERIFY) from error
    return data.split(b"\n")[:-1][at - start :]


def _split(handle: int, name: str) -> Iterator[bytes]:
    """Yield the whole lines of a file, each no longer than an entry can be."""
    with open(handle, "rb", closefd=False) as file:
        while (line := file.readline(LARGEST + 2)).endswith(b"\n"):
            yield line[:-1]
    if len(line) > LARGEST:
        raise AuditError("a line is longer than an entry can be", place=name, mend=_VERIFY)


def brief(line: bytes) -> Brief:
    """Return the fields that every entry must have, and those that the list of runs needs."""
    return _read(_BRIEF, line)


def _read(decoder: msgspec.json.Decoder[Shape], line: bytes) -> Shape:
    try:
        return decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        shown = visible(line[:60].decode("utf-8", "replace"))
        raise AuditError(f"an entry cannot be read: {shown}", mend=_VERIFY) from error

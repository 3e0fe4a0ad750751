"""The entries of a log folder, read: all of them in tree order, or those of one run. Nothing is proved here.

Safe next to a writer: what moves from the journal into tiles while we read is searched for again. A last line
that is still being written is left out.
"""

from __future__ import annotations

import fcntl
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from citeproof.errors import AuditError
from citeproof.plumbing.signed_note import NoteError, VerifierKey, open_note
from citeproof.proof.audit import merkle
from citeproof.proof.audit.canonical_json import encode_canonical
from citeproof.proof.audit.log_state import (
    CHECKPOINT,
    HEAD,
    STATE,
    LogCheckpoint,
    LogState,
    load_state_file,
    parse_checkpoint,
    parse_unverified,
)
from citeproof.proof.audit.run_lock import OPEN, RUN
from citeproof.proof.audit.tiles import LARGEST, Tiles
from citeproof.proof.audit.untrusted_files import UnreadableFileError, UntrustedFolder
from citeproof.proof.audit.verify.log_files import BAD, UntrustedHead
from citeproof.text import lazy_patterns as re
from citeproof.text.typed_decoding import decode_json
from citeproof.text.unicode import show_controls

MOST = 1 << 28  # bytes of a journal
CLOSED = "closed"  # the folder of closed logs
_NAMED = 5  # closed logs of a message
_NOTE = 1_000_000
_MOST_REFERENCES = 10**9
_TURNS = frozenset({"run_start", "run_end", "config"})
_LOOKS = 20  # times that we look again because a writer moved the journal
_JOURNAL = re.compile(r"journal-(0|[1-9][0-9]{0,18})", re.ASCII)
_VERIFY = "run `citeproof audit verify` to see what can still be proved"

Entry = dict[str, Any]


class EntryBrief(msgspec.Struct, frozen=True, gc=False):
    """What the list of runs needs of an entry."""

    seq: int
    ts: str
    run: str
    ev: str
    ref: int = 0
    verdict: str = ""


Shape = TypeVar("Shape")
_BRIEF = msgspec.json.Decoder(EntryBrief)
_ENTRY = msgspec.json.Decoder(Entry)


@dataclass(slots=True)
class RunPart:
    """One beginning of a run, and how it continued; several may be under one name."""

    started: str
    checked: int = 0  # references with a verdict
    ended: str | None = None
    complete: bool = False  # every reference that was read has a verdict
    documents: list[str] = field(default_factory=list)  # commitments; of a complete one none are stored


@dataclass(slots=True)
class RunSummary:
    """One run in a few words; `events` counts by name, `verdicts` one for each event that has one."""

    run: str
    started: str
    finished: str | None = None
    events: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    parts: list[RunPart] = field(default_factory=list)
    first: int = 0  # numbers of its entries
    last: int = 0

    @property
    def references(self) -> int:
        return self.verdicts.total()


def read_entries(folder: Path, run: str | None = None) -> Iterator[Entry]:
    """Yield the entries of a log in order: all, or those of one run."""
    for line in read_log_lines(folder) if run is None else read_run_lines(folder, run):
        decode_brief(line)
        yield decode_entry(line)


def read_log_lines(folder: Path, start: int = 0) -> Iterator[bytes]:
    """Yield the entries from number `start` as bytes: those in tiles, then those in the journal."""
    at = start
    for _ in range(_LOOKS):
        state = load_state_file(folder, STATE, LogState)
        size = state.size if state else 0
        for bundle in Tiles(folder).bundles(size, at) if at < size else ():
            yield from bundle
        at = max(at, size)
        rest = _read_journal(folder, at)
        if rest is not None:
            yield from rest
            return
    raise AuditError("the journal does not follow the tiles", place=str(folder), hint=_VERIFY)


def read_run_lines(folder: Path, run: str) -> Iterator[bytes]:
    """Yield the lines of a run's own file, then those of the journal that are missing there after a crash."""
    if not RUN.fullmatch(run):
        return
    state = load_state_file(folder, STATE, LogState)
    last, start = -1, state.size if state else 0  # what is in tiles is in the file too
    try:
        with UntrustedFolder(folder) as files, files.file(f"{run}.jsonl") as raw:
            for line in _read_whole_lines(raw.fileno(), f"{run}.jsonl"):
                last = decode_brief(line).seq
                yield line
    except UnreadableFileError as error:
        if not error.absent:
            raise AuditError(error.why, place=error.name, hint=_VERIFY) from error
        start = 0
    mine = f'"run":"{run}"'.encode()
    rest = read_log_lines(folder, max(last + 1, start))
    yield from (line for line in rest if mine in line and decode_brief(line).run == run)


def list_runs(folder: Path, run: str | None = None) -> Iterator[RunSummary]:
    """Yield every run of a log, in the order in which they began; or the one of that name."""
    heads: dict[str, RunSummary] = {}
    for line in read_log_lines(folder) if run is None else read_run_lines(folder, run):
        entry = decode_brief(line)
        head = heads.setdefault(entry.run, RunSummary(entry.run, entry.ts, first=entry.seq))
        head.last = entry.seq
        head.events[entry.ev] += 1
        if entry.verdict:
            head.verdicts[entry.ev if entry.ev == "retracted" else entry.verdict] += 1
            if part := _find_open_part(head):
                part.checked += 1
        if entry.ev in _TURNS:
            _note_turn(head, decode_entry(line))
    yield from heads.values()


def _find_open_part(head: RunSummary) -> RunPart | None:
    """Return the latest part without an end."""
    return next((part for part in reversed(head.parts) if part.ended is None), None)


def _note_turn(head: RunSummary, entry: Entry) -> None:
    """Note a beginning, what the first event had no room for, or an end."""
    if entry["ev"] == "run_start":
        head.finished = None
        head.parts.append(RunPart(entry["ts"]))
    if entry["ev"] != "run_end":
        named = entry.get("documents")
        if head.parts and isinstance(named, list):
            head.parts[-1].documents += [document for document in named if isinstance(document, str)]
        return
    head.finished = entry["ts"]
    if part := _find_open_part(head):
        part.ended, part.complete = entry["ts"], entry.get("complete") is not False
        count = entry.get("references")
        part.checked = count if isinstance(count, int) and 0 <= count <= _MOST_REFERENCES else part.checked
        if part.complete:
            part.documents.clear()


def is_being_written(folder: Path, run: str) -> bool | None:
    """Return whether a process is writing a run at this moment; None where nothing shows it."""
    anybody = _is_lock_held(folder, OPEN, fcntl.LOCK_EX, absent=False)
    if not anybody:
        return anybody
    if not RUN.fullmatch(run):
        return None
    return _is_lock_held(folder, f"lock.run-{run}", fcntl.LOCK_SH, absent=None)  # it may have taken no name


def _is_lock_held(folder: Path, name: str, wanted: int, *, absent: bool | None) -> bool | None:
    """Return whether a lock is held against us; `absent` without such a file, None if we may not look."""
    try:
        with UntrustedFolder(folder) as files, files.file(name) as lock:
            fcntl.flock(lock.fileno(), wanted | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except UnreadableFileError as error:
        return absent if error.absent else None
    except OSError:
        return None
    return False


def count_signed(folder: Path) -> int:
    """Return how many entries the published checkpoint covers, as it says itself; 0 where there is none."""
    try:
        with UntrustedFolder(folder) as files:
            return parse_unverified(files.read(CHECKPOINT, _NOTE)).size
    except (UnreadableFileError, NoteError):
        return 0


def has_log(folder: Path) -> bool:
    try:
        with UntrustedFolder(folder) as files:
            return files.has(HEAD) or files.has(STATE)
    except UnreadableFileError:
        return False


def list_closed_logs(folder: Path, run: str | None = None) -> list[Path]:
    """Return the logs that were closed by rotations of this one; or those of them that have the run."""
    if run is not None and not RUN.fullmatch(run):
        return []
    try:
        with UntrustedFolder(folder) as files:
            names = [name for name in files.names(CLOSED) if files.has(f"{CLOSED}/{name}/{HEAD}")]
            here = [name for name in names if run is None or files.has(f"{CLOSED}/{name}/{run}.jsonl")]
    except UnreadableFileError:
        return []
    return [folder / CLOSED / name for name in here]


def explain_closed_logs(logs_found: Sequence[Path], what: str) -> tuple[str, str] | None:
    """Return that `what` is in the closed logs that were found, and the hint; None if it is in none."""
    if not logs_found:
        return None
    logs, that = ("log", "that folder") if len(logs_found) == 1 else ("logs", "one of those folders")
    return f"{what} is in the closed {logs} {', '.join(map(str, logs_found[-_NAMED:]))}", f"name {that}"


def _read_journal(folder: Path, at: int) -> list[bytes] | None:
    """Return the lines from number `at`; None when a writer has just moved the journal on."""
    try:
        with UntrustedFolder(folder) as files:
            starts = [int(match[1]) for name in files.names() if (match := _JOURNAL.fullmatch(name))]
            start = max((start for start in starts if start <= at), default=None)
            if start is None:
                return None if starts else []
            data = files.read(f"journal-{start}", MOST)
    except UnreadableFileError as error:
        if error.absent:
            return None
        raise AuditError(error.why, place=error.name, hint=_VERIFY) from error
    return data.split(b"\n")[:-1][at - start :]


def _read_whole_lines(handle: int, name: str) -> Iterator[bytes]:
    """Yield the whole lines of a file, each no longer than an entry can be."""
    with open(handle, "rb", closefd=False) as file:
        while (line := file.readline(LARGEST + 2)).endswith(b"\n"):
            yield line[:-1]
    if len(line) > LARGEST:
        raise AuditError("a line is too long for an entry", place=name, hint=_VERIFY)


def decode_entry(line: bytes) -> Entry:
    return _decode_line(_ENTRY, line)


def decode_brief(line: bytes) -> EntryBrief:
    """Return the fields that every entry must have, and those that the list of runs needs."""
    return _decode_line(_BRIEF, line)


def _decode_line(decoder: msgspec.json.Decoder[Shape], line: bytes) -> Shape:
    try:
        return decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        shown = show_controls(line[:60].decode("utf-8", "replace"))
        raise AuditError(f"an entry cannot be read: {shown}", hint=_VERIFY) from error


class SignedEntries:
    """The tree under the checkpoint that the log's own key signed; without one, no event is signed.

    For showing which events are under it; it replaces no verification.
    """

    def __init__(self, folder: Path) -> None:
        self._now = _read_checkpoint(folder)
        self._tiles = Tiles(folder)

    def covers(self, entry: Entry, run: str) -> bool:
        """Return whether `entry`, read from the file of `run`, is what the signed tree has at its number."""
        seq, now = entry.get("seq"), self._now
        if now is None or entry.get("run") != run or not isinstance(seq, int) or not 0 <= seq < now.size:
            return False
        try:
            proof = merkle.prove_inclusion(seq, now.size, self._tiles.hashes(now.size))
            return merkle.check_inclusion(
                seq, now.size, merkle.hash_leaf(encode_canonical(entry)), proof, now.root
            )
        except (AuditError, ValueError, RecursionError):  # a damaged tile, or what has no canonical form
            return False


def _read_checkpoint(folder: Path) -> LogCheckpoint | None:
    try:
        with UntrustedFolder(folder) as files:
            note, about = files.read(CHECKPOINT, _NOTE), files.read(HEAD, _NOTE)
        key = VerifierKey.parse(decode_json(about, type=UntrustedHead).key)
        now = parse_checkpoint(open_note(note, [key]).text)
    except (UnreadableFileError, AuditError, *BAD):
        return None
    return now if now.origin == key.name else None

"""A log folder and the name of a run -> what the run's lines say: its heads, and one entry a reference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from citeproof.errors import AuditError
from citeproof.proof.audit import log_reader
from citeproof.proof.replay.logged_verdict import pack_line
from citeproof.text.typed_decoding import convert_value

VERIFY = "run `citeproof audit verify` to see what was changed"
# events that no run commits to: `audit verify` and checkpoints stored elsewhere answer for them
OF_THE_LOG = frozenset(
    ("merkle_commit", "checkpoint", "redacted", "pruned", "recovered", "clock_skew", "log_opened")
) | {"log_closed", "decided"}
_ERASING = (b'"ev":"redacted"', b'"ev":"pruned"')


class RecordedEvent(msgspec.Struct, frozen=True, gc=False):
    """What a replay reads of an event, whichever it is."""

    ev: str
    seq: int
    ts: str
    ref: int = 0
    case: str = ""
    model: str = ""
    stage: str = ""
    citeproof: str = ""
    python: str = ""
    judge: str = ""
    judge_hash: str = ""
    snapshots: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    offline: bool = False
    documents: tuple[str, ...] = ()
    config: str = ""
    set: str = ""
    claim: str = ""
    line: str = ""

    @property
    def commitment(self) -> str:
        """What opens the values that the event must follow from; empty: it says nothing of the run."""
        return self.case or self.claim or self.set or self.line or self.config


class _ErasureEvent(msgspec.Struct, frozen=True):
    ev: str
    commitments: tuple[str, ...] = ()
    reason: str = ""
    before: str = ""


_GONE = msgspec.json.Decoder(_ErasureEvent)


@dataclass(slots=True)
class RecordedLine:
    """One line of a run, and the head that it belongs to."""

    line: RecordedEvent
    start: RecordedEvent
    packed: bytes = b"{}"  # what is compared, as JSON: a run may have very many
    before: tuple[bytes, ...] = ()  # lines that belong to it: DOIs that do not exist
    after: list[bytes] = field(default_factory=list)  # findings; further lines about the same set
    last: bool = False  # of its process: after a crash, what follows may be missing

    @property
    def said(self) -> Mapping[str, str]:
        """What the line says in clear, each value as canonical JSON."""
        fields: dict[str, str] = msgspec.json.decode(self.packed)
        return fields


@dataclass(frozen=True, slots=True)
class RunRecording:
    """All that was recorded under one name: a hypothesis may have been checked more than once."""

    run: str
    starts: tuple[RecordedEvent, ...] = ()
    entries: tuple[RecordedLine, ...] = ()  # verdicts, in the order of the documents
    sets: tuple[RecordedLine, ...] = ()  # what was found about references together
    claims: tuple[RecordedLine, ...] = ()
    events: tuple[RecordedLine, ...] = ()  # of the run itself: its heads, its end, what else it says
    stray: tuple[RecordedLine, ...] = ()  # that belong to nothing


@dataclass(frozen=True, slots=True)
class LogErasures:
    """What the log says was erased: commitments with the reason, times before which evidence was dropped."""

    commitments: Mapping[str, str]
    pruned: tuple[str, ...]

    def covers(self, ts: str) -> bool:
        """Return whether evidence of that time may have been pruned."""
        return any(ts < before for before in self.pruned)


class _RunReader:
    """Puts the lines of a run together: those of one reference stand in a row, as they were written."""

    def __init__(self, run: str) -> None:
        self._run = run
        self.starts: list[RecordedEvent] = []
        self.parts: dict[str, list[RecordedLine]] = {
            name: [] for name in ("entries", "sets", "claims", "events", "stray")
        }
        self._misses: list[RecordedLine] = []  # that the verdict on their reference comes after
        self._open: RecordedLine | None = None  # the verdict that findings may follow

    def read(self, entry: Mapping[str, Any]) -> None:
        line = convert_value(entry, RecordedEvent)
        if line.ev == "run_start" and not line.ref:
            self.mark_last()
            self.starts.append(line)
        if not self.starts:
            if line.commitment:
                raise AuditError(f"event {line.seq} comes before any run_start", place=self._run, hint=VERIFY)
            return
        recorded = RecordedLine(line, self.starts[-1], pack_line(entry))
        if line.ref:
            self._read_of_reference(recorded)
            return
        # no more lines of a reference can follow; what waits for its verdict got none
        self.parts["stray"] += self._misses
        self._misses, self._open = [], None
        if line.set and (known := self.parts["sets"][-1:]) and known[0].line.set == line.set:
            known[0].after.append(recorded.packed)
        elif line.set or line.claim:
            self.parts["sets" if line.set else "claims"].append(recorded)
        elif line.commitment or line.ev not in OF_THE_LOG:
            self.parts["events"].append(recorded)

    def _read_of_reference(self, recorded: RecordedLine) -> None:
        ref, opened = recorded.line.ref, self._open
        if recorded.line.case:
            mine = [miss for miss in self._misses if miss.line.ref == ref]
            self.parts["stray"] += [miss for miss in self._misses if miss.line.ref != ref]
            self._misses, self._open = [], recorded
            recorded.start = self._find_start(recorded.line)
            recorded.before = tuple(miss.packed for miss in mine)
            self.parts["entries"].append(recorded)
        elif recorded.line.ev == "crossref_miss":
            self._misses.append(recorded)
            self._open = None
        elif opened is not None and opened.line.ref == ref:
            opened.after.append(recorded.packed)
        else:
            self.parts["stray"].append(recorded)

    def mark_last(self) -> None:
        """Note that the process that wrote the lines so far wrote no more."""
        if self._open is not None:
            self._open.last = True
        self._misses, self._open = [], None

    def _find_start(self, line: RecordedEvent) -> RecordedEvent:
        """Return the head of a verdict: the last one before it by the judge that it names."""
        return next((start for start in reversed(self.starts) if start.judge == line.model), self.starts[-1])


def read_recording(folder: Path, run: str) -> RunRecording | None:
    """Return what was recorded under the name `run`; None if nothing was."""
    reader = _RunReader(run)
    for entry in log_reader.read_entries(folder, run):
        try:
            reader.read(entry)
        except msgspec.ValidationError as error:
            why = f"event {entry.get('seq')!r:.20} is not an event of citeproof: {error}"
            raise AuditError(why[:300], place=run, hint=VERIFY) from error
    reader.mark_last()
    order = {start.seq: number for number, start in enumerate(reader.starts)}
    reader.parts["entries"].sort(
        key=lambda recorded: (order[recorded.start.seq], recorded.line.ref, recorded.line.seq)
    )
    parts = {name: tuple(lines) for name, lines in reader.parts.items()}
    return RunRecording(run, tuple(reader.starts), **parts) if reader.starts else None


def read_erasures(folder: Path) -> LogErasures:
    """Return what the log says about what was erased; such a line may be in any run."""
    events = [
        _parse_erasure(raw)
        for raw in log_reader.read_log_lines(folder)
        if any(word in raw for word in _ERASING)
    ]
    commitments = {name: e.reason for e in events if e.ev == "redacted" for name in e.commitments}
    return LogErasures(commitments, tuple(e.before for e in events if e.ev == "pruned" and e.before))


def _parse_erasure(raw: bytes) -> _ErasureEvent:
    try:
        return _GONE.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise AuditError("an entry about what was erased cannot be read", hint=VERIFY) from error

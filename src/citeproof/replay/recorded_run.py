"""A log folder and the name of a run -> what the run's lines say: its heads, and one entry a reference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from citeproof.audit import log_reader
from citeproof.errors import AuditError
from citeproof.replay.logged_verdict import pack_line, pack_side_line
from citeproof.typed_decoding import convert_value

VERIFY = "run `citeproof audit verify` to see what was changed"
_ERASING = (b'"ev":"redacted"', b'"ev":"pruned"')


class RecordedEvent(msgspec.Struct, frozen=True, gc=False):
    """What a replay reads of an event, whichever it is."""

    ev: str
    seq: int
    ts: str
    ref: int = 0
    case: str = ""
    model: str = ""
    verdict: str = ""
    label: str | None = None
    score: float | None = None
    stage: str = ""
    citeproof: str = ""
    python: str = ""
    judge: str = ""
    judge_hash: str = ""
    snapshots: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    offline: bool = False
    config: str = ""
    set: str = ""
    claim: str = ""
    support: str = ""
    llm: tuple[object, ...] = ()


class _ErasureEvent(msgspec.Struct, frozen=True):
    ev: str
    commitments: tuple[str, ...] = ()
    reason: str = ""
    before: str = ""


_GONE = msgspec.json.Decoder(_ErasureEvent)


@dataclass(frozen=True, slots=True)
class RecordedVerdict:
    """The verdict on one reference, and the head of the run that it belongs to."""

    line: RecordedEvent
    start: RecordedEvent
    packed: bytes = b"{}"  # JSON: a run may have very many
    beside: tuple[str, ...] = ()  # further lines about the reference, as far as they are compared

    @property
    def said(self) -> Mapping[str, Any]:
        """What the line says in clear."""
        found: dict[str, Any] = msgspec.json.decode(self.packed)
        return found


@dataclass(frozen=True, slots=True)
class RunRecording:
    """All that was recorded under one name: a hypothesis may have been checked more than once."""

    run: str
    starts: tuple[RecordedEvent, ...]
    entries: tuple[RecordedVerdict, ...]  # in the order of the documents
    sets: tuple[RecordedVerdict, ...] = ()  # what was found about references together
    claims: tuple[RecordedVerdict, ...] = ()  # about whose texts a language model was asked


@dataclass(frozen=True, slots=True)
class LogErasures:
    """What the log says was erased: commitments with the reason, times before which evidence was dropped."""

    commitments: Mapping[str, str]
    pruned: tuple[str, ...]

    def covers(self, ts: str) -> bool:
        """Return whether evidence of that time may have been pruned."""
        return any(ts < before for before in self.pruned)


def read_recording(folder: Path, run: str) -> RunRecording | None:
    """Return what was recorded under the name `run`; None if nothing was."""
    starts: list[RecordedEvent] = []
    found: list[tuple[int, RecordedEvent, bytes]] = []
    others: dict[int, list[str]] = {}
    sets: dict[str, tuple[RecordedEvent, RecordedEvent, list[str]]] = {}
    claims: list[RecordedVerdict] = []
    for entry in log_reader.read_entries(folder, run):
        try:
            line = convert_value(entry, RecordedEvent)
        except msgspec.ValidationError as error:
            why = f"event {entry.get('seq')!r:.20} is not an event of citeproof: {error}"
            raise AuditError(why[:300], place=run, hint=VERIFY) from error
        if line.case and line.ref:
            found.append((_find_run_start(starts, line, run), line, pack_line(entry)))
        elif line.ref:
            others.setdefault(line.ref, []).append(pack_side_line(entry))
        elif line.set and starts:
            sets.setdefault(line.set, (line, starts[-1], []))[2].append(line.ev)
        elif line.claim and line.llm and starts:
            claims.append(RecordedVerdict(line, starts[-1], msgspec.json.encode(line.llm)))
        elif line.ev == "run_start":
            starts.append(line)
    times = Counter(line.ref for _, line, _ in found)  # more than once: nobody knows whose the others are
    others = {ref: told for ref, told in others.items() if times[ref] == 1}
    found.sort(key=lambda one: (one[0], one[1].ref, one[1].seq))
    entries = tuple(
        RecordedVerdict(line, starts[at], said, tuple(others.get(line.ref, ()))) for at, line, said in found
    )
    together = tuple(RecordedVerdict(line, at, beside=tuple(names)) for line, at, names in sets.values())
    return RunRecording(run, tuple(starts), entries, together, tuple(claims)) if entries else None


def read_erasures(folder: Path) -> LogErasures:
    """Return what the log says about what was erased; such a line may be in any run."""
    told = [
        _parse_erasure(raw)
        for raw in log_reader.read_log_lines(folder)
        if any(word in raw for word in _ERASING)
    ]
    commitments = {name: one.reason for one in told if one.ev == "redacted" for name in one.commitments}
    return LogErasures(commitments, tuple(one.before for one in told if one.ev == "pruned" and one.before))


def _parse_erasure(raw: bytes) -> _ErasureEvent:
    try:
        return _GONE.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise AuditError("an entry about what was erased cannot be read", hint=VERIFY) from error


def _find_run_start(starts: Sequence[RecordedEvent], line: RecordedEvent, run: str) -> int:
    """Return which head a verdict belongs to: the last one before it by the judge that it names."""
    if not starts:
        raise AuditError(f"event {line.seq} comes before any run_start", place=run, hint=VERIFY)
    fitting = (at for at, start in enumerate(starts) if start.judge == line.model)
    return max(fitting, default=len(starts) - 1)

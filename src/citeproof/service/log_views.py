"""The runs of an audit log and the trace of one, as an interface shows them. The log may be anybody's."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TypedDict

from citeproof.plumbing.stores.private_store import PrivateStore
from citeproof.proof.audit import log_reader, run_trace
from citeproof.proof.audit.log_reader import Entry, RunPart, RunSummary, SignedEntries
from citeproof.proof.audit.run_trace import ReferenceTrace


class PartState(StrEnum):
    COMPLETE = "complete"
    BROKEN = "broken_off"
    RUNNING = "running"
    OPEN = "open"  # no end is logged, and it is unknown whether it runs


class LoggedPart(TypedDict):
    """One of the times that a run began, and how it went."""

    started: str
    ended: str | None
    checked: int
    read: int | None  # references that were read; None where the sidecar does not know
    state: PartState


class LoggedRun(TypedDict):
    run: str
    started: str
    finished: str | None
    references: int
    verdicts: dict[str, int]
    events: dict[str, int]
    parts: list[LoggedPart]
    first: int
    last: int
    signed: str  # yes, in part, not yet


def list_runs(folder: Path, private: PrivateStore, run: str | None = None) -> Iterator[LoggedRun]:
    """Yield the runs of a log, or the one called `run`."""
    covered = log_reader.count_signed(folder)
    for head in log_reader.list_runs(folder, run):
        yield {
            "run": head.run,
            "started": head.started,
            "finished": head.finished,
            "references": head.references,
            "verdicts": dict(head.verdicts),
            "events": dict(head.events),
            "parts": [_describe_part(part, head, folder, private) for part in head.parts],
            "first": head.first,
            "last": head.last,
            "signed": "yes" if head.last < covered else "in part" if head.first < covered else "not yet",
        }


def build_trace(folder: Path, run: str, ref: int | None, private: PrivateStore) -> dict[str, object]:
    """Return what happened to the references of a run, or to one of them; empty if there is nothing."""
    traced, signed = list(run_trace.trace_run(folder, run, private, ref)), SignedEntries(folder)
    references, events = list[dict[str, object]](), list[Entry]()
    for part in traced:
        if not isinstance(part, ReferenceTrace):
            events.append(part)
            continue
        case = part.case
        clear = (
            {"commitment": case.commitment, "kept": case.kept, "data": case.data or None} if case else None
        )
        references.append({"ref": part.ref, "events": part.events, "case": clear})
    unsigned = [seq for part in traced for seq in list_unsigned_events(part, run, signed)]
    return {"run": run, "references": references, "events": events, "unsigned": unsigned} if traced else {}


def list_unsigned_events(part: ReferenceTrace | Entry, run: str, signed: SignedEntries) -> list[int]:
    """Return the numbers of the events of a reference, or of the one event, that are not signed."""
    events = part.events if isinstance(part, ReferenceTrace) else (part,)
    return [entry["seq"] for entry in events if not signed.covers(entry, run)]


def _describe_part(part: RunPart, head: RunSummary, folder: Path, private: PrivateStore) -> LoggedPart:
    """Return how one part of a run went; what was read then is known from the sidecar."""
    state = PartState.COMPLETE if part.complete else PartState.BROKEN
    if part.ended is None:
        held = log_reader.is_being_written(folder, head.run) if part is head.parts[-1] else False
        state = PartState.OPEN if held is None else PartState.RUNNING if held else PartState.BROKEN
    read = part.checked if part.complete else run_trace.count_extracted(part.documents, private)
    return {
        "started": part.started,
        "ended": part.ended,
        "checked": part.checked,
        "read": read,
        "state": state,
    }

"""A run as a person follows it: each reference with its events and what is left of its case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec

from citeproof.plumbing.stores.private_store import PrivateStore, is_commitment_to
from citeproof.proof.audit.log_reader import (
    Entry,
    EntryBrief,
    decode_brief,
    decode_entry,
    read_entries,
    read_run_lines,
)
from citeproof.text.typed_decoding import decode_json

RETRACTED_KINDS = ("retracted", "withdrawn", "removed")  # others are about a part of the work


class ValueState(StrEnum):
    """What is left of the words behind a commitment."""

    WHOLE = "whole"
    REDACTED = "redacted"  # the log says so
    MISSING = "missing"  # nothing says why
    CHANGED = "changed"  # what is there does not open the commitment


@dataclass(frozen=True, slots=True)
class OpenedValue:
    """What opens one commitment; `data` is the JSON value, if it is whole."""

    commitment: str
    kept: ValueState
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReferenceTrace:
    """One reference of a run; `case` is None where its events commit to none."""

    ref: int
    events: tuple[Entry, ...]
    case: OpenedValue | None

    @property
    def verdict(self) -> Entry:
        """The event that has the verdict; empty if there is none."""
        return next((entry for entry in reversed(self.events) if "verdict" in entry), {})

    @property
    def outcome(self) -> object:
        """How it is counted: by its verdict, but a retracted work as such; in older logs too."""
        verdict = self.verdict.get("verdict")
        gone = (e for e in self.events if e["ev"] == "retracted" and e.get("kind") in RETRACTED_KINDS)
        return "retracted" if verdict == "matched" and any(gone) else verdict


@dataclass(slots=True)
class _ReferenceLines:
    """The lines about one reference; a run may have very many, so they are read when their turn comes."""

    ref: int
    seq: int
    judged: bool = False
    lines: list[bytes] = field(default_factory=list)


def trace_run(
    folder: Path, run: str, private: PrivateStore, ref: int | None = None
) -> Iterator[ReferenceTrace | Entry]:
    """Yield the references of a run by number, in each part of it, and the events of the run itself.

    With `ref` only what has that number, which is more than one if two runs at once used one name.
    """
    gone = list_redacted(folder, run)
    waiting: list[_ReferenceLines] = []
    for line in read_run_lines(folder, run):
        said = decode_brief(line)
        if said.ref:
            if ref in (None, said.ref):
                _find_group(waiting, said).lines.append(line)
            continue
        if said.ev in {"run_start", "run_end"}:
            yield from _trace_groups(waiting, private, gone)
            waiting = []
        if ref is None:
            yield decode_entry(line)
    yield from _trace_groups(waiting, private, gone)


def _find_group(waiting: list[_ReferenceLines], said: EntryBrief) -> _ReferenceLines:
    """Return the group that an event belongs to: those of a reference stand together, misses first."""
    last = waiting[-1] if waiting else None
    if last is None or last.ref != said.ref or (last.judged and (said.verdict or said.ev == "crossref_miss")):
        last = _ReferenceLines(said.ref, said.seq)
        waiting.append(last)
    last.judged = last.judged or bool(said.verdict)
    return last


def _trace_groups(
    waiting: list[_ReferenceLines], private: PrivateStore, gone: frozenset[str]
) -> Iterator[ReferenceTrace]:
    for group in sorted(waiting, key=lambda waiting_group: (waiting_group.ref, waiting_group.seq)):
        events = tuple(decode_entry(line) for line in group.lines)
        named = next(
            (event["case"] for event in reversed(events) if isinstance(event.get("case"), str)), None
        )
        case = open_value(named, private, gone) if named is not None else None
        yield ReferenceTrace(group.ref, events, case)


def list_redacted(folder: Path, run: str) -> frozenset[str]:
    """Return the commitments of a run that the log says were erased."""
    named = (e.get("commitments") for e in read_entries(folder, run) if e.get("ev") == "redacted")
    return frozenset(
        text for some in named if isinstance(some, list) for text in some if isinstance(text, str)
    )


def open_value(commitment: str, private: PrivateStore, gone: frozenset[str]) -> OpenedValue:
    """Return what is left of the words behind a commitment."""
    row = private.get(commitment)
    if row is None:
        return OpenedValue(commitment, ValueState.REDACTED if commitment in gone else ValueState.MISSING)
    try:
        data = decode_json(row.data, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        data = {}
    if not is_commitment_to(commitment, row.salt, row.data):
        return OpenedValue(commitment, ValueState.CHANGED)
    return OpenedValue(commitment, ValueState.WHOLE, data)


def count_extracted(documents: Sequence[str], private: PrivateStore) -> int | None:
    """Return how many references were read out of documents; None if that cannot be known any more."""
    extracted = [open_value(document, private, frozenset()).data.get("extracted") for document in documents]
    counts = [count for count in extracted if isinstance(count, int) and 0 <= count < 2**31]
    return sum(counts) if counts and len(counts) == len(extracted) else None

"""A run as a person follows it: each reference with its events and what is left of its case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec

from citeproof.audit.commitment import opens
from citeproof.audit.reading import Brief, Entry, brief, entries, entry_of, lines_of
from citeproof.stores.private import Private


class Kept(StrEnum):
    """What is left of the words behind a commitment."""

    WHOLE = "whole"
    REDACTED = "redacted"  # the log says so
    MISSING = "missing"  # nothing says why
    CHANGED = "changed"  # what is there does not open the commitment


@dataclass(frozen=True, slots=True)
class Value:
    """What opens one commitment; `data` is the JSON value, if it is whole."""

    commitment: str
    kept: Kept
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Traced:
    """One reference of a run; `case` is None where its events commit to none."""

    ref: int
    events: tuple[Entry, ...]
    case: Value | None

    @property
    def verdict(self) -> Entry:
        """The event that tells the verdict; empty if there is none."""
        return next((entry for entry in reversed(self.events) if "verdict" in entry), {})


@dataclass(slots=True)
class _Group:
    """The lines about one reference; a run may have very many, so they are read when their turn comes."""

    ref: int
    seq: int
    judged: bool = False
    lines: list[bytes] = field(default_factory=list)


def trace(folder: Path, run: str, private: Private, ref: int | None = None) -> Iterator[Traced | Entry]:
    """Yield the references of a run by number, in each part of it, and the events of the run itself.

    With `ref` only what has that number, which is more than one if two runs at once used one name.
    """
    gone = redacted(folder, run)
    waiting: list[_Group] = []
    for line in lines_of(folder, run):
        said = brief(line)
        if said.ref:
            if ref in (None, said.ref):
                _group(waiting, said).lines.append(line)
            continue
        if said.ev in {"run_start", "run_end"}:
            yield from _in_order(waiting, private, gone)
            waiting = []
        if ref is None:
            yield entry_of(line)
    yield from _in_order(waiting, private, gone)


def _group(waiting: list[_Group], said: Brief) -> _Group:
    """Return the group that an event belongs to: those of a reference stand together, misses first."""
    last = waiting[-1] if waiting else None
    if last is None or last.ref != said.ref or (last.judged and (said.verdict or said.ev == "crossref_miss")):
        last = _Group(said.ref, said.seq)
        waiting.append(last)
    last.judged = last.judged or bool(said.verdict)
    return last


def _in_order(waiting: list[_Group], private: Private, gone: frozenset[str]) -> Iterator[Traced]:
    for group in sorted(waiting, key=lambda one: (one.ref, one.seq)):
        yield _traced([entry_of(line) for line in group.lines], private, gone)


def redacted(folder: Path, run: str) -> frozenset[str]:
    """Return the commitments of a run that the log says were erased."""
    named = (e.get("commitments") for e in entries(folder, run) if e.get("ev") == "redacted")
    return frozenset(one for some in named if isinstance(some, list) for one in some if isinstance(one, str))


def value(commitment: str, private: Private, gone: frozenset[str]) -> Value:
    """Return what is left of the words behind a commitment."""
    row = private.get(commitment)
    if row is None:
        return Value(commitment, Kept.REDACTED if commitment in gone else Kept.MISSING)
    try:
        data = msgspec.json.decode(row.data, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        data = {}
    if not opens(commitment, row.salt, row.data):
        return Value(commitment, Kept.CHANGED)
    return Value(commitment, Kept.WHOLE, data)


def extracted(documents: Sequence[str], private: Private) -> int | None:
    """Return how many references were read out of documents; None if that cannot be known any more."""
    found = [value(one, private, frozenset()).data.get("extracted") for one in documents]
    counts = [count for count in found if isinstance(count, int) and 0 <= count < 2**31]
    return sum(counts) if counts and len(counts) == len(found) else None


def _traced(group: list[Entry], private: Private, gone: frozenset[str]) -> Traced:
    named = next((entry["case"] for entry in reversed(group) if isinstance(entry.get("case"), str)), None)
    case = value(named, private, gone) if named is not None else None
    return Traced(group[0]["ref"], tuple(group), case)

"""A run as a person follows it: each reference with its events and what is left of its case."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec

from citeproof.audit.commitment import opens
from citeproof.audit.reading import Entry, entries
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


def trace(folder: Path, run: str, private: Private) -> Iterator[Traced | Entry]:
    """Yield the references of a run in order and, between them, the events that concern the run itself."""
    gone = redacted(folder, run)
    group: list[Entry] = []
    for entry in entries(folder, run):
        ref = entry.get("ref")
        if group and ref != group[0]["ref"]:
            yield _traced(group, private, gone)
            group = []
        if isinstance(ref, int):
            group.append(entry)
        else:
            yield entry
    if group:
        yield _traced(group, private, gone)


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
    except (msgspec.DecodeError, UnicodeDecodeError):
        data = {}
    if not opens(commitment, row.salt, row.data):
        return Value(commitment, Kept.CHANGED)
    return Value(commitment, Kept.WHOLE, data)


def _traced(group: list[Entry], private: Private, gone: frozenset[str]) -> Traced:
    named = next((entry["case"] for entry in reversed(group) if isinstance(entry.get("case"), str)), None)
    case = value(named, private, gone) if named is not None else None
    return Traced(group[0]["ref"], tuple(group), case)

"""One recorded reference -> the judgement that its evidence gives today, held against the recorded one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

import msgspec

from citeproof import serial
from citeproof.audit import case as cases
from citeproof.audit.case import Case
from citeproof.compare import compare
from citeproof.correct import correct
from citeproof.judge import judge
from citeproof.judge.model import Model
from citeproof.replay.differences import MOST, differences
from citeproof.replay.lookups import Again, Notes
from citeproof.replay.outcome import Difference, Reason, Replayed, State, Why
from citeproof.replay.recorded import Entry
from citeproof.verifier import noticed
from citeproof.vocabulary import Checked, Retrieved

_PARTS = ("judgement", "findings", "correction")


@dataclass(frozen=True, slots=True)
class Pinned:
    """What every reference of one run was judged with."""

    again: Again
    model: Model
    reasons: tuple[Reason, ...] = ()  # what is known to be otherwise before anything is judged


async def judged_again(entry: Entry, case: Case, pinned: Pinned) -> Replayed:
    """Return the reference, judged again from its evidence, with all that differs and why."""
    notes = Notes()
    checked = await _checked(case, pinned, notes)
    then, now = bytes(case.judged), bytes(cases.judged(checked))
    rows = list(_differing(then, now)) if then != now else []
    damaged = notes.damaged or any(reason.why is Why.DAMAGED for reason in pinned.reasons)
    same = not (rows or notes.changed or damaged)  # requests that changed nothing are nobody's business
    reasons = () if same else tuple(_reasons(entry, pinned, notes, then, now))
    return Replayed(
        ref=entry.line.ref,
        state=State.IDENTICAL if same else State.DRIFTED,
        key=case.reference.key,
        title=case.reference.claimed.title or case.reference.raw,
        reasons=reasons,
        differences=tuple(rows[:MOST]),
        more=max(0, len(rows) - MOST),
        checked=checked,
    )


async def _checked(case: Case, pinned: Pinned, notes: Notes) -> Checked:
    """Return what the path makes of a recorded reference: steps 3 to 6 of `verifier`."""
    reference = case.reference
    lookups = [await pinned.again.lookup(heard, reference, notes) for heard in case.lookups]
    retrieved = Retrieved(tuple(lookups), case.stops, case.facts)
    day = date.fromisoformat(case.day)
    compared = compare(reference, retrieved, day)
    judgement = judge(reference, retrieved, compared, pinned.model)
    correction = correct(reference, judgement)
    return Checked(
        reference, retrieved, compared, judgement, noticed(reference, judgement, compared), correction, day
    )


def _differing(then: bytes, now: bytes) -> Iterator[Difference]:
    sides = msgspec.json.decode(then), msgspec.json.decode(now)
    for part, one, other in zip(_PARTS, *sides, strict=True):
        yield from differences(one, other, part)


def _reasons(entry: Entry, pinned: Pinned, notes: Notes, then: bytes, now: bytes) -> Iterator[Reason]:
    """Yield why the judgement is another: what was noticed, else what may have changed it."""
    told = [*notes.reasons(), *pinned.reasons]
    yield from told
    damaged = set(notes.damaged)
    read = list(_read_otherwise(msgspec.json.decode(then), msgspec.json.decode(now), damaged))
    yield from read
    if not damaged:
        yield from (Reason(Why.READ, change, change.partition("/")[0]) for change in notes.changed)
    known = bool(told or read or notes.changed)
    if entry.start.citeproof != serial.version():
        yield Reason(Why.VERSION, f"citeproof {entry.start.citeproof} then, {serial.version()} now")
    elif not known:
        yield Reason(Why.UNEXPLAINED, "same version, judge and evidence: the code or a library was changed")


def _read_otherwise(then: object, now: object, damaged: set[str]) -> Iterator[Reason]:
    """Yield which fields of which records are read otherwise, out of answers that are whole."""
    before = {_name(record): record for record in _records(then)}
    for record in {_name(record): record for record in _records(now)}.values():
        digest, old = record["content_hash"], before.get(_name(record))
        if old is None or digest in damaged or old["content_hash"] != digest:
            continue
        fields = [name for name in record if record[name] != old.get(name)]
        if fields:
            detail = f"record {record['id']} is read otherwise: {', '.join(fields)}"
            yield Reason(Why.READ, detail[:300], str(record["source"]), str(digest))


def _records(value: object) -> Iterator[Mapping[str, Any]]:
    """Yield every record in a judgement, wherever it stands."""
    if isinstance(value, dict):
        if "content_hash" in value:
            yield value
        for part in value.values():
            yield from _records(part)
    elif isinstance(value, list):
        for part in value:
            yield from _records(part)


def _name(record: Mapping[str, Any]) -> tuple[object, object]:
    return record["source"], record["id"]

"""What the log's line about a reference says, held against its case: the line must follow from it.

The case opens its commitment, so where the two differ it is the line that was changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

import msgspec

from citeproof.audit.canonical import canonical
from citeproof.audit.case import Case, Heard
from citeproof.audit.events import Event, cited_ids, events_of
from citeproof.vocabulary import (
    ID_ORDER,
    Absent,
    Cause,
    Checked,
    Compared,
    Finding,
    FindingState,
    Found,
    Ids,
    Judgement,
    Label,
    Lookup,
    Mismatch,
    Provenance,
    Reach,
    Record,
    Retrieved,
    Unchecked,
    Verdict,
)

_UNLOGGED = {"url"}  # older lines have it
_IDS = tuple(scheme for scheme in ID_ORDER if scheme not in _UNLOGGED)
_RECORD = ("source", "record")
_BULKY = ("evidence", "unchecked", "raw")
_FIELDS = (
    "ev", "verdict", "label", "score", "conf", "reasons", "claimed", *_RECORD, "attributed", "actual", *_IDS,
    "attempt", "cut", "key", *_BULKY,
)  # fmt: skip
_BESIDE = ("doi", "attempt", "source", "detail")  # of a line that stands beside the verdict
_NEEDED = ("ref", "stage", "model", "case")  # to make the event again
_LATER = {"reasons"}  # older lines lack it
_UNWRITABLE = re.compile("[?\N{REPLACEMENT CHARACTER}]")  # a lone surrogate: one in the case, one in the log
_SHOWN = 100
_WHOLE = 200  # characters of a bulky field that are kept as they are


class _Mismatch(msgspec.Struct, frozen=True):
    field: str
    claimed: str
    resolved: str


class _Finding(msgspec.Struct, frozen=True):
    name: str
    state: FindingState
    detail: str = ""
    source: str = ""


class _Judged(msgspec.Struct, frozen=True):
    """What an event tells of a judgement, and no more: another version may judge with other fields."""

    verdict: Verdict
    label: Label | None
    score: float | None
    confidence: float | None
    reasons: tuple[str, ...] = ()
    matched: Any = None
    mismatches: tuple[_Mismatch, ...] = ()

    @property
    def record(self) -> Record | None:
        """The record that was matched, named; None if there is none or another version told it otherwise."""
        told = self.matched.get("record") if isinstance(self.matched, dict) else None
        if not isinstance(told, dict):
            return None
        return Record(str(told["source"]), str(told["id"]), (), ids=_ids(told.get("ids")))

    def judgement(self, judge: str) -> Judgement:
        """Return it as a judgement of that judge."""
        return Judgement(
            self.verdict,
            self.label,
            self.score,
            self.confidence,
            None,
            self.reasons,
            "",
            Compared(self.record, (), (), ()) if self.record else None,
            tuple(Mismatch(one.field, one.claimed, one.resolved, 0.0, "") for one in self.mismatches),
            provenance=Provenance((), None, (), (), judge=judge),
        )


def _ids(told: object) -> Ids:
    """Return a record's identifiers; none if another version told them otherwise."""
    try:
        return msgspec.convert(told, Ids)
    except msgspec.ValidationError:
        return Ids()


def packed(line: Mapping[str, Any]) -> bytes:
    """Return what is compared of a line, small: a run may have very many."""
    kept = {name: line[name] for name in (*_FIELDS, *_NEEDED) if name in line}
    return msgspec.json.encode(kept | {name: _brief(kept[name]) for name in _BULKY if name in kept})


def beside(line: Mapping[str, Any]) -> str:
    """Return what is compared of a line beside the verdict: a DOI that does not exist, a finding."""
    return f"{_text(line.get('ev'))} {_brief({name: line[name] for name in _BESIDE if name in line})}"


def contradictions(said: Mapping[str, Any], case: Case, others: Sequence[str] = ()) -> Iterator[str]:
    """Yield what a line (`packed`) tells otherwise than its case; ValueError and the like if it is none."""
    expected, *further = _expected(case, said)
    cited = cited_ids(case.reference.claimed)  # which older lines have for a work that was verified, too
    for name, ours, theirs in _pairs(expected, said):
        if ours != theirs and not (name in _IDS and theirs == _text(cited.get(name))):
            yield f"the log says {name} {theirs[:_SHOWN]}, and the case {ours[:_SHOWN]}"
    known = {beside(event) for event in further}
    for other in others:
        if other not in known:  # one that is missing may have been lost in a crash
            yield f"the log says {other[:_SHOWN]}, and the case does not"


def _pairs(expected: Event, said: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield (name, what the case gives, what the line says) of every field that is compared."""
    for name in _FIELDS:
        ours, theirs = expected.get(name), said.get(name)
        if name in _LATER and name not in said:
            continue
        if name in _BULKY:
            yield name, _brief(ours), _brief(None) if theirs is None else str(theirs)
        elif isinstance(ours, dict) and isinstance(theirs, dict):
            for part, value in theirs.items():
                yield f"{name} {part}", _text(ours.get(part)), _text(value)
        else:
            yield name, _text(ours), _text(theirs)


def _expected(case: Case, said: Mapping[str, Any]) -> list[Event]:
    """Return the events that the recorder writes of a case, the verdict first."""
    judged = msgspec.json.decode(bytes(case.judged))
    told, findings = msgspec.convert(judged[0], _Judged), msgspec.convert(judged[1], list[_Finding])
    checked = Checked(
        case.reference,
        Retrieved(tuple(_lookup(heard) for heard in case.lookups)),
        (),
        told.judgement(str(said.get("model", ""))),
        tuple(Finding(one.name, one.state, one.detail, one.source) for one in findings),
    )
    events = events_of(
        checked, int(said["ref"]), str(said.get("stage", "")), str(said["case"]),
        clear="raw" in said or "key" in said,
    )  # fmt: skip
    events.sort(key=lambda event: "verdict" not in event)
    unknown = _RECORD if told.matched and told.record is None else ()
    return [events[0] | {name: said[name] for name in unknown if name in said}, *events[1:]]


def _lookup(heard: Heard) -> Lookup:
    """Return a lookup as far as an event tells of it."""
    source, by, value, asked = heard.source, heard.by, heard.value, heard.exchanges
    reach = Reach(heard.reach)
    match heard.outcome:
        case "found":
            records = tuple(Record(source, "", (), content_hash=digest) for digest, _, _ in heard.records)
            return Found(source, by, records, reach, value=value, heard=asked)
        case "absent":
            return Absent(source, by, reach, value, asked)
        case "unchecked":
            return Unchecked(source, by, Cause(heard.cause), heard.detail, reach, value, asked)
    raise ValueError(f"a lookup cannot end {heard.outcome[:40]!r}")


def _brief(value: object) -> str:
    """Return a value as text; of a long one its beginning and its hash."""
    told = _text(value)
    return told if len(told) <= _WHOLE else f"{told[:75]}… sha256 {sha256(told.encode()).hexdigest()}"


def _text(value: object) -> str:
    try:
        told = canonical(value).decode()
    except ValueError:  # more levels than an entry can have, a figure that is none
        told = repr(value)[: 4 * _SHOWN]
    return _UNWRITABLE.sub("?", told)

"""What the log's line about a reference says, compared with its case: the line must follow from it.

The case opens its commitment, so where the two differ it is the line that was changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

import msgspec

from citeproof.audit.canonical_json import encode_canonical
from citeproof.audit.case import LoggedCase, LoggedLookup
from citeproof.audit.events import Event, list_cited_ids, make_events
from citeproof.typed_decoding import convert_value
from citeproof.vocabulary import (
    ID_ORDER,
    Absent,
    Cause,
    Checked,
    Compared,
    Finding,
    FindingState,
    FirstJudgement,
    Found,
    Ids,
    Judgement,
    Label,
    Lookup,
    Mismatch,
    ModelTrace,
    Provenance,
    Reach,
    Reason,
    Record,
    Retrieval,
    Unchecked,
    Verdict,
)

_UNLOGGED = {"url"}  # older lines have it
_IDS = tuple(scheme for scheme in ID_ORDER if scheme not in _UNLOGGED)
_RECORD = ("source", "record")
_BULKY = ("evidence", "unchecked", "raw", "llm")
_FIELDS = (
    "ev", "verdict", "label", "score", "conf", "reasons", "claimed", *_RECORD, "attributed", "actual", *_IDS,
    "attempt", "cut", "key", *_BULKY,
)  # fmt: skip
_BESIDE = ("doi", "attempt", "source", "detail", "kind")  # of a line that is next to the verdict
_NEEDED = ("ref", "stage", "model", "case")  # to make the event again
_LATER = {"reasons"}  # older lines lack it
_UNWRITABLE = re.compile("[?\N{REPLACEMENT CHARACTER}]")  # a lone surrogate: one in the case, one in the log
_SHOWN = 100
_WHOLE = 200  # characters of a bulky field that are kept as they are


class _CaseMismatch(msgspec.Struct, frozen=True):
    field: str
    claimed: str
    resolved: str


class _CaseFinding(msgspec.Struct, frozen=True):
    name: str
    state: FindingState
    detail: str = ""
    source: str = ""
    kind: str = ""


class _CaseJudgement(msgspec.Struct, frozen=True):
    """What an event tells of a judgement, and no more: another version may judge with other fields."""

    verdict: Verdict
    label: Label | None
    score: float | None
    confidence: float | None
    reasons: tuple[str, ...] = ()
    matched: Any = None
    mismatches: tuple[_CaseMismatch, ...] = ()

    @property
    def record(self) -> Record | None:
        """The record that was matched, named; None if there is none or another version told it otherwise."""
        told = self.matched.get("record") if isinstance(self.matched, dict) else None
        if not isinstance(told, dict):
            return None
        return Record(str(told["source"]), str(told["id"]), (), ids=_convert_ids(told.get("ids")))

    def judgement(self, judge: str, llm: ModelTrace | None = None) -> Judgement:
        """Return it as a judgement of that judge, and of the language models that were asked."""
        return Judgement(
            self.verdict,
            self.label,
            self.score,
            self.confidence,
            None,
            self.reasons,
            "",
            Compared(self.record, (), (), ()) if self.record else None,
            tuple(  # an event does not tell how a field was compared
                Mismatch(one.field, one.claimed, one.resolved, 0.0, Reason.NOT_COMPARED)
                for one in self.mismatches
            ),
            provenance=Provenance((), None, (), (), judge=judge, llm=llm),
        )


def _convert_ids(told: object) -> Ids:
    """Return a record's identifiers; none if another version told them otherwise."""
    try:
        return convert_value(told, Ids)
    except msgspec.ValidationError:
        return Ids()


def pack_line(line: Mapping[str, Any]) -> bytes:
    """Return what is compared of a line, small: a run may have very many."""
    kept = {name: line[name] for name in (*_FIELDS, *_NEEDED) if name in line}
    return msgspec.json.encode(kept | {name: _shorten_value(kept[name]) for name in _BULKY if name in kept})


def pack_side_line(line: Mapping[str, Any]) -> str:
    """Return what is compared of a line next to the verdict: a DOI that does not exist, a finding."""
    return (
        f"{_format_canonical(line.get('ev'))} "
        f"{_shorten_value({name: line[name] for name in _BESIDE if name in line})}"
    )


def find_contradictions(
    said: Mapping[str, Any], case: LoggedCase, others: Sequence[str] = ()
) -> Iterator[str]:
    """Yield how a line (`pack_line`) contradicts its case; ValueError or similar if it is not a line."""
    expected, *further = _build_expected_events(case, said)
    cited = list_cited_ids(case.reference.claimed)  # which older lines have for a work that was verified, too
    for name, ours, theirs in _pair_fields(expected, said):
        if ours != theirs and not (name in _IDS and theirs == _format_canonical(cited.get(name))):
            yield f"the log says {name} {theirs[:_SHOWN]}, and the case {ours[:_SHOWN]}"
    known = {pack_side_line(event) for event in further}
    for other in others:
        if other not in known:  # one that is missing may have been lost in a crash
            yield f"the log says {other[:_SHOWN]}, and the case does not"


def _pair_fields(expected: Event, said: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield (name, what the case gives, what the line says) of every field that is compared."""
    for name in _FIELDS:
        ours, theirs = expected.get(name), said.get(name)
        if name in _LATER and name not in said:
            continue
        if name in _BULKY:
            yield name, _shorten_value(ours), _shorten_value(None) if theirs is None else str(theirs)
        elif isinstance(ours, dict) and isinstance(theirs, dict):
            for part, value in theirs.items():
                yield f"{name} {part}", _format_canonical(ours.get(part)), _format_canonical(value)
        else:
            yield name, _format_canonical(ours), _format_canonical(theirs)


def _build_expected_events(case: LoggedCase, said: Mapping[str, Any]) -> list[Event]:
    """Return the events that the recorder writes of a case, the verdict first."""
    judged = msgspec.json.decode(bytes(case.judged))
    told = convert_value(judged[0], _CaseJudgement)
    findings = convert_value(judged[1], list[_CaseFinding])
    checked = Checked(
        case.reference,
        Retrieval(tuple(_rebuild_lookup(heard) for heard in case.lookups)),
        (),
        told.judgement(str(said.get("model", "")), _rebuild_trace(case)),
        tuple(Finding(one.name, one.state, one.detail, one.source, one.kind) for one in findings),
    )
    events = make_events(
        checked, int(said["ref"]), str(said.get("stage", "")), str(said["case"]),
        clear="raw" in said or "key" in said,
    )  # fmt: skip
    events.sort(key=lambda event: "verdict" not in event)
    unknown = _RECORD if told.matched and told.record is None else ()
    return [events[0] | {name: said[name] for name in unknown if name in said}, *events[1:]]


def _rebuild_trace(case: LoggedCase) -> ModelTrace | None:
    """Return what language models were asked, as far as an event tells of it."""
    if case.llm is None:
        return None
    return ModelTrace(case.llm.model, FirstJudgement("", None, None, None, None), case.llm.exchanges)


def _rebuild_lookup(heard: LoggedLookup) -> Lookup:
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


def _shorten_value(value: object) -> str:
    """Return a value as text; of a long one its beginning and its hash."""
    told = _format_canonical(value)
    return told if len(told) <= _WHOLE else f"{told[:75]}… sha256 {sha256(told.encode()).hexdigest()}"


def _format_canonical(value: object) -> str:
    try:
        told = encode_canonical(value).decode()
    except ValueError:  # more levels than an entry can have, a figure that is none
        told = repr(value)[: 4 * _SHOWN]
    return _UNWRITABLE.sub("?", told)

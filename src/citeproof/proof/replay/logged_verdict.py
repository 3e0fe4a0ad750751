"""What a line of the log says, compared with what it commits to: the line must follow from it.

What the sidecar has opens its commitment, so where the two differ it is the line that was changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any

import msgspec

from citeproof.proof.audit.canonical_json import encode_canonical
from citeproof.proof.audit.case import LoggedCase, LoggedLookup
from citeproof.proof.audit.events import FIELDS, Event, list_cited_ids, make_events
from citeproof.text import lazy_patterns as re
from citeproof.text.typed_decoding import convert_value
from citeproof.vocabulary import (
    ID_ORDER,
    Absent,
    Cause,
    Checked,
    Compared,
    Finding,
    FindingLevel,
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

_NOT_COMPARED = frozenset(("ts", "seq", "url"))  # given by the log when it writes; in older lines only
_RECORD = ("source", "record")
_UNWRITABLE = re.compile("[?\N{REPLACEMENT CHARACTER}]")  # a lone surrogate: one in the case, one in the log
_SHOWN = 100
_WHOLE = 200  # characters of a list that stay as they are
_WHOLE_TEXT = 3000


class _CaseMismatch(msgspec.Struct, frozen=True):
    field: str
    claimed: str
    resolved: str
    reason: str = ""


class _CaseJudgement(msgspec.Struct, frozen=True):
    """What an event says of a judgement, and no more: another version may judge with other fields."""

    verdict: Verdict
    label: Label | None
    score: float | None
    confidence: float | None
    reasons: tuple[str, ...] = ()
    matched: Any = None
    mismatches: tuple[_CaseMismatch, ...] = ()

    @property
    def record(self) -> Record | None:
        """The record that was matched, named; None if there is none or another version wrote it otherwise."""
        recorded = self.matched.get("record") if isinstance(self.matched, dict) else None
        if not isinstance(recorded, dict):
            return None
        return Record(str(recorded["source"]), str(recorded["id"]), (), ids=_convert_ids(recorded.get("ids")))

    def judgement(self, judge: str, llm: ModelTrace | None = None) -> Judgement:
        """Return it as a judgement of that judge, and of the language models that were asked."""
        matched = Compared(self.record, (), (), ()) if self.record else None
        return Judgement(
            self.verdict, self.label, self.score, self.confidence, None, self.reasons, "", matched,
            tuple(_convert_mismatch(mismatch) for mismatch in self.mismatches),
            provenance=Provenance((), None, (), (), judge=judge, llm=llm),
        )  # fmt: skip


def _convert_mismatch(mismatch: _CaseMismatch) -> Mismatch:
    reason = next((known for known in Reason if known.value == mismatch.reason), Reason.NOT_COMPARED)
    return Mismatch(mismatch.field, mismatch.claimed, mismatch.resolved, 0.0, reason)


def _convert_ids(recorded: object) -> Ids:
    """Return a record's identifiers; none if another version wrote them otherwise."""
    try:
        return convert_value(recorded, Ids)
    except msgspec.ValidationError:
        return Ids()


def pack_line(line: Mapping[str, Any]) -> bytes:
    """Return what is compared of a line, small: a run may have very many."""
    return msgspec.json.encode(dict(_list_fields(line)))


def _list_fields(line: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield every field that we know as text; a field that a later version adds is not compared."""
    for name, value in line.items():
        if name == "claimed" and isinstance(value, dict):
            yield from ((f"{name} {part}", _shorten_value(item)) for part, item in value.items())
        elif name in FIELDS and name not in _NOT_COMPARED:
            yield name, _shorten_value(value)


def compare_line(packed: bytes, expected: Event, what: str = "the sidecar") -> Iterator[str]:
    """Yield how a packed line contradicts the event that should have been written."""
    theirs: dict[str, str] = msgspec.json.decode(packed)
    ours = dict(_list_fields(expected))
    for name in dict.fromkeys((*ours, *theirs)):
        if ours.get(name) != theirs.get(name):
            said, made = theirs.get(name, "nothing"), ours.get(name, "nothing")
            yield f"the log says {name} {said[:_SHOWN]}, and {what} {made[:_SHOWN]}"


def make_expected_events(
    case: LoggedCase, line: Mapping[str, str], common: Event, judge: str, *, older: bool = False
) -> list[Event]:
    """Return the events that the recorder writes of a case, in order; `line` is its verdict, unpacked.

    `common` has what does not follow from the case. An older log has a retracted work as verified.
    """
    judged = msgspec.json.decode(bytes(case.judged))
    recorded = convert_value(judged[0], _CaseJudgement)
    findings = convert_value(judged[1], tuple[Finding, ...])
    if older:
        findings = tuple(replace(finding, level=FindingLevel.WARNING, own_level=None) for finding in findings)
    first = FirstJudgement("", None, None, None, None)  # an event does not tell of it
    asked = ModelTrace(case.llm.model, first, case.llm.exchanges) if case.llm is not None else None
    checked = Checked(
        case.reference,
        Retrieval(tuple(_rebuild_lookup(heard) for heard in case.lookups)),
        (),
        recorded.judgement(judge, asked),
        findings,
    )
    clear = "raw" in line or "key" in line
    events = make_events(checked, common["ref"], common["stage"], common["case"], clear=clear)
    for number, event in enumerate(events):
        if "verdict" in event and recorded.matched and recorded.record is None:
            event |= {name: msgspec.json.decode(line[name]) for name in _RECORD if name in line}
        if older:
            events[number] = _make_older_event(event, line, list_cited_ids(case.reference.claimed))
    return [{"v": common["v"], "run": common["run"], **event} for event in events]


def _make_older_event(event: Event, line: Mapping[str, str], cited: Event) -> Event:
    """Return an event as older versions wrote it: with cited identifiers, a finding without any."""
    if "verdict" not in event:
        return {name: value for name, value in event.items() if name != "doi" or "attempt" in event}
    unknown = {name for name in ("reasons", *ID_ORDER) if name not in line and name not in cited}
    known = {name: value for name, value in event.items() if name not in unknown}
    return known | {name: value for name, value in cited.items() if line.get(name) == _shorten_value(value)}


def _rebuild_lookup(heard: LoggedLookup) -> Lookup:
    """Return a lookup as far as an event describes it."""
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
    try:
        text = _UNWRITABLE.sub("?", encode_canonical(value).decode())
    except ValueError:  # more levels than an entry can have, a figure that is none
        text = repr(value)[: 4 * _SHOWN]
    most = _WHOLE if isinstance(value, list) else _WHOLE_TEXT
    return text if len(text) <= most else f"{text[:75]}… sha256 {sha256(text.encode()).hexdigest()}"

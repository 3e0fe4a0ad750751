"""One recorded reference -> the judgement that its evidence gives today, compared with the recorded one.

Then what a run says beyond its references: findings about them together, and claims; decided again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import zip_longest
from typing import Any

import msgspec

from citeproof.answers import serializers
from citeproof.answers.fix import correct
from citeproof.answers.serializers.judgements import GROUNDING
from citeproof.claims.grounding import decide_claim, try_candidate
from citeproof.claims.model_support import choose_outcome, settle_verdicts, weigh_question
from citeproof.judgement.checks import examine_set
from citeproof.judgement.checks.evidence.set_evidence import SetEvidence, SetMember
from citeproof.judgement.compare import compare
from citeproof.judgement.judge import judge
from citeproof.judgement.judge.model import Model
from citeproof.judgement.models.base import (
    ModelAnswer,
    ModelFailure,
    ModelFault,
    ModelQuestion,
    TokenUsage,
    Value,
)
from citeproof.judgement.review import ModelReview
from citeproof.proof.audit import case as cases
from citeproof.proof.audit.case import (
    LoggedCase,
    LoggedClaim,
    LoggedModels,
    LoggedSupport,
    describe_candidate,
    encode_json,
)
from citeproof.proof.audit.events import Event, make_claim_event
from citeproof.proof.replay.recorded_lookups import LookupReplayer, ReplayNotes
from citeproof.proof.replay.recorded_run import RecordedLine
from citeproof.proof.replay.replay_report import (
    ReasonCode,
    ReplayDifference,
    ReplayedReference,
    ReplayReason,
    ReplayState,
    ReplaySubject,
)
from citeproof.text.typed_decoding import decode_json
from citeproof.verifier import add_findings, list_own_findings
from citeproof.vocabulary import (
    Checked,
    Claim,
    Compared,
    Finding,
    Judgement,
    ModelExchange,
    ModelSupport,
    ModelTask,
    Reference,
    Retrieval,
    SetFinding,
)

_PARTS = ("judgement", "findings", "correction")
_WORDING = "judgement.explanation"  # made from the other fields: listed if it differs, but not drift
MOST = 100  # differences that are listed for one reference
LONGEST = 2000  # characters of a value that are shown
_NONE = object()
_EMPTY: tuple[object, ...] = (None, "", [])
TOGETHER = "the references together"
_CLAIM_WORDING = "claim.reason"  # made from the other fields
_NOT_OLD = ("candidates", "support", "text_hash")  # what the sidecar of older logs does not have


@dataclass(frozen=True, slots=True)
class PinnedSetup:
    """What every reference of one run was judged with."""

    again: LookupReplayer
    model: Model
    reasons: tuple[ReplayReason, ...] = ()  # what is known to be otherwise before anything is judged


async def judge_again(entry: RecordedLine, case: LoggedCase, pinned: PinnedSetup) -> ReplayedReference:
    """Return the reference, judged again from its evidence, with all that differs and why."""
    notes = ReplayNotes()
    checked = await _check_recorded(case, pinned, notes)
    then, now = bytes(case.judged), cases.encode_judgement(checked)
    rows = list[ReplayDifference]()
    if then != now:
        sides = zip(_PARTS, msgspec.json.decode(then), msgspec.json.decode(now), strict=True)
        rows = [row for part, old, new in sides for row in find_differences(old, new, part)]
    damaged = notes.damaged or any(reason.why is ReasonCode.DAMAGED for reason in pinned.reasons)
    judged_otherwise = any(row.path != _WORDING for row in rows)
    same = not (judged_otherwise or notes.changed or damaged)  # other requests alone do not matter
    reasons = () if same else tuple(_explain_differences(entry, pinned, notes, then, now))
    return ReplayedReference(
        ref=entry.line.ref,
        state=ReplayState.IDENTICAL if same else ReplayState.DRIFTED,
        key=case.reference.key,
        title=case.reference.claimed.title or case.reference.raw,
        reasons=reasons,
        differences=tuple(rows[:MOST]),
        more=max(0, len(rows) - MOST),
        checked=checked,
    )


async def _check_recorded(case: LoggedCase, pinned: PinnedSetup, notes: ReplayNotes) -> Checked:
    """Return what the path makes of a recorded reference: steps 3 to 7 of `verifier`."""
    reference = case.reference
    lookups = [await pinned.again.lookup(heard, reference, notes) for heard in case.lookups]
    retrieved = Retrieval(tuple(lookups), case.stops, case.facts)
    day = date.fromisoformat(case.day)
    compared = compare(reference, retrieved, day)
    judgement = judge(reference, retrieved, compared, pinned.model)
    tried: tuple[Finding, ...] = ()
    if case.llm is not None:
        judgement, tried = await review_again(case.llm, pinned.model, reference, compared, judgement)
    correction = correct(reference, judgement)
    findings = add_findings(list_own_findings(reference, judgement, compared, case.listed, day), tried)
    return Checked(reference, retrieved, compared, judgement, findings, correction, day, case.listed)


@dataclass(frozen=True, slots=True)
class RecordedModel:
    """A language model that says what was recorded for a task, and nothing else."""

    name: str
    exchanges: tuple[ModelExchange, ...]

    async def ask(self, question: ModelQuestion[Value]) -> ModelAnswer[Value] | ModelFailure:
        """Return the recorded answer; a question that was not asked then has none."""
        digest = question.digest()
        heard = next((exchange for exchange in self.exchanges if exchange.task == question.task), None)
        if heard is None:
            return ModelFailure(ModelFault.OFFLINE, "it was not asked then", digest=digest)
        if heard.cause:
            fault = ModelFault(heard.cause) if heard.cause in [*ModelFault] else ModelFault.REJECTED
            return ModelFailure(fault, heard.detail, heard.model, heard.cost, digest)
        value = decode_json(heard.answer, type=question.decoder)
        usage = TokenUsage(heard.input_tokens, heard.output_tokens, heard.cached_tokens)
        return ModelAnswer(value, heard.answer, heard.model, usage, heard.cost, digest=digest)


async def review_again(
    logged: LoggedModels,
    judge: Model,
    reference: Reference,
    compared: Sequence[Compared],
    judgement: Judgement,
) -> tuple[Judgement, tuple[Finding, ...]]:
    """Return the judgement that the recorded answers give, within the bounds that hold today."""
    model = RecordedModel(logged.model, logged.exchanges)
    parsed = tuple(exchange for exchange in logged.exchanges if exchange.task is ModelTask.PARSER)
    return await ModelReview(model, judge, frozenset(logged.tasks)).review(
        reference, compared, judgement, parsed
    )


def _explain_differences(
    entry: RecordedLine, pinned: PinnedSetup, notes: ReplayNotes, then: bytes, now: bytes
) -> Iterator[ReplayReason]:
    """Yield why the judgement is another: what was noticed, else what may have changed it."""
    noticed = [*notes.reasons(), *pinned.reasons]
    yield from noticed
    damaged = set(notes.damaged)
    read = list(_explain_changed_records(msgspec.json.decode(then), msgspec.json.decode(now), damaged))
    yield from read
    if not damaged:
        yield from (
            ReplayReason(ReasonCode.READ, change, change.partition(": ")[0].rpartition("/")[0])
            for change in notes.changed
        )
    known = bool(noticed or read or notes.changed)
    [reason] = explain_drift(entry.start.citeproof)
    if reason.why is ReasonCode.VERSION or not known:
        yield reason


def explain_drift(version: str) -> tuple[ReplayReason]:
    """Return what is known where nothing else was noticed; `version` is the one that judged then."""
    if version != (now := serializers.get_version()):
        return (ReplayReason(ReasonCode.VERSION, f"citeproof {version} then, {now} now"),)
    detail = "same version, judge and evidence: the code or a library was changed"
    return (ReplayReason(ReasonCode.UNEXPLAINED, detail),)


def _explain_changed_records(then: object, now: object, damaged: set[str]) -> Iterator[ReplayReason]:
    """Yield which fields of which records are read otherwise, out of answers that are whole."""
    before = {_identify_record(record): record for record in _walk_records(then)}
    for record in {_identify_record(record): record for record in _walk_records(now)}.values():
        digest, old = record["content_hash"], before.get(_identify_record(record))
        if old is None or digest in damaged or old["content_hash"] != digest:
            continue
        fields = [name for name in record if record[name] != old.get(name, record[name])]
        if fields:
            detail = f"record {record['id']} is read differently: {', '.join(fields)}"
            yield ReplayReason(ReasonCode.READ, detail[:300], str(record["source"]), str(digest))


def _walk_records(value: object) -> Iterator[Mapping[str, Any]]:
    """Yield every record in a judgement, wherever it is."""
    if isinstance(value, dict):
        if "content_hash" in value:
            yield value
        for part in value.values():
            yield from _walk_records(part)
    elif isinstance(value, list):
        for part in value:
            yield from _walk_records(part)


def _identify_record(record: Mapping[str, Any]) -> tuple[object, object]:
    return record["source"], record["id"]


def find_differences(then: object, now: object, path: str) -> Iterator[ReplayDifference]:
    """Yield every leaf that differs, in the order of `then`; what only one side has is one difference.

    A field that is empty, and that the other version did not have, is none.
    """
    if isinstance(then, dict) and isinstance(now, dict):
        for name in dict.fromkeys((*then, *now)):
            if (name not in then and now[name] in _EMPTY) or (name not in now and then[name] in _EMPTY):
                continue
            yield from find_differences(then.get(name, _NONE), now.get(name, _NONE), f"{path}.{name}")
    elif isinstance(then, list) and isinstance(now, list):
        for at, (old, other) in enumerate(zip_longest(then, now, fillvalue=_NONE)):
            yield from find_differences(old, other, f"{path}[{at}]")
    elif type(then) is not type(now) or then != now:
        yield ReplayDifference(path, _format_json_value(then), _format_json_value(now))


def _format_json_value(value: object) -> str:
    if value is _NONE:
        return ""
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


class LoggedSet(msgspec.Struct, frozen=True):
    """What the sidecar keeps: the number of the first reference, and what else was known.

    The evidence has members only if they are not all references from the first on, as those of claims.
    """

    first: int
    references: int
    evidence: SetEvidence
    found: tuple[SetFinding, ...]


def examine_again(
    logged: LoggedSet, members: Mapping[int, SetMember], stage: str, version: str
) -> ReplayedReference:
    """Return whether the same is found today; `version` is the one that found it then."""
    outcome = ReplayedReference(
        0, ReplayState.IDENTICAL, logged.evidence.document, TOGETHER, subject=ReplaySubject.SET
    )
    numbers = range(logged.first, logged.first + logged.references)
    chosen = logged.evidence.members or tuple(members[n] for n in numbers if n in members)
    missing = next((f"reference {n}" for n in numbers if n not in members), "")
    if logged.evidence.members:
        known = set(members.values())
        missing = next((f"the citation {each.key}" for each in chosen if each not in known), "")
    findings = () if missing else examine_set(replace(logged.evidence, members=chosen))
    then, now = encode_json(logged.found), encode_json(findings)
    if then == now:
        return outcome
    if stage == GROUNDING and not logged.evidence.members:
        missing = missing or "this older log does not say which citations were attached: one of them"
    if missing:
        why = ReplayReason(ReasonCode.MISSING, f"{missing} could not be judged again")
        return replace(outcome, state=ReplayState.UNAVAILABLE, reasons=(why,))
    rows = tuple(find_differences(msgspec.json.decode(then), msgspec.json.decode(now), "findings"))
    return replace(outcome, state=ReplayState.DRIFTED, reasons=explain_drift(version), differences=rows)


def make_expected_claim(logged: LoggedClaim, said: Mapping[str, str], stage: str, commitment: str) -> Event:
    """Return the event that the recorder writes of a claim; of an older log, with what it says itself."""
    event = make_claim_event(logged, stage, commitment)
    if logged.count is None:
        del event["candidates"]
        event |= {name: msgspec.json.decode(said[name]) for name in _NOT_OLD if name in said}
    return event


def decide_again(
    logged: LoggedClaim, known: Mapping[str, Checked], version: str, *, allow: bool = False
) -> ReplayedReference:
    """Return whether the same is decided today; `known` are the references judged again, by their cases.

    `allow`: the run verified citations though retractions could not be checked.
    """
    again = logged
    if logged.count is not None:
        if any(each.case not in known for each in logged.candidates):
            why = ReplayReason(ReasonCode.MISSING, "a candidate could not be judged again")
            return _make_outcome(logged, ReplayState.UNAVAILABLE, (why,))
        tried = [try_candidate(each.candidate, known[each.case], allow=allow) for each in logged.candidates]
        grounded = decide_claim(Claim(logged.id, logged.text, logged.place), tried, logged.count)
        cases = zip(tried, logged.candidates, strict=True)
        candidates = tuple(describe_candidate(each, old.case) for each, old in cases)
        again = msgspec.structs.replace(
            logged, status=grounded.status, reason=grounded.reason, candidates=candidates
        )
    if logged.support is not None and logged.support.llm is not None:
        again = msgspec.structs.replace(
            again, support=_weigh_again(logged, logged.support, logged.support.llm)
        )
    then, now = (msgspec.json.decode(encode_json(each)) for each in (logged, again))
    rows = tuple(find_differences(then, now, "claim"))
    if all(row.path == _CLAIM_WORDING for row in rows):
        return replace(_make_outcome(logged, ReplayState.IDENTICAL), differences=rows)
    return replace(_make_outcome(logged, ReplayState.DRIFTED, explain_drift(version)), differences=rows)


def _weigh_again(logged: LoggedClaim, support: LoggedSupport, llm: ModelSupport) -> LoggedSupport:
    """Return what the recorded answers of a language model come to; no model is asked."""
    asked = tuple(weigh_question(question, logged.text, llm.first) for question in llm.asked)
    settled = settle_verdicts(replace(llm, asked=asked))
    return msgspec.structs.replace(support, outcome=choose_outcome(settled), llm=settled)


def _make_outcome(
    logged: LoggedClaim, state: ReplayState, reasons: tuple[ReplayReason, ...] = ()
) -> ReplayedReference:
    return ReplayedReference(0, state, logged.id, logged.text, reasons, subject=ReplaySubject.CLAIM)

"""What a run says beyond its references: findings about them together, and claims; decided again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import msgspec

from citeproof.answers.serializers.event_names import GROUNDING
from citeproof.claims.grounding import decide_claim, try_candidate
from citeproof.claims.model_support import choose_outcome, settle_verdicts, weigh_question
from citeproof.judgement.checks import examine_set
from citeproof.judgement.checks.evidence.set_evidence import SetEvidence, SetMember
from citeproof.proof.audit.case import LoggedClaim, LoggedSupport, describe_candidate, encode_json
from citeproof.proof.audit.events import Event, make_claim_event
from citeproof.proof.replay.rejudgement import explain_drift, find_differences
from citeproof.proof.replay.replay_outcome import (
    ReasonCode,
    ReplayedReference,
    ReplayReason,
    ReplayState,
    ReplaySubject,
)
from citeproof.vocabulary import Checked, Claim, ModelSupport, SetFinding

TOGETHER = "the references together"
_WORDING = "claim.reason"  # made from the other fields
_NOT_OLD = ("candidates", "support", "text_hash")  # what the sidecar of older logs does not have


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
    if all(row.path == _WORDING for row in rows):
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

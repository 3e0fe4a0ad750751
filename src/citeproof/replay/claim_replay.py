"""A claim, decided again: its candidates as they were judged again, a language model's recorded answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import msgspec

from citeproof.audit.case import LoggedClaim, LoggedSupport, describe_candidate, encode_json
from citeproof.audit.events import Event, make_claim_event
from citeproof.claims.grounding import decide_claim, try_candidate
from citeproof.claims.model_support import choose_outcome, settle_verdicts, weigh_question
from citeproof.replay.rejudgement import explain_drift, find_differences
from citeproof.replay.replay_outcome import (
    ReasonCode,
    ReplayedReference,
    ReplayReason,
    ReplayState,
    ReplaySubject,
)
from citeproof.vocabulary import Checked, Claim, ModelSupport

_WORDING = "claim.reason"  # made from the other fields
_NOT_OLD = ("candidates", "support", "text_hash")  # what the sidecar of older logs does not have


def make_expected_claim(logged: LoggedClaim, said: Mapping[str, str], stage: str, commitment: str) -> Event:
    """Return the event that the recorder writes of a claim; of an older log, with what it says itself."""
    event = make_claim_event(logged, stage, commitment)
    if logged.count is None:
        del event["candidates"]
        event |= {name: msgspec.json.decode(said[name]) for name in _NOT_OLD if name in said}
    return event


def decide_again(logged: LoggedClaim, known: Mapping[str, Checked], version: str) -> ReplayedReference:
    """Return whether the same is decided today; `known` are the references judged again, by their cases."""
    again = logged
    if logged.count is not None:
        if any(one.case not in known for one in logged.candidates):
            why = ReplayReason(ReasonCode.MISSING, "a candidate could not be judged again")
            return _make_outcome(logged, ReplayState.UNAVAILABLE, (why,))
        tried = [try_candidate(one.candidate, known[one.case]) for one in logged.candidates]
        grounded = decide_claim(Claim(logged.id, logged.text, logged.place), tried, logged.count)
        cases = zip(tried, logged.candidates, strict=True)
        candidates = tuple(describe_candidate(one, old.case) for one, old in cases)
        again = msgspec.structs.replace(
            logged, status=grounded.status, reason=grounded.reason, candidates=candidates
        )
    if logged.support is not None and logged.support.llm is not None:
        again = msgspec.structs.replace(
            again, support=_weigh_again(logged, logged.support, logged.support.llm)
        )
    then, now = (msgspec.json.decode(encode_json(one)) for one in (logged, again))
    rows = tuple(find_differences(then, now, "claim"))
    if all(row.path == _WORDING for row in rows):
        return replace(_make_outcome(logged, ReplayState.IDENTICAL), differences=rows)
    return replace(_make_outcome(logged, ReplayState.DRIFTED, explain_drift(version)), differences=rows)


def _weigh_again(logged: LoggedClaim, support: LoggedSupport, llm: ModelSupport) -> LoggedSupport:
    """Return what the recorded answers of a language model come to; no model is asked."""
    asked = tuple(weigh_question(one, logged.text, llm.first) for one in llm.asked)
    settled = settle_verdicts(replace(llm, asked=asked))
    return msgspec.structs.replace(support, outcome=choose_outcome(settled), llm=settled)


def _make_outcome(
    logged: LoggedClaim, state: ReplayState, reasons: tuple[ReplayReason, ...] = ()
) -> ReplayedReference:
    return ReplayedReference(0, state, logged.id, logged.text, reasons, subject=ReplaySubject.CLAIM)

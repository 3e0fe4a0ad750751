"""What a language model said about the text of a claim, weighed again from the recorded answers."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from citeproof import serializers
from citeproof.audit.case import encode_json
from citeproof.audit.events import describe_exchanges
from citeproof.claims.model_support import choose_outcome, settle_verdicts, weigh_question
from citeproof.replay.recorded_run import RecordedVerdict
from citeproof.replay.rejudgement import find_differences
from citeproof.replay.replay_outcome import (
    ReasonCode,
    ReplayedReference,
    ReplayReason,
    ReplayState,
)
from citeproof.vocabulary import ModelSupport, SupportOutcome


class LoggedSupport(msgspec.Struct, frozen=True):
    """The outcome, and what a language model had to do with it."""

    outcome: SupportOutcome
    llm: ModelSupport


class LoggedClaim(msgspec.Struct, frozen=True):
    """What the sidecar keeps of a claim, as far as a replay needs it."""

    id: str
    text: str
    support: LoggedSupport


def find_claim_contradictions(entry: RecordedVerdict, logged: LoggedClaim) -> list[str]:
    """Return what the line of the log tells otherwise than the sidecar that it commits to."""
    told = []
    if entry.line.support != logged.support.outcome:
        told.append(f"the log says {entry.line.support[:40]!r}, the sidecar {logged.support.outcome.value!r}")
    exchanges = describe_exchanges([one.exchange for one in logged.support.llm.asked])
    if msgspec.json.decode(entry.packed) != msgspec.json.decode(encode_json(exchanges)):
        told.append("the log has other answers of the language model than the sidecar")
    return told


def weigh_again(logged: LoggedClaim, version: str) -> ReplayedReference:
    """Return whether the recorded answers give the same outcome today; no model is asked."""
    llm, title = logged.support.llm, logged.text
    asked = tuple(weigh_question(one, logged.text, llm.first) for one in llm.asked)
    again = settle_verdicts(replace(llm, asked=asked))
    outcome = choose_outcome(again)
    then, now = encode_json(logged.support), encode_json(LoggedSupport(outcome, again))
    if then == now:
        return ReplayedReference(0, ReplayState.IDENTICAL, logged.id, title, claim=True)
    rows = tuple(find_differences(msgspec.json.decode(then), msgspec.json.decode(now), "support"))
    if version != (today := serializers.get_version()):
        why = ReplayReason(ReasonCode.VERSION, f"citeproof {version} then, {today} now")
    else:
        why = ReplayReason(ReasonCode.UNEXPLAINED, "same version and answers: the code was changed")
    return ReplayedReference(0, ReplayState.DRIFTED, logged.id, title, (why,), rows, claim=True)

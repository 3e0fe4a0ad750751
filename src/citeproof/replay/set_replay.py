"""What was found about references together, found again from the references that were judged again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import msgspec

from citeproof.audit.case import encode_json
from citeproof.audit.events import GROUNDING
from citeproof.checks import examine_set
from citeproof.checks.set_evidence import SetEvidence, SetMember
from citeproof.replay.rejudgement import explain_drift, find_differences
from citeproof.replay.replay_outcome import (
    ReasonCode,
    ReplayedReference,
    ReplayReason,
    ReplayState,
    ReplaySubject,
)
from citeproof.vocabulary import SetFinding

TOGETHER = "the references together"


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
    one = ReplayedReference(
        0, ReplayState.IDENTICAL, logged.evidence.document, TOGETHER, subject=ReplaySubject.SET
    )
    numbers = range(logged.first, logged.first + logged.references)
    chosen = logged.evidence.members or tuple(members[n] for n in numbers if n in members)
    missing = next((f"reference {n}" for n in numbers if n not in members), "")
    if logged.evidence.members:
        known = set(members.values())
        missing = next((f"the citation {each.key}" for each in chosen if each not in known), "")
    found = () if missing else examine_set(replace(logged.evidence, members=chosen))
    then, now = encode_json(logged.found), encode_json(found)
    if then == now:
        return one
    if stage == GROUNDING and not logged.evidence.members:
        missing = missing or "this older log does not say which citations were attached: one of them"
    if missing:
        why = ReplayReason(ReasonCode.MISSING, f"{missing} could not be judged again")
        return replace(one, state=ReplayState.UNAVAILABLE, reasons=(why,))
    rows = tuple(find_differences(msgspec.json.decode(then), msgspec.json.decode(now), "findings"))
    return replace(one, state=ReplayState.DRIFTED, reasons=explain_drift(version), differences=rows)

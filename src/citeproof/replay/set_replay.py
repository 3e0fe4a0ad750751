"""What was found about references together, found again from the references that were judged again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import msgspec

from citeproof import serializers
from citeproof.audit.case import encode_json
from citeproof.checks import examine_set
from citeproof.checks.set_evidence import SetEvidence, SetMember
from citeproof.replay.rejudgement import find_differences
from citeproof.replay.replay_outcome import (
    ReasonCode,
    ReplayedReference,
    ReplayReason,
    ReplayState,
)
from citeproof.vocabulary import SetFinding

TOGETHER = "the references together"


class LoggedSet(msgspec.Struct, frozen=True):
    """What the sidecar keeps: the number of the first reference, and what else was known."""

    first: int
    references: int
    evidence: SetEvidence
    found: tuple[SetFinding, ...]


def examine_again(logged: LoggedSet, members: Mapping[int, SetMember], version: str) -> ReplayedReference:
    """Return whether the same is found today; `version` is the one that found it then."""
    name = logged.evidence.document
    numbers = range(logged.first, logged.first + logged.references)
    if missing := next((n for n in numbers if n not in members), None):
        why = ReplayReason(ReasonCode.MISSING, f"reference {missing} could not be judged again")
        return ReplayedReference(0, ReplayState.UNAVAILABLE, name, TOGETHER, (why,))
    found = examine_set(replace(logged.evidence, members=tuple(members[n] for n in numbers)))
    then, now = encode_json(logged.found), encode_json(found)
    if then == now:
        return ReplayedReference(0, ReplayState.IDENTICAL, name, TOGETHER)
    rows = tuple(find_differences(msgspec.json.decode(then), msgspec.json.decode(now), "findings"))
    now_version = serializers.get_version()
    why = (
        ReplayReason(ReasonCode.VERSION, f"citeproof {version} then, {now_version} now")
        if version != now_version
        else ReplayReason(ReasonCode.UNEXPLAINED, "same version: the code or a reference was changed")
    )
    return ReplayedReference(0, ReplayState.DRIFTED, name, TOGETHER, (why,), rows)

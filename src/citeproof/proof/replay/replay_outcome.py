"""What came of judging a recorded reference again: the same, or what differs and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from citeproof.vocabulary import Checked


class ReplayState(StrEnum):
    """How a recorded reference stands today."""

    IDENTICAL = "identical"  # judged again to the same bytes, from evidence that is whole
    DRIFTED = "drifted"  # the judgement is another, or what it rests on was changed
    TAMPERED = "tampered"  # what is stored is not what the log committed to
    REDACTED = "redacted"  # erased on purpose, as the log says
    UNAVAILABLE = "unavailable"  # what it needs is not there


class ReplaySubject(StrEnum):
    """What was replayed; the words name it in JSON."""

    REFERENCE = "references"
    SET = "sets"  # what was found about references together
    CLAIM = "claims"
    EVENT = "events"  # of the run itself, or that belong to nothing


class ReasonCode(StrEnum):
    """What a difference comes from, or why there is nothing to compare."""

    DAMAGED = "damaged"  # a stored answer does not match its hash
    READ = "read_otherwise"  # the same bytes give other records
    ASKED = "asks_otherwise"  # requests that were not made then, or are not made any more
    JUDGE = "another_judge"
    VERSION = "another_version"
    UNEXPLAINED = "unexplained"  # same version, judge and evidence: the code or a library was changed
    COMMITMENT = "commitment"
    ERASED = "erased"
    PRUNED = "pruned"
    MISSING = "missing"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class ReplayReason:
    """Why, in words; `hash` and `source` where stored bytes are meant."""

    why: ReasonCode
    detail: str
    source: str = ""
    hash: str = ""


@dataclass(frozen=True, slots=True)
class ReplayDifference:
    """One value that is another today. Both as JSON text, empty where there is none."""

    path: str  # such as "judgement.mismatches[0].resolved"
    then: str
    now: str


@dataclass(frozen=True, slots=True)
class ReplayedReference:
    """One recorded reference, judged again; or what else the run says, compared with what is stored."""

    ref: int
    state: ReplayState
    key: str = ""
    title: str = ""
    reasons: tuple[ReplayReason, ...] = ()
    differences: tuple[ReplayDifference, ...] = ()
    more: int = 0  # differences beyond those that are listed
    subject: ReplaySubject = ReplaySubject.REFERENCE
    checked: Checked | None = field(default=None, repr=False)

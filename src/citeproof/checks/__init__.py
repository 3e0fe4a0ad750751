"""Integrity checks: is the cited work still sound, and are the citations as a set?

One check, one file; its docstring is its documentation. A check of a work sees a reference, what was judged
of it, the records of the work and what lists say. A check of the set sees the references of one document
together. It reads no file and no clock: the same evidence gives the same findings, in a replay too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from citeproof.checks import (
    corrected,
    expression_of_concern,
    hijacked_journal,
    nonexistent_venue,
    predatory_source,
    reinstated,
    retracted,
    venue_unconfirmed,
)
from citeproof.checks.set_evidence import SetEvidence
from citeproof.checks.work_notices import WorkEvidence, WorkNotices, collect_notices
from citeproof.vocabulary import Finding, SetFinding

NOTICE_CHECKS: tuple[Callable[[WorkNotices], Finding | None], ...] = (
    retracted.find_retraction,
    expression_of_concern.find_concern,
    corrected.find_correction,
    reinstated.find_reinstatement,
)
WORK_CHECKS: tuple[Callable[[WorkEvidence], Finding | None], ...] = (
    predatory_source.find_predatory_source,
    hijacked_journal.find_hijacked_journal,
    nonexistent_venue.find_nonexistent_venue,
    venue_unconfirmed.find_unconfirmed_venue,
)
SET_CHECKS: tuple[Callable[[SetEvidence], Iterable[SetFinding]], ...] = ()


def examine_work(evidence: WorkEvidence) -> tuple[Finding, ...]:
    """Return what the checks say about the cited work, in their order."""
    notices = collect_notices(evidence)
    found = [*(check(notices) for check in NOTICE_CHECKS), *(check(evidence) for check in WORK_CHECKS)]
    return tuple(one for one in found if one is not None)


def examine_set(evidence: SetEvidence) -> tuple[SetFinding, ...]:
    """Return what the checks say about the references of one document together, in their order."""
    return tuple(found for check in SET_CHECKS for found in check(evidence))


def list_check_modules() -> Sequence[str]:
    """Return the module of each check, in the order of the documentation."""
    checks = (*NOTICE_CHECKS, *WORK_CHECKS, *SET_CHECKS)
    return list(dict.fromkeys(check.__module__ for check in checks))

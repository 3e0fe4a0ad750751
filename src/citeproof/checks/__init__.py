"""Integrity checks: is the cited work still sound? One check, one file; its docstring is its documentation.

A check sees a reference, what was judged of it, the records of the work and what lists say, and returns
findings. It reads no file and no clock: the same evidence gives the same findings, in a replay too.
"""

from __future__ import annotations

from collections.abc import Callable

from citeproof.checks import corrected, expression_of_concern, reinstated, retracted
from citeproof.checks.work_notices import WorkEvidence, WorkNotices, collect_notices
from citeproof.vocabulary import Finding

CHECKS: tuple[Callable[[WorkNotices], Finding | None], ...] = (
    retracted.find_retraction,
    expression_of_concern.find_concern,
    corrected.find_correction,
    reinstated.find_reinstatement,
)


def examine_work(evidence: WorkEvidence) -> tuple[Finding, ...]:
    """Return what the checks say about the cited work, in their order."""
    notices = collect_notices(evidence)
    return tuple(found for check in CHECKS if (found := check(notices)) is not None)

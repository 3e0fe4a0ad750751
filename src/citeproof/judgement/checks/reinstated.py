"""`reinstated`: the cited work was retracted or under suspicion once, and was reinstated.

**What it does:** reads reinstatements from the Retraction Watch list. They cancel every earlier retraction
and expression of concern, also those that records of the work still carry; a notice after it holds again.

**Why it matters:** some databases go on to call such a work retracted. It is a note.
"""

from __future__ import annotations

from citeproof.judgement.checks.base import NOTICE_CHECKS, add_check
from citeproof.judgement.checks.evidence.work_notices import WorkNotices
from citeproof.vocabulary import Finding, NoticeKind


@add_check(NOTICE_CHECKS, 4)
def find_reinstatement(notices: WorkNotices) -> Finding | None:
    """Return that the work was reinstated, if it was."""
    return notices.make_finding("reinstated", NoticeKind.REINSTATED)

"""`expression_of_concern`: the publisher has expressed concern about the cited work.

**What it does:** reads expressions of concern from the Retraction Watch list, Crossref `updated-by`, PubMed
and Europe PMC. One that was lifted, or after which the work was reinstated, is not reported.

**Why it matters:** an investigation may be open; a reader should know before relying on the work. It is a
warning.

Lists of concerns are not complete: silence is not reported as `clear`.
"""

from __future__ import annotations

from citeproof.judgement.checks.base import NOTICE_CHECKS, add_check
from citeproof.judgement.checks.evidence.work_notices import WorkNotices
from citeproof.vocabulary import Finding, NoticeKind


@add_check(NOTICE_CHECKS, 2)
def find_concern(notices: WorkNotices) -> Finding | None:
    """Return the concern about the work, if there is one."""
    return notices.make_finding("expression_of_concern", NoticeKind.EXPRESSION_OF_CONCERN)

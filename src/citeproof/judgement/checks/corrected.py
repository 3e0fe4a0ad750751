"""`corrected`: a correction to the cited work was published (erratum, corrigendum, addendum).

**What it does:** reads corrections from the Retraction Watch list, Crossref `updated-by`, PubMed, Europe
PMC and INSPIRE. A correction is never called a retraction.

**Why it matters:** the figure that is cited may be the one that was corrected. It is a note.

Lists of corrections are not complete: silence is not reported as `clear`.
"""

from __future__ import annotations

from citeproof.judgement.checks.base import NOTICE_CHECKS, add_check
from citeproof.judgement.checks.evidence.work_notices import WorkNotices
from citeproof.vocabulary import Finding, NoticeKind


@add_check(NOTICE_CHECKS, 3)
def find_correction(notices: WorkNotices) -> Finding | None:
    """Return the correction to the work, if there is one."""
    return notices.make_finding("corrected", NoticeKind.CORRECTED)

"""`retracted`: the cited work was retracted, withdrawn or removed.

**What it does:** looks for the work in the Retraction Watch list (by DOI, PubMed number, or title and author
where one side has no identifier), in the marks of its records (Crossref `updated-by`, PubMed `RetractionIn`,
arXiv and DBLP withdrawals) and in titles that begin with "RETRACTED:". The notice itself is not the work.

**Why it matters:** what a retracted work says is not evidence any more.

**Kinds:** `retracted`, `withdrawn` and `removed` fail the run. `partial` (a part was retracted) and
`replaced` (retracted, and a corrected version has its place under the same DOI) are warnings; where the
corrected version has a DOI of its own, as Cochrane reviews do, the work is `retracted`. A work that was
reinstated since is `reinstated`, and errata are `corrected`; neither is called a retraction.

**Dates:** where the document states its own date (LaTeX, JATS `pub-date`, the date of a Word, OpenDocument
or PDF file, `date` in Markdown's front matter) or an entry the day of access (BibTeX `urldate`, CSL
`accessed`), the finding says whether the notice came before or after it.

**States:** `clear` means that a list no older than `retraction_list_days` does not have the work. Without
such a list the state is `unchecked`, with the reason; what an older list has is still found. For claims
a live run then asks registries: Crossref for notices about the DOI, PubMed, arXiv, and OpenAlex for a hint.

**References:** Retraction Watch (CC BY 4.0), <https://gitlab.com/crossref/retraction-watch-data>.
"""

from __future__ import annotations

from citeproof.judgement.checks.base import NOTICE_CHECKS, add_check
from citeproof.judgement.checks.evidence.work_notices import RETRACTIONS, WorkNotices
from citeproof.vocabulary import Finding, FindingState

NAME = "retracted"
UNKNOWN_WORK = "no identifier and no match say which work it is"


@add_check(NOTICE_CHECKS, 1)
def find_retraction(notices: WorkNotices) -> Finding | None:
    """Return whether the work was retracted; None if no list was asked and no record says so."""
    if finding := notices.make_finding(NAME, *RETRACTIONS):
        return finding
    if not notices.listed:
        return None
    clearing = [answer for answer in notices.listed if not answer.trouble]
    if clearing and notices.identified:
        sources = ", ".join(f"{answer.name} {answer.day}" for answer in clearing)
        return Finding(NAME, FindingState.CLEAR, "", sources)
    problems = [
        f"the list {answer.name} {answer.trouble}" if not answer.day or answer.digest else answer.trouble
        for answer in notices.listed
    ]
    detail = UNKNOWN_WORK if clearing else "; ".join(problems)
    sources = ", ".join(answer.name for answer in notices.listed)
    return Finding(NAME, FindingState.UNCHECKED, detail, sources)

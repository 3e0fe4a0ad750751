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

from citeproof.checks.base import NOTICE_CHECKS, add_check
from citeproof.checks.evidence.work_notices import RETRACTIONS, WorkNotices
from citeproof.vocabulary import Finding, FindingState, ListAnswer

NAME = "retracted"
UNKNOWN_WORK = "no identifier and no match say which work it is"


@add_check(NOTICE_CHECKS, 1)
def find_retraction(notices: WorkNotices) -> Finding | None:
    """Return whether the work was retracted; None if no list was asked and nobody says so."""
    if found := notices.make_finding(NAME, *RETRACTIONS):
        return found
    if not notices.listed:
        return None
    clearing = [one for one in notices.listed if not one.trouble]
    if not clearing or not notices.identified:
        told = "; ".join(map(_describe_trouble, notices.listed)) if not clearing else UNKNOWN_WORK
        return Finding(NAME, FindingState.UNCHECKED, told, ", ".join(one.name for one in notices.listed))
    source = ", ".join(f"{one.name} {one.day}" for one in clearing)
    return Finding(NAME, FindingState.CLEAR, "", source)


def _describe_trouble(one: ListAnswer) -> str:
    return f"the list {one.name} {one.trouble}" if not one.day or one.digest else one.trouble

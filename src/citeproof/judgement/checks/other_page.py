"""`other_page`: the cited address shows a page with another title.

**What it does:** compares the title of the page at the cited address with the cited one. Nothing is said if
the page has no title, if the two are much alike, or if the page is gone (see `dead_link`).

**Why it matters:** the page may have been replaced, or the address may never have led to what is cited. It is
a warning: titles of pages change.

**References:** Klein et al., Scholarly context not found (reference rot),
<https://doi.org/10.1371/journal.pone.0115253>.
"""

from __future__ import annotations

from citeproof.judgement.checks.base import WORK_CHECKS, add_check
from citeproof.judgement.checks.evidence.work_notices import WorkEvidence
from citeproof.judgement.compare.title import compare_title
from citeproof.text.unicode import show_one_line
from citeproof.vocabulary import Finding, FindingState, Found, Outcome

_SOURCE = "url"
_OTHER = 0.5  # similarity of titles below which the page is another one
_LONG = 200  # characters of a title that are shown


@add_check(WORK_CHECKS, 11)
def find_other_page(evidence: WorkEvidence) -> Finding | None:
    """Return the finding that a cited page lives under another title; None otherwise."""
    title, provenance = evidence.reference.claimed.title, evidence.judgement.provenance
    for lookup in provenance.registries_searched if provenance and title else ():
        if not isinstance(lookup, Found) or lookup.source != _SOURCE or lookup.by != _SOURCE:
            continue
        for record in lookup.records:
            known = compare_title(title, record.titles)
            if (
                known.outcome is Outcome.DIFFERS
                and known.similarity < _OTHER
                and "archived" not in record.marks
            ):
                shown = show_one_line(known.resolved[:_LONG])
                lines = (f"cited: {show_one_line(known.claimed[:_LONG])}", f"the page: {shown}")
                detail = f"the page at the address has another title: {shown}"
                return Finding("other_page", FindingState.FINDING, detail, _SOURCE, evidence=lines)
    return None

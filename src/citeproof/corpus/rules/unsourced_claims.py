"""Statistics and appeals to studies: each needs a source in its sentence or next to it."""

from __future__ import annotations

from citeproof.corpus.corpus_types import Assertion
from citeproof.corpus.document_check import DocumentCheck

_TOLD = {
    Assertion.PERCENT: (
        "unsourced-statistic",
        "a percentage without a source",
        "Cite where the figure is from.",
    ),
    Assertion.TIMES: (
        "unsourced-statistic",
        "a factor without a benchmark",
        "Cite the benchmark it is from.",
    ),
    Assertion.AMOUNT: ("unsourced-statistic", "an amount without a source", "Cite where the figure is from."),
    Assertion.STUDIES: ("unsourced-claim", "an appeal to studies without one", "Cite the studies."),
}


def check(desk: DocumentCheck) -> None:
    """Note every claim that has no source nearby."""
    for claim in desk.page.find_claims(desk.failed):
        if claim.sourced:
            continue
        rule, message, fix = _TOLD[claim.kind]
        told = f"“{claim.raw}”: {message}"
        desk.tell(rule, claim, message=told, fix=fix, todo=f"add a source for “{claim.raw}”")

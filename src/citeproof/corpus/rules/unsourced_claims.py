"""Statistics and appeals to studies: each needs a source in its sentence or next to it."""

from __future__ import annotations

from citeproof.corpus.corpus_types import Assertion
from citeproof.corpus.document_check import DocumentCheck

_FIGURE = "Cite where the figure is from."
_ADVICE = {
    Assertion.PERCENT: ("a percentage without a source", _FIGURE),
    Assertion.TIMES: ("a factor without a benchmark", "Cite the benchmark it is from."),
    Assertion.AMOUNT: ("an amount without a source", _FIGURE),
    Assertion.STUDIES: ("an appeal to studies without one", "Cite the studies."),
}


def check(desk: DocumentCheck) -> None:
    """Note every claim that has no source nearby."""
    for claim in desk.page.find_claims(desk.failed):
        if not claim.sourced:
            rule = "unsourced-claim" if claim.kind is Assertion.STUDIES else "unsourced-statistic"
            why, fix = _ADVICE[claim.kind]
            message, todo = f"“{claim.raw}”: {why}", f"add a source for “{claim.raw}”"
            desk.tell(rule, claim, message=message, fix=fix, todo=todo)

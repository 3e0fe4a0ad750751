"""Statistics and appeals to studies, which need a source near them; and documents with more than is read."""

from __future__ import annotations

from citeproof.corpus.corpus_types import Assertion
from citeproof.corpus.document_check import CUT, DocumentCheck, IssuePlace
from citeproof.corpus.page import MOST

_FIGURE = "Cite where the figure is from."
_ADVICE = {
    Assertion.PERCENT: ("a percentage without a source", _FIGURE),
    Assertion.TIMES: ("a factor without a benchmark", "Cite the benchmark it is from."),
    Assertion.AMOUNT: ("an amount without a source", _FIGURE),
    Assertion.STUDIES: ("an appeal to studies without one", "Cite the studies."),
}


def check_claims(desk: DocumentCheck) -> None:
    """Note every claim that has no source nearby."""
    for claim in desk.page.find_claims(desk.failed):
        if not claim.sourced:
            rule = "unsourced-claim" if claim.kind is Assertion.STUDIES else "unsourced-statistic"
            why, fix = _ADVICE[claim.kind]
            message, todo = f"“{claim.raw}”: {why}", f"add a source for “{claim.raw}”"
            desk.tell(rule, claim, message=message, fix=fix, todo=todo)


def check_size(desk: DocumentCheck) -> None:
    """Note how much of the document was left out, if anything was."""
    unread, untold = desk.page.unread, desk.untold
    if not (unread or untold):
        return
    read = f"about {unread:,} citations, quotations and figures after the first {MOST:,} were not read"
    unshown = f"{untold:,} issues beyond the first {MOST:,} are not shown"
    last = desk.page.marks[-1] if unread and desk.page.marks else None
    desk.tell(
        CUT,
        last or IssuePlace(desk.page.sentences[0].span, 0, ""),
        message="; ".join(said for said, many in ((read, unread), (unshown, untold)) if many),
        fix="Split the document.",
    )

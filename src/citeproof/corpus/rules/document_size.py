"""Size: a document with more in it than is stored in memory is reported, and does not pass."""

from __future__ import annotations

from citeproof.corpus.document_check import CUT, DocumentCheck, IssuePlace
from citeproof.corpus.page import MOST


def check(desk: DocumentCheck) -> None:
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

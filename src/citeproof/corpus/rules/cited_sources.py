"""Cited sources: their pages, as published or counted from 1, and when somebody last examined them.

And what needs a source near it (statistics, appeals to studies), and documents with more than is read.
"""

from __future__ import annotations

from citeproof.corpus.corpus_types import Assertion, CitationMark, Pages
from citeproof.corpus.document_check import CUT, DocumentCheck, IssuePlace
from citeproof.corpus.entries import CorpusEntry
from citeproof.corpus.page import MOST

_FIGURE = "Cite where the figure is from."
_ADVICE = {
    Assertion.PERCENT: ("a percentage without a source", _FIGURE),
    Assertion.TIMES: ("a factor without a benchmark", "Cite the benchmark it is from."),
    Assertion.AMOUNT: ("an amount without a source", _FIGURE),
    Assertion.STUDIES: ("an appeal to studies without one", "Cite the studies."),
}


def check_pages(desk: DocumentCheck) -> None:
    """Note every page that its source cannot have."""
    for pages in desk.page.pages:
        entries = desk.entries_of(pages.sentence)
        if desk.mode.corpus_only and not entries:
            continue  # pages of nothing that is mentioned
        if pages.first > pages.last:
            mark = next(iter(desk.page.marks_of(pages.sentence)), None)
            _note_page_issue(desk, pages, mark, "the range runs backwards")
        elif pages.first < 1:
            _note_page_issue(desk, pages, entries[0][0] if entries else None, "pages count from 1")
        elif entries and all(_is_outside(pages, entry) for _, entry in entries):
            mark, entry = entries[0]
            _note_page_issue(desk, pages, mark, f"{entry.path} has {_describe_extent(entry)}")


def _is_outside(pages: Pages, entry: CorpusEntry) -> bool:
    """Return whether an entry states its pages and these are not among them."""
    spans = [entry.pages] if entry.pages else []
    if entry.total_pages:
        spans.append((1, entry.total_pages))
    elif entry.pages:
        spans.append((1, entry.pages[1] - entry.pages[0] + 1))
    return bool(spans) and not any(low <= pages.first <= pages.last <= high for low, high in spans)


def _describe_extent(entry: CorpusEntry) -> str:
    published = f"pages {entry.pages[0]} to {entry.pages[1]}" if entry.pages else ""
    counted = f"{entry.total_pages} pages" if entry.total_pages else ""
    return " and ".join(part for part in (published, counted) if part)


def _note_page_issue(desk: DocumentCheck, pages: Pages, mark: CitationMark | None, why: str) -> None:
    place = IssuePlace(pages.span, pages.sentence, mark.raw if mark else pages.raw)
    said = f"{pages.raw}: {why}"
    desk.tell("page-range", place, message=said, fix="Correct the page.", todo=said)


def check_age(desk: DocumentCheck) -> None:
    """Note every cited source that was last examined longer ago than the layout allows.

    Of several that a citation may mean, the one that was examined last counts.
    """
    reported: set[str] = set()
    for mark, entries in desk.means.items():
        entry = max(entries, key=lambda examined: examined.verified, default=None)
        if entry is None or not entry.verified or entry.path in reported:
            continue
        reported.add(entry.path)
        if desk.asking.is_older(entry.verified):
            days = desk.asking.layout.stale_days
            message = f"{entry.path} was last reviewed on {entry.verified}, more than {days} days ago"
            fix = "Review the source and note the date in its front matter."
            desk.tell("stale-source", mark, message=message, fix=fix)


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

"""Cited pages against the pages that a quotation was found on, as counted in the file or as printed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from citeproof.claims.quotes.quotation_types import QuotationMatch
from citeproof.claims.quotes.source_index import SourceIndex
from citeproof.text import lazy_patterns as re

_NUMBER = re.compile(r"(?<![\w.,-])\d{1,5}(?![\w.,%-])")
_EDGE = 120  # characters at the head and at the foot of a page that are examined
_LEAST = 3  # pages that must agree about how the printed numbers run


class PageAgreement(StrEnum):
    """Whether a quotation is on the cited page."""

    AGREES = "agrees"
    DIFFERS = "differs"
    UNKNOWN = "unknown"  # the source has no pages, or does not have the quotation


@dataclass(frozen=True, slots=True)
class PageCheck:
    """The outcome, and the page that the quotation begins on: as counted from 1, and as printed if known."""

    agreement: PageAgreement
    page: int | None = None
    printed: int | None = None


def check_pages(
    match: QuotationMatch, source: SourceIndex, first: int, last: int, first_page: int | None = None
) -> PageCheck:
    """Return whether a quotation is on the pages `first` to `last`.

    A page may be meant as counted in the file, as printed on it, or as counted from `first_page`, the page
    that the publication begins on. Words that are in several places need to be on the cited page in one.
    """
    if match.span is None or match.span.first_page is None or match.status == "absent":
        return PageCheck(PageAgreement.UNKNOWN)
    shift = find_printed_shift(source)
    shifts = {0, *([shift] if shift is not None else []), *([first_page - 1] if first_page else [])}
    found = {
        page
        for span in (*match.spans, *match.others)
        if (begin := span.first_page) is not None
        for page in range(begin, (span.last_page or begin) + 1)
    }
    agrees = any(first <= page + shift <= last for page in found for shift in shifts)
    page = match.span.first_page
    printed = page + shift if shift else None
    return PageCheck(PageAgreement.AGREES if agrees else PageAgreement.DIFFERS, page, printed)


def find_printed_shift(source: SourceIndex) -> int | None:
    """Return what a page's printed number is more than its place in the file; None if none is printed."""
    votes = Counter(
        number - page for page, numbers in enumerate(_list_printed(source), 1) for number in numbers
    )
    if not votes:
        return None
    shift, count = votes.most_common(1)[0]
    return shift if count >= max(_LEAST, len(source.page_starts) // 2) else None


def _list_printed(source: SourceIndex) -> Iterator[set[int]]:
    """Yield for each page the numbers in its first and its last line."""
    for begin, end in zip(source.page_starts, (*source.page_starts[1:], len(source.text)), strict=True):
        head = source.text[begin : min(end, begin + 4 * _EDGE)].strip().partition("\n")[0][:_EDGE]
        foot = source.text[max(begin, end - 4 * _EDGE) : end].strip(" \t\r\n\f").rpartition("\n")[2][-_EDGE:]
        yield {int(number) for number in _NUMBER.findall(f"{head} {foot}")}

"""Quotations and the texts they are from: verbatim, altered or absent, with the differences and the page.

    source = index_source(text)                      # a form feed begins a new page
    match = locate_quotation("deep networks … generalise", source)
    match.status, match.spans, match.differences
    check_pages(match, source, 12, 13)

Pure: text in, result out. The time is bounded by the sizes of quotation and source, not by their product.
"""

from citeproof.claims.quotes.cited_page_check import PageAgreement, PageCheck, check_pages
from citeproof.claims.quotes.quotation_search import locate_quotation
from citeproof.claims.quotes.quotation_types import (
    DifferenceWeight,
    PassageSpan,
    QuotationMatch,
    QuotationStatus,
    WordDifference,
)
from citeproof.claims.quotes.source_index import SourceIndex, index_source

__all__ = [
    "DifferenceWeight", "PageAgreement", "PageCheck", "PassageSpan", "QuotationMatch", "QuotationStatus",
    "SourceIndex", "WordDifference", "check_pages", "index_source", "locate_quotation",
]  # fmt: skip

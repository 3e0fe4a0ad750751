"""The rules: one kind of citation or statement a file. The order matters: what citations mean comes first."""

from __future__ import annotations

from citeproof.corpus.document_check import DocumentCheck
from citeproof.corpus.rules import (
    author_year_citations,
    code_citations,
    document_size,
    doi_citations,
    grade_language,
    mentions,
    page_ranges,
    quotations,
    ref_citations,
    source_age,
    unsourced_claims,
)

_RESOLVING = (mentions, ref_citations, doi_citations, author_year_citations)
_RESTING = (quotations, page_ranges, grade_language, source_age)  # on what citations mean


def apply_rules(desk: DocumentCheck) -> None:
    """Apply every rule that the mode asks for."""
    rules = [*_RESOLVING, code_citations, *_RESTING, unsourced_claims]
    if desk.mode.code_only:
        rules = [code_citations]
    elif desk.mode.corpus_only:
        rules = [mentions, *_RESTING]
    for rule in (*rules, document_size):
        rule.check(desk)

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

_RESOLVING = (mentions.check, ref_citations.check, doi_citations.check, author_year_citations.check)


def apply_rules(desk: DocumentCheck) -> None:
    """Apply every rule that the mode asks for."""
    _apply_by_mode(desk)
    document_size.check(desk)


def _apply_by_mode(desk: DocumentCheck) -> None:
    if desk.mode.code_only:
        code_citations.check(desk)
        return
    if desk.mode.corpus_only:
        mentions.check(desk)
    else:
        for check in _RESOLVING:
            check(desk)
        code_citations.check(desk)
    quotations.check(desk)
    page_ranges.check(desk)
    grade_language.check(desk)
    source_age.check(desk)
    if not desk.mode.corpus_only:
        unsourced_claims.check(desk)  # when it is known which citations name nothing

"""The rules, by what they are about. The order matters: what citations mean comes first."""

from __future__ import annotations

from citeproof.corpus.document_check import DocumentCheck
from citeproof.corpus.rules import author_year_citations, code_citations, grade_language, quotations
from citeproof.corpus.rules.cited_sources import check_age, check_claims, check_pages, check_size
from citeproof.corpus.rules.source_citations import check_dois, check_mentions, check_refs

_RESOLVING = (check_mentions, check_refs, check_dois, author_year_citations.check)
_RESTING = (quotations.check, check_pages, grade_language.check, check_age)  # on what citations mean


def apply_rules(desk: DocumentCheck) -> None:
    """Apply every rule that the mode asks for."""
    rules = [*_RESOLVING, code_citations.check, *_RESTING, check_claims]
    if desk.mode.code_only:
        rules = [code_citations.check]
    elif desk.mode.corpus_only:
        rules = [check_mentions, *_RESTING]
    for check in (*rules, check_size):
        check(desk)

"""What a text says about a claim: passages, quotations, numbers, alarms; never a verdict."""

from __future__ import annotations

from citeproof.claims.support.claim_quotations import find_claim_quotations, locate_claim_quotations
from citeproof.claims.support.passage_index import PassageIndex, index_passages
from citeproof.claims.support.passage_ranking import Reranker, rank_passages
from citeproof.vocabulary.claim_support import NO_SUPPORT_TEXT, ClaimSupport, SupportOutcome
from citeproof.vocabulary.source_texts import SourceText, TextExtent

MOST_CLAIM = 20_000  # characters of a claim that are read
SHOWN_PASSAGES = 3
ABOUT = 0.35  # share of a claim's weight that a passage must have to be about it


def assess_support(
    claim_text: str,
    source: SourceText | PassageIndex | None,
    rerank: Reranker | None = None,
    *,
    cited_at: int | None = None,
) -> ClaimSupport:
    """Return what the text of a work says about a claim that cites it.

    For many claims on one work pass `index_passages(source)` instead of the text. `cited_at` is where the
    claim cites this work: of a sentence with several citations the words before it count most.
    """
    if source is None:
        return NO_SUPPORT_TEXT
    index = source if isinstance(source, PassageIndex) else index_passages(source)
    text = index.source
    if text.extent is TextExtent.NO_TEXT or not index.spans:
        return NO_SUPPORT_TEXT
    claim = claim_text[:MOST_CLAIM]
    quotations, alarms = locate_claim_quotations(find_claim_quotations(claim), index)
    ranked = [one for one in rank_passages(claim, index, cited_at, rerank) if one.coverage >= ABOUT]
    passages = tuple(
        index.make_passage(*index.spans[one.number], one.coverage) for one in ranked[:SHOWN_PASSAGES]
    )
    if alarms:
        outcome = SupportOutcome.ALARM
    elif quotations and all(one.status == "verbatim" for one in quotations):
        outcome = SupportOutcome.QUOTE_VERIFIED
    else:
        outcome = SupportOutcome.EVIDENCE_LOCATED if passages else SupportOutcome.NOT_LOCATED
    return ClaimSupport(outcome, text.extent, text.origin, passages, alarms, quotations, sha256=text.sha256)

"""What a text says about a claim: passages, quotations, numbers, alarms; never a verdict."""

from __future__ import annotations

from citeproof.claims.support.claim_cleaning import blank_citation_marks
from citeproof.claims.support.claim_quotations import find_claim_quotations, locate_claim_quotations
from citeproof.claims.support.exhibit_evidence import check_exhibits, find_exhibit_alarms
from citeproof.claims.support.number_comparison import compare_numbers
from citeproof.claims.support.passage_index import PassageIndex, index_passages
from citeproof.claims.support.passage_ranking import Reranker, rank_passages
from citeproof.claims.support.polarity_comparison import compare_polarity
from citeproof.vocabulary.claim_support import NO_SUPPORT_TEXT, ClaimSupport, SupportOutcome
from citeproof.vocabulary.source_texts import SourceText, TextExtent

MOST_CLAIM = 20_000  # characters of a claim that are read
SHOWN_PASSAGES = 3
ABOUT = 0.25  # share of a claim's weight that a passage must have to be shown
PLAIN = 0.75  # share from which it plainly is the same statement, so that a difference is an alarm


def assess_support(
    claim_text: str,
    source: SourceText | PassageIndex | None,
    rerank: Reranker | None = None,
    *,
    cited_at: int | None = None,
    own_document: bool = True,
) -> ClaimSupport:
    """Return what the text of a work says about a claim that cites it.

    For many claims on one work pass `index_passages(source)` instead of the text. `cited_at` is where the
    claim cites this work: of a sentence with several citations the words before it count most.
    `own_document`: the claim is a sentence of a document, which may have figures of its own.
    """
    if source is None:
        return NO_SUPPORT_TEXT
    index = source if isinstance(source, PassageIndex) else index_passages(source)
    text = index.source
    if text.extent is TextExtent.NO_TEXT or not index.spans:
        return NO_SUPPORT_TEXT
    claim = claim_text[:MOST_CLAIM]
    quotations, quotation_alarms = locate_claim_quotations(find_claim_quotations(claim), index)
    exhibits = check_exhibits(claim, index, cited_at=cited_at, own_document=own_document)
    ranked = [one for one in rank_passages(claim, index, cited_at, rerank) if one.coverage >= ABOUT]
    passages = tuple(
        index.make_passage(*index.spans[one.number], one.coverage) for one in ranked[:SHOWN_PASSAGES]
    )
    numbers = compare_numbers(blank_citation_marks(claim), passages, PLAIN, index)
    polarity = compare_polarity(blank_citation_marks(claim), passages, PLAIN)
    differences = quotation_alarms or (*numbers.alarms, *polarity)  # of a quotation told once, as its own
    alarms = (*differences, *find_exhibit_alarms(exhibits))
    if alarms:
        outcome = SupportOutcome.ALARM
    elif quotations and all(one.status == "verbatim" for one in quotations):
        outcome = SupportOutcome.QUOTE_VERIFIED
    elif passages:
        outcome = SupportOutcome.NUMBERS_AGREE if numbers.complete else SupportOutcome.EVIDENCE_LOCATED
    else:
        outcome = SupportOutcome.NOT_LOCATED
    return ClaimSupport(
        outcome,
        text.extent,
        text.origin,
        passages,
        alarms,
        quotations,
        exhibits,
        numbers.agreeing,
        text.sha256,
        absent_numbers=numbers.absent,
    )

"""What a language model says about a claim counts only with a quotation of the text. Pure.

1. The quotation must be letter for letter in a passage that the model was shown: one stretch, nothing left
   out, nothing in brackets. What is kept is what the text has, never what the model wrote.
2. It must not give orders, and its words must be about the claim.
3. One that supports the claim must not cut off a negation of its sentence, must state the claim's numbers and
   must not reverse its direction. An alarm that was found without the model stands.

What the whole text has was asked before (`located`), so that a replay needs no more than what was sent.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from citeproof.claims.quotes import PassageSpan, QuotationStatus, SourceIndex, index_source, locate_quotation
from citeproof.claims.quotes.quotation_parts import split_quotation
from citeproof.claims.support.claim_cleaning import blank_citation_marks
from citeproof.claims.support.number_comparison import compare_numbers
from citeproof.claims.support.passage_index import PassageIndex, index_passages
from citeproof.claims.support.passage_ranking import measure_coverage
from citeproof.claims.support.polarity_comparison import compare_polarity, read_polar_words
from citeproof.claims.support.support_assessment import ABOUT, MOST_CLAIM, PLAIN
from citeproof.judgement.checks.prompt_injection import find_injection_in, list_suspected_orders
from citeproof.reading.extractors.prose.sentence_spans import find_sentence_spans
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary.claim_support import EvidencePassage, ModelVerdict, SupportLimit, SupportOutcome
from citeproof.vocabulary.source_texts import SourceText, TextExtent

LEAST_WORDS = 4  # of a quotation: fewer are in every text
LONGEST_QUOTE = 1_000  # characters
_NEGATED = 3  # content words behind a negation that it turns round
_SENTENCE_END = re.compile(r"[.!?][\"'”’)\]]{0,3}(?:\s?\[?\d|\s|$)")
_MARGIN = 40  # characters around a located quotation that may belong to it
_ANSWERING = re.compile(
    r"\byou (?:must|should|are to|have to|will|shall)\b|\b(?:your|the) (?:verdict|answer|instructions?)\b"
    r"|\bnot_stated\b|\b(?:answer|respond|reply|output|return|print|say|quote|mark|label)\b[^.]{0,60}"
    r"\b(?:supported|contradicted|verdict|json|this (?:very )?(?:claim|sentence))\b"
    r"|\b(?:classify|rate|judge|treat|accept|report|consider|count|record|grade|score|assess|call)\b[^.]{0,60}"
    r"\b(?:as|to be|is|be) (?:supported|contradicted|not stated)\b",
    re.IGNORECASE,
)
_MAY_MOVE = frozenset(
    (
        SupportOutcome.EVIDENCE_LOCATED,
        SupportOutcome.NUMBERS_AGREE,
        SupportOutcome.NOT_LOCATED,
        SupportOutcome.ALARM,
    )
)


def find_verbatim(quote: str, source: SourceIndex) -> PassageSpan | None:
    """Return where a text has a quotation letter for letter, in one stretch; None: it does not.

    People may leave out `[12]`, and scans err; a model was asked to copy, so that here all letters and
    figures must be the same. Blanks, hyphens at the ends of lines and other signs do not count.
    """
    match = locate_quotation(quote, source)
    if match.status is not QuotationStatus.VERBATIM or len(match.spans) != 1:
        return None
    span = match.spans[0]
    around = source.text[max(span.start - _MARGIN, 0) : span.end + _MARGIN]  # a `[12]` is at its end
    return span if _squeeze_text(quote) in _squeeze_text(around) else None


def is_body_text(span: PassageSpan, index: PassageIndex, *, captions: bool) -> bool:
    """Return whether a stretch is of the sentences of a work: no title, heading or line of authors.

    `captions`: the claim is about a figure or table, so that a caption may bear it out.
    """
    text = index.source.text
    end = text.find("\n", span.end)
    line = text[text.rfind("\n", 0, span.start) + 1 : end if end >= 0 else len(text)]
    inside = (
        one.start <= span.start < one.start + len(one.caption)
        for one in index.source.exhibits
        if one.start >= 0
    )
    return bool(_SENTENCE_END.search(line)) and (captions or not any(inside))


def _squeeze_text(text: str) -> str:
    """Return the letters and figures of a text."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def weigh_model_answer(
    claim: str,
    answer: ModelVerdict,
    sent: Sequence[EvidencePassage],
    first: SupportOutcome,
    *,
    located: bool = True,
) -> ModelVerdict:
    """Return what a model said with the place of its quotation, and whether it counts.

    `located`: the whole text has the quotation. `first`: what was found without the model.
    """
    claim = claim[:MOST_CLAIM]
    if (
        not 0 < len(answer.quote) <= LONGEST_QUOTE
        or sum(part.own for part in split_quotation(answer.quote)) < LEAST_WORDS
    ):
        return _refuse_answer(answer, SupportLimit.NO_QUOTE)
    found = find_in_passages(answer.quote, sent)
    if found is None or not located:
        return _refuse_answer(answer, SupportLimit.QUOTE_NOT_LOCATED)
    quote, sentence = found  # 1
    index = _index_sent(sent)
    cover = measure_coverage(claim, quote, index)
    told = replace(answer, quote=quote, passage=replace(sentence, score=round(cover, 4)))
    if find_answer_words(sentence.text) or bool(
        list_suspected_orders(sentence.text) or find_injection_in([("text", sentence.text)])
    ):
        return replace(told, limit=SupportLimit.QUOTE_GIVES_ORDERS)
    if cover < ABOUT:  # 2
        return replace(told, limit=SupportLimit.QUOTE_OFF_CLAIM)
    limit = _find_limit(claim, told, sentence, first, index)  # 3
    return replace(told, limit=limit, used=not limit)


def find_in_passages(quote: str, sent: Sequence[EvidencePassage]) -> tuple[str, EvidencePassage] | None:
    """Return the words of the first passage that has a quotation, and the sentence around them."""
    for one in sent:
        span = find_verbatim(quote, index_source(one.text))
        if span is not None:
            start, end = _find_sentence(one.text, span)
            text = one.text[start:end].strip()
            at = one.start + one.text.index(text, start) if one.start >= 0 else -1
            place = replace(one, start=at, end=at + len(text) if at >= 0 else -1, text=text)
            return one.text[span.start : span.end], place
    return None


def _find_limit(
    claim: str, told: ModelVerdict, sentence: EvidencePassage, first: SupportOutcome, index: PassageIndex
) -> str:
    """Return why an answer with a good quotation still does not count; empty: it does."""
    if first not in _MAY_MOVE:
        return SupportLimit.OUTCOME_DECIDED
    if told.verdict == SupportOutcome.CONTRADICTED:
        return ""
    if first is SupportOutcome.ALARM:
        return SupportLimit.ALARM_STANDS
    if told.verdict != SupportOutcome.SUPPORTED:
        return ""
    plain = blank_citation_marks(claim)
    denied = [len(read_polar_words(text).negations) for text in (plain, told.quote, sentence.text)]
    if denied[2] > denied[1] and denied[0] <= denied[1]:
        return SupportLimit.QUOTE_CUT
    passages = (replace(sentence, score=measure_coverage(claim, sentence.text, index)),)
    numbers = compare_numbers(plain, passages, PLAIN, index)
    own = compare_numbers(plain, (replace(sentence, text=plain),), PLAIN, index)  # all that the claim has
    ways = [_list_directions(text) for text in (plain, told.quote)]
    differs = (
        numbers.alarms
        or set(own.agreeing) > set(numbers.agreeing)
        or ways in ([{1}, {-1}], [{-1}, {1}])
        or compare_polarity(plain, passages, PLAIN)
    )
    return SupportLimit.QUOTE_DIFFERS if differs else ""


def _list_directions(text: str) -> set[int]:
    """Return where a text says things go, 1 up and -1 down; what it denies goes the other way."""
    read = read_polar_words(text)
    found = [*((at, 1) for at in read.up), *((at, -1) for at in read.down)]
    return {
        -way if any(0 <= at - denied < _NEGATED for denied in read.negations) else way for at, way in found
    }


def _index_sent(sent: Sequence[EvidencePassage]) -> PassageIndex:
    """Return the index of what was sent: the weights must not depend on a text that a replay has not."""
    text = "\n\n".join(one.text for one in sent)
    return index_passages(SourceText(TextExtent.ABSTRACT_ONLY, "", text))


def _find_sentence(text: str, span: PassageSpan) -> tuple[int, int]:
    """Return the sentences of a passage that a stretch touches."""
    touched = [(a, b) for a, b in find_sentence_spans(text) if a < span.end and b > span.start]
    starts, ends = [a for a, _ in touched], [b for _, b in touched]
    return min([span.start, *starts]), max([span.end, *ends])


def find_answer_words(text: str) -> str:
    """Return words that speak to whoever answers about a claim; a text that has them is no evidence."""
    told = _ANSWERING.search(" ".join(text.split()))
    return told[0] if told else ""


def _refuse_answer(answer: ModelVerdict, limit: SupportLimit) -> ModelVerdict:
    """Return an answer that does not count; what a text does not have is not shown, whoever dictated it."""
    return replace(answer, quote="", limit=limit)

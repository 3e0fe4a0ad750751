"""What a language model adds to the support of a claim, where the user asked for one.

1. Plain comparison comes first. A model is asked where it found a passage and could not tell: whether the
   passage supports the claim (`evidence_located`), or what to make of a difference (`alarm`).
2. It is shown the claim and the passages with their neighbours. Texts that give orders are not sent.
3. Its answer counts only with a quotation that is in what was sent and in the whole text (`model_quotes`).
   Of a figure it is shown the image too; what it reads there is a note, and never counts.
4. Else the outcome stays what it was, and the trace says why.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from citeproof.claims.support.cited_exhibits import find_cited_exhibits
from citeproof.claims.support.model_quotes import (
    LONGEST_QUOTE,
    find_answer_words,
    find_verbatim,
    is_body_text,
    weigh_model_answer,
)
from citeproof.claims.support.passage_index import PassageIndex
from citeproof.judgement.models.base import LanguageModel
from citeproof.judgement.review.model_exchange import (
    ask_model,
    examine_strange_texts,
    keep_rationale,
    load_prompt,
    make_gap,
)
from citeproof.judgement.review.support_question import (
    LONGEST_CLAIM,
    LONGEST_PASSAGE,
    FigureAnswer,
    SupportAnswer,
    list_support_texts,
    make_figure_question,
    make_support_question,
    may_show_image,
)
from citeproof.text.typed_decoding import decode_json
from citeproof.vocabulary import (
    ClaimSupport,
    EvidencePassage,
    ExhibitEvidence,
    ImageState,
    ModelSupport,
    ModelTask,
    ModelVerdict,
    SupportLimit,
    SupportOutcome,
    SupportQuestion,
)

ASKED = frozenset((SupportOutcome.EVIDENCE_LOCATED, SupportOutcome.ALARM))  # MODELS.md §2.1
MOST_FIGURES = 2  # of one claim: an image may cost as much as fifty texts
_OPPOSED = frozenset((SupportOutcome.SUPPORTED, SupportOutcome.CONTRADICTED))


@dataclass(frozen=True, slots=True)
class SupportReview:
    """The questions about claims of one run, and the model that answers them."""

    language_model: LanguageModel
    figures: bool = False  # also show it the images of figures and tables that claims cite

    async def review_support(self, claim: str, support: ClaimSupport, index: PassageIndex) -> ClaimSupport:
        """Return the support of a claim as far as a model may move it, and what was asked."""
        asked: list[SupportQuestion] = []
        if support.outcome in ASKED and support.passages:
            asked.append(await self._ask_support(claim, support, index))
        shown = [one for one in support.exhibits if may_show_image(one)] if self.figures else []
        asked += [await self._ask_figure(claim, one, support, index) for one in shown[:MOST_FIGURES]]
        if not asked:
            return support
        told = settle_verdicts(ModelSupport(self.language_model.name, support.outcome, tuple(asked)))
        exhibits = tuple(_mark_compared(one, told.asked) for one in support.exhibits)
        return replace(support, outcome=choose_outcome(told), exhibits=exhibits, llm=told)

    async def _ask_support(self, claim: str, support: ClaimSupport, index: PassageIndex) -> SupportQuestion:
        sent = list_sent_passages(support.passages, index)
        texts = list_support_texts(claim, sent)
        if reason := await asyncio.to_thread(find_orders, texts):
            return SupportQuestion(make_gap(ModelTask.SUPPORT, reason), sent)
        exchange, _ = await ask_model(self.language_model, make_support_question(claim, sent))
        question = SupportQuestion(exchange, sent)
        return await asyncio.to_thread(weigh_question, question, claim, support.outcome, index)

    async def _ask_figure(
        self, claim: str, one: ExhibitEvidence, support: ClaimSupport, index: PassageIndex
    ) -> SupportQuestion:
        """Return what a model says about a figure; only its caption or a sentence about it may support."""
        sent = tuple(each for each in (one.caption, *one.sentences) if each is not None)
        if reason := await asyncio.to_thread(find_orders, list_support_texts(claim, sent)):
            return SupportQuestion(make_gap(ModelTask.FIGURE, reason), sent, name_exhibit(one))
        exchange, _ = await ask_model(self.language_model, make_figure_question(claim, one, sent))
        question = SupportQuestion(exchange, sent, name_exhibit(one))
        return await asyncio.to_thread(weigh_question, question, claim, support.outcome, index)


def name_exhibit(one: ExhibitEvidence) -> str:
    """Return how a figure or table is called in a report: `figure 3`."""
    return f"{one.kind.value} {one.number}"


def _mark_compared(one: ExhibitEvidence, asked: Sequence[SupportQuestion]) -> ExhibitEvidence:
    """Return an exhibit as compared where an answer about it counts."""
    heard = (each for each in asked if each.verdict is not None and each.verdict.used)
    looked = any(each.about == name_exhibit(one) for each in heard)
    return replace(one, image_state=ImageState.COMPARED) if looked else one


def weigh_question(
    question: SupportQuestion, claim: str, first: SupportOutcome, index: PassageIndex | None = None
) -> SupportQuestion:
    """Return a question with what its answer says, weighed; `index`: the whole text, if it is at hand."""
    said = _read_verdict(question, claim)
    if said is None:
        return replace(question, verdict=None)
    located = question.located
    if index is not None and all(one.start >= 0 for one in question.sent):
        span = find_verbatim(said.quote[:LONGEST_QUOTE], index.quotation_index)
        captions = question.exchange.task is ModelTask.FIGURE or bool(find_cited_exhibits(claim))
        located = span is not None and (
            said.verdict != SupportOutcome.SUPPORTED or is_body_text(span, index, captions=captions)
        )
    weighed = weigh_model_answer(claim[:LONGEST_CLAIM], said, question.sent, first, located=located)
    return replace(question, verdict=weighed, located=located)


def settle_verdicts(told: ModelSupport) -> ModelSupport:
    """Return the questions with at most one kind of verdict that counts: answers that disagree do not."""
    verdicts = {one.verdict.verdict for one in told.asked if one.verdict and one.verdict.used}
    if len(verdicts) < 2:
        return told
    weak = verdicts if verdicts >= _OPPOSED else {SupportOutcome.NOT_STATED}
    return replace(told, asked=tuple(_drop_verdict(one, weak) for one in told.asked))


def choose_outcome(told: ModelSupport) -> SupportOutcome:
    """Return the outcome that the verdicts give; without one that counts, the first."""
    return SupportOutcome(told.used.verdict) if told.used is not None else told.first


def _drop_verdict(question: SupportQuestion, weak: Collection[str]) -> SupportQuestion:
    said = question.verdict
    if said is None or not said.used or said.verdict not in weak:
        return question
    return replace(question, verdict=replace(said, used=False, limit=SupportLimit.ANSWERS_DISAGREE))


def _read_verdict(question: SupportQuestion, claim: str) -> ModelVerdict | None:
    """Return the answer that was heard, as it is; None: there was none."""
    if question.exchange.cause:
        return None
    if question.exchange.task is ModelTask.FIGURE:
        seen = decode_json(question.exchange.answer, type=FigureAnswer)
        texts = list_support_texts(claim, question.sent)
        reading = keep_rationale(seen.reading, texts, load_prompt(ModelTask.FIGURE).text, numbers=True)
        return ModelVerdict(seen.verdict, seen.quote, seen.confidence, reading=reading)
    answer = decode_json(question.exchange.answer, type=SupportAnswer)
    return ModelVerdict(answer.verdict, answer.quote, answer.confidence)


def find_orders(texts: Sequence[tuple[str, str]]) -> str:
    """Return why a model may not read the texts; empty: it may."""
    sides = [("the claim" if label == "claim" else "the work", text) for label, text in texts]
    if reason := examine_strange_texts(sides).reason:
        return reason
    for side, text in sides:
        if said := find_answer_words(text):
            return f"text of {side} may be an order to a language model ({said})"
    return ""


def list_sent_passages(
    passages: Sequence[EvidencePassage], index: PassageIndex
) -> tuple[EvidencePassage, ...]:
    """Return the passages with the sentences before and behind; those that overlap are one.

    None goes over the end of its section or page, so that each has one place.
    """
    starts = [start for start, _ in index.spans]
    stretches: list[tuple[int, int]] = []
    for one in passages:
        at = max(bisect_right(starts, one.start) - 1, 0)
        near = [span for span in index.spans[max(at - 1, 0) : at + 2] if _share_place(span[0], one, index)]
        low, high = min([one.start, *(a for a, _ in near)]), max([one.end, *(b for _, b in near)])
        if high - low > LONGEST_PASSAGE:
            low, high = one.start, min(one.end, one.start + LONGEST_PASSAGE)
        _add_stretch(stretches, low, high)
    return tuple(index.make_passage(low, high) for low, high in stretches)


def _share_place(at: int, passage: EvidencePassage, index: PassageIndex) -> bool:
    return (index.find_section(at), index.find_page(at)) == (passage.section, passage.page)


def _add_stretch(stretches: list[tuple[int, int]], low: int, high: int) -> None:
    """Add a stretch, or widen the one that it overlaps, as far as one may be sent."""
    for number, (start, end) in enumerate(stretches):
        both = min(low, start), max(high, end)
        if start < high and low < end and both[1] - both[0] <= LONGEST_PASSAGE:
            stretches[number] = both
            return
    stretches.append((low, high))

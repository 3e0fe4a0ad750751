"""The reviewer, a second look where a record has quite another title, and the screen, for short titles.

The reviewer's ground truth is the citation as it is written. It answers with a label; one that is followed
becomes a score in the middle of its interval, and the first judgement is kept beside it. The screen tells
whether a short cited title is a name that people use for the work at the identifier, in a mismatch of low
confidence: `informal_abbreviation` is followed where identifier and authors agree by plain comparison.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec

from citeproof.judgement.judge import model_bounds
from citeproof.judgement.judge.model import Model
from citeproof.judgement.judge.model_bounds import MovedJudgement
from citeproof.judgement.models.base import ModelQuestion
from citeproof.judgement.review import evidence_texts
from citeproof.judgement.review.evidence_texts import EvidenceText
from citeproof.judgement.review.model_exchange import keep_rationale, load_prompt
from citeproof.vocabulary import Compared, Judgement, Label, ModelOpinion, ModelTask, Reference

_LABELS = {"exact": Label.EXACT, "minor": Label.MINOR, "major": Label.MAJOR}


class ReviewerAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the reviewer must answer."""

    label: Literal["exact", "minor", "major"]
    rationale: Annotated[str, msgspec.Meta(max_length=4000)]


def make_reviewer_question(
    reference: Reference, matched: Compared, judgement: Judgement, first: ModelOpinion | None
) -> ModelQuestion[ReviewerAnswer]:
    """Return the question about a suspicious match; `first` is the comparator's opinion, if it counted."""
    prompt = load_prompt(ModelTask.REVIEWER)
    label = judgement.label.value if judgement.label else "none"
    told = f"{judgement.verdict.value}, {label}, score {judgement.score} of 10"
    if first is not None:
        told += f"; comparator: {first.label}, score {first.score} of 10: {first.rationale}"
    evidence = (
        *evidence_texts.describe_citation(reference),
        *evidence_texts.describe_record(matched.record),
        *evidence_texts.describe_match(matched),
        *evidence_texts.describe_candidates(judgement),
        ("first judgement", told),
    )
    return ModelQuestion(ModelTask.REVIEWER, prompt.version, prompt.text, evidence, ReviewerAnswer)


def apply_reviewer_answer(
    answer: ReviewerAnswer,
    evidence: Sequence[EvidenceText],
    reference: Reference,
    judgement: Judgement,
    model: Model,
) -> tuple[MovedJudgement, ModelOpinion]:
    """Return the judgement that the reviewer's label gives within its bounds, and what it said."""
    wanted = _LABELS[answer.label]
    moved = model_bounds.apply_review(reference, judgement, wanted, model)
    opinion = ModelOpinion(
        ModelTask.REVIEWER,
        label=wanted.value,
        score=model_bounds.choose_representative_score(wanted, model),
        rationale=keep_rationale(answer.rationale, evidence, load_prompt(ModelTask.REVIEWER).text),
        used=moved.used,
        limit=moved.limit,
    )
    return moved, opinion


class ScreenAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the screen must answer."""

    verdict: Literal["informal_abbreviation", "different_paper", "uncertain"]
    reasoning: Annotated[str, msgspec.Meta(max_length=4000)]


def make_screen_question(reference: Reference, matched: Compared) -> ModelQuestion[ScreenAnswer]:
    """Return the question about a short title and the record at the identifier."""
    prompt = load_prompt(ModelTask.SCREEN)
    evidence = (
        *evidence_texts.describe_citation(reference, raw=False),
        *evidence_texts.describe_record(matched.record),
    )
    return ModelQuestion(ModelTask.SCREEN, prompt.version, prompt.text, evidence, ScreenAnswer)


def apply_screen_answer(
    answer: ScreenAnswer, evidence: Sequence[EvidenceText], judgement: Judgement, model: Model
) -> tuple[MovedJudgement, ModelOpinion]:
    """Return the judgement that the answer gives within its bounds, and what was said."""
    moved = model_bounds.apply_screen(judgement, answer.verdict, model)
    opinion = ModelOpinion(
        ModelTask.SCREEN,
        answer=answer.verdict,
        rationale=keep_rationale(answer.reasoning, evidence, load_prompt(ModelTask.SCREEN).text),
        used=moved.used,
        limit=moved.limit,
    )
    return moved, opinion

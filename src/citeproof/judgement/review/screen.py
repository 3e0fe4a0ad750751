"""The screen: is a short cited title a name that people use for the work at the identifier?

Only a mismatch of low confidence is eligible. `informal_abbreviation` is followed where identifier and
authors agree by plain comparison; else it is told and nothing else.
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
from citeproof.judgement.review.model_words import keep_rationale
from citeproof.judgement.review.prompt_files import load_prompt
from citeproof.vocabulary import Compared, Judgement, ModelOpinion, ModelTask, Reference


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

"""The comparator: how faithfully a citation describes the record that was found, as a score.

It gets the citation's fields, the record, how it was matched and the sentences that cite it. Its score
decides through the thresholds, inside what the evidence leaves open (`model_bounds`). The class that it
names is stored and decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

import msgspec

from citeproof.judgement.judge import model_bounds
from citeproof.judgement.judge.model import Model
from citeproof.judgement.judge.model_bounds import MovedJudgement
from citeproof.judgement.models.base import ModelQuestion
from citeproof.judgement.review import evidence_texts
from citeproof.judgement.review.evidence_texts import EvidenceText
from citeproof.judgement.review.model_exchange import is_in_texts, keep_rationale, load_prompt
from citeproof.vocabulary import Compared, Judgement, ModelOpinion, ModelTask, Reference

FULL = 10  # the score of a perfect citation
_ComparedField = Literal[
    "title", "authors", "year", "venue", "volume", "issue", "pages", "publisher", "identifier"
]


class NamedDifference(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One difference, with both values as they are in the evidence."""

    field: _ComparedField
    cited: Annotated[str, msgspec.Meta(max_length=2000)]
    record: Annotated[str, msgspec.Meta(max_length=2000)]


class ComparatorAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the comparator must answer."""

    score: Annotated[float, msgspec.Meta(ge=0, le=FULL)]
    classification: Literal["exact", "minor", "major"]  # stored with the answer, decides nothing
    confidence: Literal["high", "medium", "low"]
    rationale: Annotated[str, msgspec.Meta(max_length=4000)]
    differences: Annotated[list[NamedDifference], msgspec.Meta(max_length=40)]


def make_comparator_question(reference: Reference, matched: Compared) -> ModelQuestion[ComparatorAnswer]:
    """Return the question about a citation and the record that was found."""
    prompt = load_prompt(ModelTask.COMPARATOR)
    evidence = (
        *evidence_texts.describe_citation(reference, raw=False),
        *evidence_texts.describe_record(matched.record),
        *evidence_texts.describe_match(matched),
        *evidence_texts.describe_context(reference),
    )
    return ModelQuestion(ModelTask.COMPARATOR, prompt.version, prompt.text, evidence, ComparatorAnswer)


def apply_comparator_answer(
    answer: ComparatorAnswer, evidence: Sequence[EvidenceText], judgement: Judgement, model: Model
) -> tuple[MovedJudgement, ModelOpinion]:
    """Return the judgement that the score gives within its bounds, and what the comparator said."""
    score = round(answer.score, 2)
    shown = tuple(_list_shown(answer.differences, evidence))
    moved = model_bounds.apply_score(judgement, score, {field for field, _, _ in shown}, model)
    opinion = ModelOpinion(
        ModelTask.COMPARATOR,
        label=model_bounds.label_model_score(score, model).value,
        score=score,
        confidence=answer.confidence,
        rationale=keep_rationale(answer.rationale, evidence, load_prompt(ModelTask.COMPARATOR).text),
        differences=shown,
        used=moved.used,
        limit=moved.limit,
    )
    return moved, opinion


def _list_shown(
    differences: Sequence[NamedDifference], evidence: Sequence[EvidenceText]
) -> Iterator[tuple[str, str, str]]:
    """Yield the differences whose two values are in the evidence, each on its own side."""
    cited = [text for label, text in evidence if label.startswith("cited ")]
    recorded = [text for label, text in evidence if label.startswith("record ")]
    for one in differences:
        apart = one.cited.casefold() != one.record.casefold()
        if apart and is_in_texts(one.cited, cited) and is_in_texts(one.record, recorded):
            yield one.field, one.cited[:300], one.record[:300]

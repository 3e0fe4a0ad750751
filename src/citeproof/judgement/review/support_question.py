"""The questions whether passages of a work support a claim: a verdict, and the sentence that it rests on.

Of a figure or table the image is looked at too; a sentence must bear it out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec

from citeproof.judgement.models.base import MOST_IMAGE_BYTES, SHOWN_TYPES, ModelQuestion, QuestionImage
from citeproof.judgement.review.model_exchange import load_prompt
from citeproof.vocabulary import EvidencePassage, ExhibitEvidence, ModelTask

LONGEST_CLAIM = 2_000  # characters
LONGEST_PASSAGE = 3_000
MOST_OUTPUT = 800  # tokens: a long sentence, letter for letter
Quote = Annotated[str, msgspec.Meta(max_length=4000)]


class SupportAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What must be answered."""

    verdict: Literal["supported", "contradicted", "not_stated"]
    quote: Quote
    confidence: Literal["high", "medium", "low"]


def make_support_question(claim: str, sent: Sequence[EvidencePassage]) -> ModelQuestion[SupportAnswer]:
    """Return the question about a claim and passages of the work that it cites."""
    prompt = load_prompt(ModelTask.SUPPORT)
    evidence = list_support_texts(claim, sent)
    return ModelQuestion(
        ModelTask.SUPPORT, prompt.version, prompt.text, evidence, SupportAnswer, max_output_tokens=MOST_OUTPUT
    )


def list_support_texts(claim: str, sent: Sequence[EvidencePassage]) -> tuple[tuple[str, str], ...]:
    """Return the texts that are sent, each with a label of ours."""
    passages = [(f"passage {number}", one.text) for number, one in enumerate(sent, 1)]
    return ("claim", claim[:LONGEST_CLAIM]), *passages


class FigureAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What must be answered; `reading` is a note and nothing else."""

    verdict: Literal["supported", "contradicted", "not_stated"]
    quote: Quote
    reading: Annotated[str, msgspec.Meta(max_length=4000)]
    confidence: Literal["high", "medium", "low"]


def may_show_image(one: ExhibitEvidence) -> bool:
    """Return whether a model may be shown the image: there is one, of a kind and size that all take."""
    return one.media_type in SHOWN_TYPES and 0 < len(one.image) <= MOST_IMAGE_BYTES


def make_figure_question(
    claim: str, one: ExhibitEvidence, sent: Sequence[EvidencePassage]
) -> ModelQuestion[FigureAnswer]:
    """Return the question about a claim, an image, its caption and the sentences that discuss it."""
    prompt = load_prompt(ModelTask.FIGURE)
    return ModelQuestion(
        ModelTask.FIGURE,
        prompt.version,
        prompt.text,
        (("cited", f"{one.kind.value} {one.number}"), *list_support_texts(claim, sent)),
        FigureAnswer,
        max_output_tokens=MOST_OUTPUT,
        images=(QuestionImage(one.media_type, one.image),),
    )

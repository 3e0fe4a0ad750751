"""The question whether passages of a work support a claim: a verdict, and the sentence that it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec

from citeproof.models.base import ModelQuestion
from citeproof.review.prompt_files import load_prompt
from citeproof.vocabulary import EvidencePassage, ModelTask

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

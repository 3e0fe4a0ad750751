"""What language models answered in a recorded run, answered again: no model is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from citeproof.audit.case import LoggedModels
from citeproof.judge.model import Model
from citeproof.models.base import ModelAnswer, ModelFailure, ModelFault, ModelQuestion, TokenUsage, Value
from citeproof.review import ModelReview
from citeproof.typed_decoding import decode_json
from citeproof.vocabulary import Compared, Finding, Judgement, ModelExchange, ModelTask, Reference


@dataclass(frozen=True, slots=True)
class RecordedModel:
    """A language model that says what was recorded for a task, and nothing else."""

    name: str
    exchanges: tuple[ModelExchange, ...]

    async def ask(self, question: ModelQuestion[Value]) -> ModelAnswer[Value] | ModelFailure:
        """Return the recorded answer; a question that was not asked then has none."""
        digest = question.digest()
        heard = next((one for one in self.exchanges if one.task == question.task), None)
        if heard is None:
            return ModelFailure(ModelFault.OFFLINE, "it was not asked then", digest=digest)
        if heard.cause:
            fault = ModelFault(heard.cause) if heard.cause in [*ModelFault] else ModelFault.REJECTED
            return ModelFailure(fault, heard.detail, heard.model, heard.cost, digest)
        value = decode_json(heard.answer, type=question.decoder)
        usage = TokenUsage(heard.input_tokens, heard.output_tokens, heard.cached_tokens)
        return ModelAnswer(value, heard.answer, heard.model, usage, heard.cost, digest=digest)


async def review_again(
    logged: LoggedModels,
    judge: Model,
    reference: Reference,
    compared: Sequence[Compared],
    judgement: Judgement,
) -> tuple[Judgement, tuple[Finding, ...]]:
    """Return the judgement that the recorded answers give, within the bounds that hold today."""
    model = RecordedModel(logged.model, logged.exchanges)
    parsed = tuple(one for one in logged.exchanges if one.task is ModelTask.PARSER)
    return await ModelReview(model, judge, frozenset(logged.tasks)).review(
        reference, compared, judgement, parsed
    )

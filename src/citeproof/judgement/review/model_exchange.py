"""One question to a language model and what came back, as reports and replays keep it."""

from __future__ import annotations

import msgspec

from citeproof.judgement.models.base import LanguageModel, ModelFailure, ModelQuestion, Value
from citeproof.judgement.review.prompt_files import load_prompt
from citeproof.vocabulary import ModelExchange, ModelTask

INJECTION = "prompt_injection"  # the cause of a question that was not asked
MOST_DETAIL = 300


async def ask_model(
    model: LanguageModel, question: ModelQuestion[Value]
) -> tuple[ModelExchange, Value | None]:
    """Return what is kept of a question, and its answer; None: there is none, and the first says why."""
    answer = await model.ask(question)
    task, digest = ModelTask(question.task), question.digest()
    if isinstance(answer, ModelFailure):
        gap = ModelExchange(
            task,
            question.prompt_version,
            digest,
            answer.model or model.name,
            cause=answer.cause.value,
            detail=answer.detail[:MOST_DETAIL],
            cost=answer.cost,
        )
        return gap, None
    usage = answer.usage
    heard = ModelExchange(
        task,
        question.prompt_version,
        digest,
        answer.model,
        msgspec.json.encode(answer.value).decode(),
        input_tokens=usage.input,
        output_tokens=usage.output,
        cached_tokens=usage.cached,
        cost=answer.cost,
    )
    return heard, answer.value


def make_gap(task: ModelTask, reason: str) -> ModelExchange:
    """Return what is kept of a question that was not asked, because a text gives orders."""
    return ModelExchange(task, load_prompt(task).version, cause=INJECTION, detail=reason[:MOST_DETAIL])

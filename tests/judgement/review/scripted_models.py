"""Language models for tests that run in this process: one follows a script, one fails, one obeys no one."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from citeproof.judgement.models.base import ModelAnswer, ModelFailure, ModelFault, ModelQuestion, TokenUsage


class ScriptedModel:
    """Answers each task with what the script has for it, and keeps what it was asked."""

    name = "test:scripted"

    def __init__(self, answers: Mapping[str, object]) -> None:
        self.answers = answers
        self.questions: list[ModelQuestion] = []

    async def ask(self, question):
        self.questions.append(question)
        answer = self.answers.get(question.task)
        if isinstance(answer, ModelFault):
            return ModelFailure(answer, f"the script says {answer}", "scripted-1", 7)
        if answer is None:
            return ModelFailure(ModelFault.SERVER_ERROR, "the script has no answer")
        value = msgspec.json.decode(msgspec.json.encode(answer), type=question.decoder)
        return ModelAnswer(value, "", "scripted-1", TokenUsage(100, 20, 60), 42)

    @property
    def tasks(self) -> list[str]:
        return [str(one.task) for one in self.questions]


def score(points: float, *differences: tuple[str, str, str], rationale: str = "The fields agree.") -> dict:
    named = [{"field": f, "cited": cited, "record": record} for f, cited, record in differences]
    said = {"score": points / 10, "classification": "exact", "confidence": "high"}
    return said | {"rationale": rationale, "differences": named}


def label(name: str) -> dict:
    return {"label": name, "rationale": "The titles were read again."}


def screened(verdict: str) -> dict:
    return {"verdict": verdict, "reasoning": "People call it so."}

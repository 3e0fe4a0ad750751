"""What language models may add to a judgement, where the user asked for one: four tasks, in this order.

1. `parser`: fields that rules and tagger left empty, before anything is looked up.
2. `comparator`: a score for the citation against its record, where they differ in something.
3. `reviewer`: a second look at suspicious identifier and web matches.
4. `screen`: whether a short title is a name for the work at the identifier. Only a mismatch of low confidence
   is eligible. `informal_abbreviation` is followed where identifier and authors agree by plain comparison;
   else it is told and nothing else.

The default judge has always judged before. What a model may change is bounded by `judge.model_bounds`;
texts that give orders are never shown to one (`injection_gate`). If a model fails, the judgement stays as it
was and the gap is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal

import msgspec

from citeproof.judgement.judge import model_bounds
from citeproof.judgement.judge.model import Model
from citeproof.judgement.judge.model_bounds import MovedJudgement
from citeproof.judgement.models.base import LanguageModel, ModelQuestion, Value
from citeproof.judgement.review import comparator, field_parser, reviewer
from citeproof.judgement.review.evidence_texts import (
    EvidenceText,
    describe_citation,
    describe_record,
    list_all_texts,
)
from citeproof.judgement.review.injection_gate import examine_texts
from citeproof.judgement.review.model_exchange import ask_model, make_gap
from citeproof.judgement.review.model_words import keep_rationale
from citeproof.judgement.review.prompt_files import load_prompt
from citeproof.vocabulary import (
    Compared,
    Finding,
    FirstJudgement,
    Judgement,
    ModelExchange,
    ModelOpinion,
    ModelTask,
    ModelTrace,
    Provenance,
    Reason,
    Reference,
)

ALL_TASKS = frozenset(
    (ModelTask.PARSER, ModelTask.COMPARATOR, ModelTask.REVIEWER, ModelTask.SCREEN)
)  # of a reference; claims have others


class ScreenAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the screen must answer."""

    verdict: Literal["informal_abbreviation", "different_paper", "uncertain"]
    reasoning: Annotated[str, msgspec.Meta(max_length=4000)]


def make_screen_question(reference: Reference, matched: Compared) -> ModelQuestion[ScreenAnswer]:
    """Return the question about a short title and the record at the identifier."""
    prompt = load_prompt(ModelTask.SCREEN)
    evidence = (
        *describe_citation(reference, raw=False),
        *describe_record(matched.record),
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


@dataclass(frozen=True, slots=True)
class ModelReview:
    """The tasks of one run, and the model that does them."""

    language_model: LanguageModel
    judge: Model  # that of the run: its thresholds, and what it promised
    tasks: frozenset[ModelTask] = field(default=ALL_TASKS)
    figures: bool = False  # claims: the model is also shown images

    async def fill_fields(self, reference: Reference) -> tuple[Reference, tuple[ModelExchange, ...]]:
        """Return the reference with fields that were empty, and what was asked."""
        if ModelTask.PARSER not in self.tasks or not field_parser.needs_parser(reference):
            return reference, ()
        gate = examine_texts([("document", reference.raw)], reference)
        if gate.reason:
            return reference, (make_gap(ModelTask.PARSER, gate.reason),)
        question = field_parser.make_parser_question(reference)
        exchange, answer = await ask_model(self.language_model, question)
        if answer is None:
            return reference, (exchange,)
        return field_parser.apply_parser_answer(answer, reference), (exchange,)

    async def review(
        self,
        reference: Reference,
        compared: Sequence[Compared],
        judgement: Judgement,
        asked: tuple[ModelExchange, ...] = (),
    ) -> tuple[Judgement, tuple[Finding, ...]]:
        """Return the judgement as far as a model may move it, and the finding that its texts tried to."""
        gate = examine_texts(list_all_texts(reference, compared, judgement), reference, judgement)
        found = () if gate.finding is None else (gate.finding,)
        stage = _StageRun(self, reference, judgement, [*asked], _list_filled(reference))
        if gate.reason:
            stage.exchanges += [make_gap(task, gate.reason) for task in self._list_due(judgement)]
        else:
            await stage.compare()
            await stage.look_again()
            await stage.screen()
        return stage.finish(judgement), found

    def _list_due(self, judgement: Judgement) -> list[ModelTask]:
        """Return the tasks whose turn it would be."""
        due = {
            ModelTask.COMPARATOR: model_bounds.has_difference(judgement),
            ModelTask.REVIEWER: model_bounds.is_suspicious_match(judgement),
            ModelTask.SCREEN: model_bounds.is_screen_eligible(judgement),
        }
        return [task for task, is_due in due.items() if is_due and task in self.tasks]


@dataclass(slots=True)
class _StageRun:
    """One reference on its way through the tasks."""

    room: ModelReview
    reference: Reference
    judgement: Judgement
    exchanges: list[ModelExchange]
    opinions: list[ModelOpinion]

    async def compare(self) -> None:
        matched = self.judgement.matched
        if matched is None or ModelTask.COMPARATOR not in self._due:
            return
        question = comparator.make_comparator_question(self.reference, matched)
        if (answer := await self._ask(question)) is not None:
            self._take(
                comparator.apply_comparator_answer(answer, question.evidence, self.judgement, self.room.judge)
            )

    async def look_again(self) -> None:
        matched = self.judgement.matched
        if matched is None or ModelTask.REVIEWER not in self._due:
            return
        heard = (one for one in self.opinions if one.task is ModelTask.COMPARATOR and one.used)
        first = next(heard, None)
        question = reviewer.make_reviewer_question(self.reference, matched, self.judgement, first)
        if (answer := await self._ask(question)) is not None:
            self._take(
                reviewer.apply_reviewer_answer(
                    answer, question.evidence, self.reference, self.judgement, self.room.judge
                )
            )

    async def screen(self) -> None:
        matched = self.judgement.matched
        if matched is None or ModelTask.SCREEN not in self._due:
            return
        question = make_screen_question(self.reference, matched)
        if (answer := await self._ask(question)) is not None:
            self._take(apply_screen_answer(answer, question.evidence, self.judgement, self.room.judge))

    def finish(self, first: Judgement) -> Judgement:
        """Return the judgement with everything that was asked; the first output is kept beside it."""
        trace = ModelTrace(
            self.room.language_model.name,
            FirstJudgement(
                first.verdict.value,
                first.label.value if first.label else None,
                first.score,
                first.confidence,
                first.band.value if first.band else None,
            ),
            tuple(self.exchanges),
            tuple(self.opinions),
            tuple(sorted(self.room.tasks)),
        )
        known = self.judgement.provenance or Provenance((), None, (), ())
        ran = [one.task.value for one in self.exchanges if one.answer]
        stages = tuple(dict.fromkeys((*known.stages_run, *(f"llm_{name}" for name in ran))))
        told = explain_change(first, self.judgement, trace)
        return replace(
            self.judgement,
            explanation=f"{told} {self.judgement.explanation}".strip(),
            summary=f"{told} {self.judgement.summary or ''}".strip() if told else self.judgement.summary,
            provenance=replace(known, stages_run=stages, llm=trace),
        )

    @property
    def _due(self) -> list[ModelTask]:
        return self.room._list_due(self.judgement)  # noqa: SLF001 - its own helper

    async def _ask(self, question: ModelQuestion[Value]) -> Value | None:
        exchange, answer = await ask_model(self.room.language_model, question)
        self.exchanges.append(exchange)
        return answer

    def _take(self, outcome: tuple[MovedJudgement, ModelOpinion]) -> None:
        moved, opinion = outcome
        self.judgement = moved.judgement if opinion.used else self.judgement
        self.opinions.append(opinion)


def explain_change(first: Judgement, last: Judgement, trace: ModelTrace) -> str:
    """Return what a language model changed, in our words; empty if it changed no label."""
    if last.label is first.label or first.label is None:
        return ""
    why = {
        Reason.MODEL_SCORE: "weighed a difference that the evidence leaves open",
        Reason.MODEL_REVIEW: "read the citation again",
        Reason.INFORMAL_TITLE: "takes the cited title for a name of the work",
    }
    did = next((told for reason, told in why.items() if reason in last.reasons), "was asked")
    before = f"{first.label}, {first.verdict.value}"
    return f"A language model ({trace.model}) {did}: {last.label}. Without it: {before}."


def _list_filled(reference: Reference) -> list[ModelOpinion]:
    """Return what the parser filled, as an opinion; none if it filled nothing."""
    filled = field_parser.list_filled_fields(reference)
    return [ModelOpinion(ModelTask.PARSER, filled=filled, used=True)] if filled else []

"""Questions through the engine: each citation alone, blind, a few at a time.

The engine sees the citation and nothing else. An item that reads as no reference, or as two, counts as
not checked, with the reason.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import msgspec

from citeproof.errors import InputError
from citeproof.judgement.judge import model_bounds
from citeproof.judgement.judge.model import Model
from citeproof.laboratory.measure.benchmark_rows import BenchmarkQuestion, SystemAnswer
from citeproof.verifier import ReferenceVerifier
from citeproof.vocabulary import (
    THREE_CLASSES,
    Checked,
    Claimed,
    Document,
    Judgement,
    Kind,
    Label,
    ModelTask,
    Place,
    RawReference,
    Reference,
    Retrieval,
    Verdict,
)

AT_ONCE = 16  # questions in flight; the path itself keeps to no more offline
AT_ONCE_ONLINE = 64  # more of them fit one request to a registry
_SHOWN = 300  # characters of a value that an answers file keeps


@dataclass(frozen=True, slots=True)
class EngineAnswer:
    """What the engine found out about one question, and how long it took."""

    key: str
    checked: Checked
    seconds: float


Progress = Callable[[EngineAnswer], None]


async def answer_questions(
    verifier: ReferenceVerifier, questions: Sequence[BenchmarkQuestion], progress: Progress | None = None
) -> list[EngineAnswer]:
    """Return the answers in the order of the questions; `progress` gets each as it comes."""
    answers: dict[int, EngineAnswer] = {}
    waiting = iter(enumerate(questions))

    async def work() -> None:
        for at, question in waiting:
            answers[at] = await answer_question(verifier, question)
            if progress is not None:
                progress(answers[at])
            await asyncio.sleep(0)  # offline nothing waits: let an interrupt through

    at_once = AT_ONCE if verifier.offline else AT_ONCE_ONLINE
    tasks = [asyncio.ensure_future(work()) for _ in range(min(len(questions), at_once))]
    try:
        await asyncio.gather(*tasks)
    finally:  # the first that fails, or an interrupt, ends them all
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return [answers[at] for at in range(len(questions))]


async def answer_question(verifier: ReferenceVerifier, question: BenchmarkQuestion) -> EngineAnswer:
    began = verifier.clock.elapsed()
    read = _read_reference(verifier, question)
    checked = (
        await verifier.verify_one(read)
        if isinstance(read, RawReference)
        else make_unread_answer(question, read)
    )
    return EngineAnswer(question.key, checked, round(verifier.clock.elapsed() - began, 4))


def _read_reference(verifier: ReferenceVerifier, question: BenchmarkQuestion) -> RawReference | str:
    """Return the one reference of a question, or why there is not exactly one."""
    if question.form != "bibtex":
        return RawReference(question.key, question.text, Place())
    try:
        references = verifier.extract(Document("item.bib", question.data)).references
    except InputError:
        return "unreadable"
    if len(references) != 1:
        return "no_reference" if not references else "several_references"
    return references[0]


def make_unread_answer(question: BenchmarkQuestion, reason: str) -> Checked:
    """Return the answer to an item that is not one reference: not checked, and why."""
    words = reason.replace("_", " ")
    judgement = Judgement(
        Verdict.UNCHECKED, None, None, None, None, (reason,), f"The item could not be read: {words}."
    )
    reference = Reference(question.key, question.text, Kind.UNKNOWN, Claimed())
    return Checked(reference, Retrieval(()), (), judgement)


def make_system_answer(answer: EngineAnswer, judge: Model | None = None) -> SystemAnswer:
    """Return an answer as it is stored and compared with the truth; with its judge, ready to be tuned."""
    judged = answer.checked.judgement
    model_score, model_labels = list_model_labels(judged, judge) if judge else (None, {})
    return SystemAnswer(
        key=answer.key,
        flagged=None if judged.label is None else not judged.label.passes,
        label=judged.label,
        verdict=judged.verdict.value,
        score=judged.score,
        confidence=judged.confidence,
        band=judged.band.value if judged.band else None,
        reasons=judged.reasons,
        mismatches=tuple(
            {
                "field": m.field,
                "reason": m.reason,
                "claimed": m.claimed[:_SHOWN],
                "resolved": m.resolved[:_SHOWN],
            }
            for m in judged.mismatches
        ),
        seconds=answer.seconds,
        model_score=model_score,
        model_labels=model_labels,
    )


def list_model_labels(judgement: Judgement, judge: Model) -> tuple[float | None, dict[Label, Label]]:
    """Return the comparator's score, and the label that the judgement has for each label of that score.

    None where no score decides: no comparator was heard, or a later task was and was followed.
    """
    trace = judgement.provenance.llm if judgement.provenance else None
    heard = {opinion.task: opinion for opinion in trace.opinions} if trace else {}
    compared = heard.get(ModelTask.COMPARATOR)
    later = [heard[task] for task in (ModelTask.REVIEWER, ModelTask.SCREEN) if task in heard]
    if trace is None or compared is None or compared.score is None or any(one.used for one in later):
        return None, {}
    before = trace.first
    first = replace(
        judgement, verdict=Verdict(before.verdict), label=Label(before.label) if before.label else None
    )
    judge = msgspec.structs.replace(judge, llm_exact_at=2.0, llm_minor_at=1.0)  # any three intervals
    fields = {field for field, _, _ in compared.differences}
    moved = {
        label: model_bounds.apply_score(
            first, model_bounds.choose_representative_score(label, judge), fields, judge
        ).judgement.label
        for label in THREE_CLASSES
    }
    return compared.score, {label: became for label, became in moved.items() if became is not None}

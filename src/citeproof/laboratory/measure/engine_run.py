"""Questions through the engine: each citation alone, blind, a few at a time.

The engine sees the citation and nothing else. An item that reads as no reference, or as two, counts as
not checked, with the reason.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from citeproof.errors import InputError
from citeproof.laboratory.measure.benchmark_rows import BenchmarkQuestion, SystemAnswer
from citeproof.verifier import ReferenceVerifier
from citeproof.vocabulary import (
    Checked,
    Claimed,
    Document,
    Judgement,
    Kind,
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


def make_system_answer(answer: EngineAnswer) -> SystemAnswer:
    """Return an answer as it is stored and compared with the truth."""
    judged = answer.checked.judgement
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
    )

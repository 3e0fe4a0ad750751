"""A benchmark through a language model alone: a few questions at a time, within the model's ceilings."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from citeproof.clock import Clock
from citeproof.measure.benchmark_rows import BenchmarkCase, BenchmarkQuestion, SystemAnswer
from citeproof.measure.experiments.direct_baseline import DirectOutcome, ask_directly
from citeproof.models.base import LanguageModel
from citeproof.parse import parse
from citeproof.sources.base import LiveSource
from citeproof.vocabulary import Found, Place, Question, RawReference, Record

PAGES = 5  # of a web search that the model is shown


@dataclass(frozen=True, slots=True)
class BaselineRun:
    """All answers of a model, and what they took."""

    said: dict[str, SystemAnswer]
    failed: int
    cost: int | None  # micro-dollars; None: the price is not known
    seconds: float  # per citation, as each was waited for


async def run_baseline(
    model: LanguageModel,
    questions: Sequence[BenchmarkQuestion],
    examples: Sequence[BenchmarkCase],
    clock: Clock,
    *,
    web: LiveSource | None = None,
    at_once: int = 4,
    progress: Callable[[], None] = lambda: None,
) -> BaselineRun:
    """Return what the model says about each question; `web` finds the pages that it is shown."""
    waiting = iter(questions)
    done: list[tuple[DirectOutcome, float]] = []

    async def work() -> None:
        for question in waiting:
            began = clock.elapsed()
            pages = None if web is None else await find_pages(web, question)
            outcome = await ask_directly(model, question, examples, pages)
            done.append((outcome, clock.elapsed() - began))
            progress()

    async with asyncio.TaskGroup() as group:
        for _ in range(max(1, min(at_once, len(questions)))):
            group.create_task(work())
    costs = [outcome.cost for outcome, _ in done]
    known = [cost for cost in costs if cost is not None]
    return BaselineRun(
        {outcome.answer.key: outcome.answer for outcome, _ in done},
        sum(outcome.failed for outcome, _ in done),
        sum(known) if len(known) == len(costs) else None,
        sum(seconds for _, seconds in done) / max(1, len(done)),
    )


async def find_pages(web: LiveSource, question: BenchmarkQuestion) -> list[str]:
    """Return what the pages of a web search for the citation's title say about themselves."""
    reference = parse(RawReference(question.key, question.text, Place()))
    title = reference.claimed.title
    asked = Question("title", title, reference) if title else None
    if asked is None or not web.suits(asked):
        return []
    found = await web.lookup(asked)
    return [_describe_page(one) for one in found.records[:PAGES]] if isinstance(found, Found) else []


def _describe_page(record: Record) -> str:
    years = ", ".join(str(version.year) for version in record.versions if version.year)
    ids = ", ".join(f"{kind}:{value}" for kind, value in record.ids.pairs)
    names = "; ".join(name.display for name in record.authors)
    return f"title: {record.title}\nauthors: {names}\nyear: {years}\nidentifiers: {ids}"

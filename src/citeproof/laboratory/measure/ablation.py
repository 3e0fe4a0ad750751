"""What each part of the engine is worth: the same benchmark again with one part switched off at a time.

The parts: the reviewer, web search, memory, the registries, and the judge itself, in whose place a citation
counts as right only if it is its record's to the letter. A part that a run does not have is not listed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from citeproof.laboratory.measure.benchmark_rows import BenchmarkCase, SystemAnswer, join_answers
from citeproof.laboratory.measure.engine_run import EngineAnswer, answer_questions, make_system_answer
from citeproof.laboratory.measure.result_tables import format_cell, format_figure
from citeproof.laboratory.measure.retrieval_latency import ResultTable
from citeproof.laboratory.measure.system_results import SystemResult, build_result_json, measure_system
from citeproof.settings import Settings
from citeproof.text.package_tables import load_package_table
from citeproof.verifier import ReferenceVerifier
from citeproof.vocabulary import Label, ModelTask

SNAPSHOT, WEB = "snapshot", "web"
FIGURES: dict[str, str] = load_package_table("citeproof.laboratory.measure", "figures.toml")["ablation"]


class EnginePart(StrEnum):
    """A part that can be switched off."""

    NONE = "nothing"
    REVIEWER = "reviewer"
    WEB = "web search"
    MEMORY = "memory"
    REGISTRIES = "registries"
    JUDGE = "judge"  # replaced by string match


@dataclass(frozen=True, slots=True)
class AblationResult:
    """The engine without one part."""

    without: EnginePart
    result: SystemResult
    seconds: float  # a reference
    cost: float | None  # micro-dollars a reference; None: the price is not known


def list_parts(settings: Settings) -> list[EnginePart]:
    """Return the parts that a run has whose settings name its sources; the first is none, as it is."""
    names = () if settings.offline else settings.sources
    live = [name for name in names if name not in (SNAPSHOT, WEB)]
    there = {
        EnginePart.REVIEWER: bool(settings.llm),
        EnginePart.WEB: WEB in names,
        EnginePart.MEMORY: settings.memory is not None,
        EnginePart.REGISTRIES: bool(live),
        EnginePart.JUDGE: True,
    }
    return [EnginePart.NONE, *(part for part, is_there in there.items() if is_there)]


def switch_off(settings: Settings, part: EnginePart) -> Settings:
    """Return the settings of a run without a part, as far as settings can say it."""
    names = settings.sources
    match part:
        case EnginePart.WEB:
            return replace(settings, sources=tuple(name for name in names if name != WEB))
        case EnginePart.REGISTRIES:
            sources = tuple(name for name in names if name in (SNAPSHOT, WEB))
            return replace(settings, sources=sources, offline=settings.offline or WEB not in sources)
        case EnginePart.MEMORY:
            return replace(settings, memory=None)
        case _:
            return settings


async def run_without(
    settings: Settings,
    part: EnginePart,
    cases: Sequence[BenchmarkCase],
    *,
    draws: int,
    make_verifier: Callable[[Settings], ReferenceVerifier],
    progress: Callable[[], None] = lambda: None,
) -> AblationResult:
    """Return the figures of a benchmark with one part switched off."""
    verifier = _take_out(make_verifier(switch_off(settings, part)), part)
    try:
        answers = await answer_questions(verifier, [case.question for case in cases], lambda _: progress())
    finally:
        await verifier.close()
    said = {answer.key: _make_answer(answer, part) for answer in answers}
    name = "as it is" if part is EnginePart.NONE else f"without {part.value}"
    costs = [cost for answer in answers for cost in _list_costs(answer)]
    known = [cost for cost in costs if cost is not None]
    return AblationResult(
        part,
        measure_system(name, join_answers(cases, said), draws=draws),
        sum(answer.seconds for answer in answers) / max(1, len(answers)),
        sum(known) / max(1, len(answers)) if len(known) == len(costs) else None,
    )


def _take_out(verifier: ReferenceVerifier, part: EnginePart) -> ReferenceVerifier:
    if part is not EnginePart.REVIEWER:
        return verifier
    from citeproof.judgement.review import ModelReview  # noqa: PLC0415 - a run without a model need not load it

    assert isinstance(verifier.reviewer, ModelReview)
    left = verifier.reviewer.tasks - {ModelTask.REVIEWER}
    return replace(verifier, reviewer=replace(verifier.reviewer, tasks=left))


def _make_answer(answer: EngineAnswer, part: EnginePart) -> SystemAnswer:
    if part is not EnginePart.JUDGE:
        return make_system_answer(answer)
    same = answer.checked.strict_match
    label = None if same is None else Label.EXACT if same else Label.MAJOR
    flagged = None if same is None else not same
    return SystemAnswer(key=answer.key, flagged=flagged, label=label, seconds=answer.seconds)


def _list_costs(answer: EngineAnswer) -> list[int | None]:
    provenance = answer.checked.judgement.provenance
    trace = provenance.llm if provenance else None
    return [exchange.cost for exchange in trace.exchanges] if trace else []


def build_ablation_table(results: Sequence[AblationResult]) -> ResultTable:
    """Return one row for each run; what differs from the run as it is stands in brackets."""
    whole = results[0].result.figures
    rows = []
    for run in results:
        cells = [_format_cell(run.result.figures.get(name), whole.get(name), run.without) for name in FIGURES]
        cost = "–" if run.cost is None else f"${run.cost / 1e6:.6f}"
        rows.append((format_cell(run.result.name), *cells, f"{1000 * run.seconds:.1f}", cost))
    head = ("Run", *FIGURES.values(), "ms a reference", "cost a reference")
    return ResultTable("One part switched off at a time (difference in brackets)", head, tuple(rows))


def _format_cell(value: float | None, whole: float | None, part: EnginePart) -> str:
    if value is None or value != value:  # noqa: PLR0124 - no such figure: NaN
        return "–"
    if part is EnginePart.NONE or whole is None:
        return format_figure(value)
    return f"{format_figure(value)} ({100 * (value - whole):+.1f})"


def build_ablation_json(results: Sequence[AblationResult]) -> list[dict[str, object]]:
    return [
        {
            "without": run.without.value,
            "seconds": round(run.seconds, 5),
            "micro_dollars": None if run.cost is None else round(run.cost, 3),
            **build_result_json(run.result),
        }
        for run in results
    ]

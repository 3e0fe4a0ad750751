"""`citeproof bench baseline`: a language model classifies citations by itself."""

from __future__ import annotations

import asyncio
import csv
import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from citeproof import settings
from citeproof.answers import serializers
from citeproof.errors import UsageError
from citeproof.laboratory.measure import result_tables
from citeproof.laboratory.measure.adapters import questions
from citeproof.laboratory.measure.benchmark_rows import BenchmarkCase, join_answers
from citeproof.laboratory.measure.metrics import DRAWS
from citeproof.laboratory.measure.system_results import SystemResult, build_result_json, measure_system
from citeproof.plumbing.clock import SystemClock
from citeproof.plumbing.output_files import write_file
from citeproof.service.assemble import connect_sources
from citeproof.service.assemble.model_choice import choose_model
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import command_options, run_notices, status_line

if TYPE_CHECKING:
    from citeproof.laboratory.measure.direct_baseline import BaselineRun
    from citeproof.settings import Settings


@click.command("baseline", short_help="Let a language model classify the citations by itself.")
@click.argument("file", type=click.Path(path_type=Path))
@command_options.add_options("bench baseline")
def command(
    file: Path,
    *,
    shots: str,
    web: bool,
    split: str | None,
    examples: Path | None,
    seed: int,
    answers: Path | None,
    format_: str,
    **flags: object,
) -> int:
    """Let a language model classify the citations of FILE by itself, and print how often it was right.

    Every model gets the same rubric and the same examples, and answers with a label, a score, a reason and
    whether it found evidence. This is what the engine is compared with, and not a verdict. An item that is
    an example is not measured. With --web a citation that no page shows counts as MAJOR.

    \b
    citeproof bench baseline physics.jsonl --llm anthropic:claude-sonnet-4-6 --shots 27 --split test
    citeproof bench baseline physics.jsonl --llm openai:gpt-5.4 --web --answers gpt.csv --llm-max-dollars 5
    """
    chosen = settings.load(command_options.collect_given_flags(**flags))
    if not chosen.llm:
        hint = "name one, such as --llm openai:gpt-5.4"
        raise UsageError("no language model is named", place="--llm", hint=hint)
    from citeproof.laboratory.measure.direct_baseline import choose_examples  # noqa: PLC0415 - models

    benchmark = questions.read_benchmark(file)
    pool = questions.read_benchmark(examples) if examples else benchmark.select_split("dev")
    shown = choose_examples(pool.cases, int(shots), seed)
    used = {case.question.key for case in shown}
    cases = [case for case in benchmark.select_split(split or "").cases if case.question.key not in used]
    if not cases:
        print("nothing to classify: no item is left", file=sys.stderr)
        return Exit.NOTHING
    run = asyncio.run(_ask_model(chosen, cases, shown, web=web))
    if answers is not None:
        write_file(answers, _format_answers(run).encode())
    result = measure_system(chosen.llm, join_answers(cases, run.said), draws=DRAWS)
    lines = _describe_run(run, chosen.llm, int(shots), len(cases), web=web)
    print(_format_result(result, lines, run, format_), end="")
    return Exit.CLEAN


async def _ask_model(
    chosen: Settings, cases: Sequence[BenchmarkCase], shown: Sequence[BenchmarkCase], *, web: bool
) -> BaselineRun:
    from citeproof.laboratory.measure.direct_baseline import run_baseline  # noqa: PLC0415 - as above

    clock = SystemClock()
    online = connect_sources(chosen, clock, ["web"] if web else [])
    try:
        model = choose_model(chosen, online.client)
        assert model is not None
        with status_line.count_progress(len(cases), f"asking {chosen.llm}") as advance:
            run = await run_baseline(
                model,
                [case.question for case in cases],
                shown,
                clock,
                web=online.sources[0] if web else None,
                at_once=chosen.llm_at_once,
                progress=advance,
            )
        run_notices.print_given_up(model)
        return run
    finally:
        await online.client.close()


def _format_answers(run: BaselineRun) -> str:
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(("key", "label"))
    for key, answer in run.said.items():
        if answer.label is not None:
            rows.writerow((key, answer.label.value))
    return out.getvalue()


def _describe_run(run: BaselineRun, model: str, shots: int, items: int, *, web: bool) -> list[str]:
    money = (
        "cost unknown" if run.cost is None else f"${run.cost / 1e6:.4f}, ${run.cost / 1e6 / items:.6f} each"
    )
    return [
        f"{model}, {shots} examples, {'with' if web else 'without'} web search; {items} items",
        f"{run.failed} without a usable answer; {run.seconds:.2f} s a citation; {money}",
    ]


def _format_result(result: SystemResult, lines: list[str], run: BaselineRun, format_: str) -> str:
    if format_ == "json":
        spent = {"failed": run.failed, "seconds": round(run.seconds, 4), "micro_dollars": run.cost}
        return serializers.dump_pretty({**build_result_json(result), "baseline": spent}) + "\n"
    return result_tables.format_figures(result_tables.build_result_tables(result), lines, format_)

"""`citeproof bench compare`: several systems' answers to one benchmark, side by side."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from citeproof import settings
from citeproof.answers import serializers
from citeproof.answers.reporters.wording import show_line
from citeproof.errors import UsageError
from citeproof.laboratory.measure import answers_file, system_comparison
from citeproof.laboratory.measure.adapters import answers, questions
from citeproof.laboratory.measure.adapters.questions import Benchmark
from citeproof.laboratory.measure.benchmark_rows import join_answers
from citeproof.laboratory.measure.result_tables import format_markdown
from citeproof.laboratory.measure.retrieval_latency import format_tables
from citeproof.laboratory.measure.system_results import SystemResult, measure_system
from citeproof.service.assemble import assemble, choose_sources
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import command_options, report_output, status_line

if TYPE_CHECKING:
    from citeproof.settings import Settings

DEFAULT_JUDGE = "default"


@click.command("compare", short_help="Compare the answers of several systems on one benchmark.")
@click.argument("file", type=click.Path(path_type=Path))
@command_options.add_options("bench compare")
def command(
    file: Path,
    *,
    systems: Sequence[str],
    judges: str,
    split: str | None,
    format_: str,
    svg: Path | None,
    draws: int,
    explain_network: bool,
    **flags: object,
) -> int:
    """Compare systems on the benchmark FILE: figures with intervals, McNemar's test, errors caught.

    ANSWERS is what `citeproof bench run --answers` wrote, or another tool's: HALLMARK or CITECHECK
    predictions, CiteAudit's results, a report with one status per key, or CSV with the header
    key,label[,confidence]. An item without an answer counts as unchecked.

    \b
    citeproof bench run bench.jsonl --snapshot DIR --answers ours.jsonl
    citeproof bench compare bench.jsonl --system citeproof=ours.jsonl --system other=theirs.csv
    citeproof bench compare bench.jsonl --system a=a.jsonl --system b=b.jsonl --svg bars.svg
    citeproof bench compare bench.jsonl --judge default,openai:gpt-5.4,anthropic:claude-sonnet-4-6
    """
    del explain_network  # several runs: each would tell the same
    if not systems and not judges:
        raise UsageError("there is nothing to compare", place="--system", hint="give --system or --judge")
    benchmark = questions.read_benchmark(file).select_split(split or "")
    if not benchmark.cases:
        print(f"nothing to compare: no item of split {split}", file=sys.stderr)
        return Exit.NOTHING
    results = [_read_system_result(name, path, benchmark, draws) for name, path in _parse_systems(systems)]
    if judges:
        chosen = settings.load(command_options.collect_given_flags(**flags))
        results += asyncio.run(_run_judges(chosen, judges, benchmark, draws))
    if svg is not None:
        with report_output.open_destination(svg, text=False) as write:
            write(system_comparison.draw_comparison_chart(benchmark.path.name, results))
    print(_format_comparison(benchmark, results, format_), end="")
    return Exit.CLEAN


async def _run_judges(chosen: Settings, judges: str, benchmark: Benchmark, draws: int) -> list[SystemResult]:
    """Return what the engine says with each judge; what each cost goes to standard error."""
    from citeproof.laboratory.measure.ablation import EnginePart, run_without  # noqa: PLC0415 - takes its time

    names = list(dict.fromkeys(name.strip() for name in judges.split(",") if name.strip()))
    results = []
    with status_line.count_progress(len(names) * len(benchmark.cases), "checking") as advance:
        for name in names:
            own = replace(chosen, sources=choose_sources(chosen), llm="" if name == DEFAULT_JUDGE else name)
            result = await run_without(
                own,
                EnginePart.NONE,
                benchmark.cases,
                draws=draws,
                make_verifier=partial(assemble, stage=None),
                progress=advance,
            )
            results.append(replace(result.result, name=name))
            cost = "cost unknown" if result.cost is None else f"${result.cost / 1e6:.6f}"
            print(
                f"{show_line(name)}: {1000 * result.seconds:.1f} ms and {cost} a reference", file=sys.stderr
            )
    return results


def _parse_systems(systems: Sequence[str]) -> list[tuple[str, Path]]:
    """Return each system's name and file."""
    parsed = []
    for text in systems:
        name, sign, path = text.partition("=")
        if not sign or not name.strip() or not path:
            raise UsageError(
                f"{text!r} is not NAME=ANSWERS", place="--system", hint="like --system ours=ours.jsonl"
            )
        parsed.append((name.strip(), Path(path)))
    if len({name for name, _ in parsed}) < len(parsed):
        raise UsageError("two systems of one name", place="--system", hint="give each its own name")
    return parsed


def _read_system_result(name: str, path: Path, benchmark: Benchmark, draws: int) -> SystemResult:
    answers_file.refuse_other_benchmark(path, benchmark.sha256)
    read = answers.read_answers(path, [case.question.key for case in benchmark.cases])
    for why, count in read.skipped:
        print(f"warning: {show_line(str(path))}: {count} rows left out, {show_line(why)}", file=sys.stderr)
    missing = sum(case.question.key not in read.said for case in benchmark.cases)
    if missing:
        message = f"{missing} of {len(benchmark.cases)} items have no answer and count as unchecked"
        print(f"warning: {show_line(name)}: {message}", file=sys.stderr)
    return measure_system(name, join_answers(benchmark.cases, read.said), draws=draws)


def _format_comparison(benchmark: Benchmark, results: Sequence[SystemResult], format_: str) -> str:
    if format_ == "json":
        about = {"file": benchmark.path.name, "sha256": benchmark.sha256, "shape": benchmark.shape}
        body = {"benchmark": about, **system_comparison.build_comparison_json(results)}
        return serializers.dump_pretty(body) + "\n"
    tables = system_comparison.build_comparison_tables(results)
    return format_markdown(tables) if format_ == "md" else format_tables(tables) + "\n"

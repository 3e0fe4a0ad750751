"""`citeproof bench compare`: several systems' answers to one benchmark, side by side."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

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
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import command_options, report_output


@click.command("compare", short_help="Compare the answers of several systems on one benchmark.")
@click.argument("file", type=click.Path(path_type=Path))
@command_options.add_options("bench compare")
def command(
    file: Path, *, systems: Sequence[str], split: str | None, format_: str, svg: Path | None, draws: int
) -> int:
    """Compare systems on the benchmark FILE: figures with intervals, McNemar's test, errors caught.

    ANSWERS is what `citeproof bench run --answers` wrote, or another tool's: HALLMARK or CITECHECK
    predictions, CiteAudit's results, a report with one status per key, or CSV with the header
    key,label[,confidence]. An item without an answer counts as unchecked.

    \b
    citeproof bench run bench.jsonl --snapshot DIR --answers ours.jsonl
    citeproof bench run bench.jsonl --snapshot DIR --llm openai:gpt-5.4 --answers gpt.jsonl
    citeproof bench compare bench.jsonl --system citeproof=ours.jsonl --system other=theirs.csv
    citeproof bench compare bench.jsonl --system a=ours.jsonl --system b=gpt.jsonl --svg bars.svg
    """
    if not systems:
        hint = "give --system NAME=ANSWERS"
        raise UsageError("there is nothing to compare", place="--system", hint=hint)
    benchmark = questions.read_benchmark(file).select_split(split or "")
    if not benchmark.cases:
        print(f"nothing to compare: no item of split {split}", file=sys.stderr)
        return Exit.NOTHING
    results = [_read_system_result(name, path, benchmark, draws) for name, path in _parse_systems(systems)]
    if svg is not None:
        with report_output.open_destination(svg, text=False) as write:
            write(system_comparison.draw_comparison_chart(benchmark.path.name, results))
    print(_format_comparison(benchmark, results, format_), end="")
    return Exit.CLEAN


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

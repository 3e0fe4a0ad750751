"""`citeproof bench run`: a benchmark through the engine, and its figures with a run card."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click
import msgspec

from citeproof import settings
from citeproof.answers import serializers
from citeproof.answers.reporters.wording import describe_overrides, show_line
from citeproof.errors import UsageError
from citeproof.laboratory.measure import answers_file, engine_run, result_tables, run_card
from citeproof.laboratory.measure.adapters import questions
from citeproof.laboratory.measure.adapters.questions import Benchmark
from citeproof.laboratory.measure.benchmark_rows import join_answers
from citeproof.laboratory.measure.run_card import FileCard, RunCard
from citeproof.laboratory.measure.system_results import (
    SystemResult,
    average_figures,
    build_means_json,
    build_result_json,
    describe_no_errors,
    measure_system,
)
from citeproof.plumbing.clock import format_timestamp
from citeproof.service.assemble import assemble, choose_judge
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import command_options, report_output, run_notices, status_line
from citeproof.verifier import ReferenceVerifier


@click.command("run", short_help="Check a benchmark file and print its figures.")
@click.argument("files", nargs=-1, required=True, metavar="FILE…", type=click.Path(path_type=Path))
@command_options.add_options("bench run")
def command(
    files: Sequence[Path],
    *,
    split: str | None,
    answers: Path | None,
    fresh: bool,
    format_: str,
    card: Path | None,
    draws: int,
    explain_network: bool,
    **flags: object,
) -> int:
    """Check every item of FILE… without its label, and print how often the judgement was right.

    FILE is a benchmark that `citeproof bench make` wrote, or one of HALLMARK, CITECHECK or CiteAudit;
    the format is detected. Several files (seeds) give the figures of each and the mean. Figures have
    95 % bootstrap intervals over documents, and a run card that says how they were measured. A snapshot
    built with --covers all makes a closed world; the card says so.

    \b
    citeproof bench run physics.jsonl --snapshot DIR --split test
    citeproof bench run hallmark.jsonl --snapshot DIR --answers run.jsonl --format md
    citeproof bench run seed*.jsonl --snapshot DIR --fresh --card card.json
    """
    chosen = settings.load(command_options.collect_given_flags(**flags))
    if fresh:  # no registry's earlier answer is taken
        chosen = replace(chosen, keep_found_hours=0, keep_absent_hours=0, keep_notice_hours=0)
    benchmarks = [questions.read_benchmark(path).select_split(split or "") for path in files]
    if not any(benchmark.cases for benchmark in benchmarks):
        print(f"nothing to check: no item of split {split}", file=sys.stderr)
        return Exit.NOTHING
    watch = run_notices.LookupCounter()
    verifier = assemble(chosen, observer=watch, stage=None)
    run_notices.print_warnings((*choose_judge(chosen).trouble, *describe_overrides(verifier.run([], []))))
    started = format_timestamp(verifier.clock)
    places = _place_answers(answers, files)
    try:
        runs = asyncio.run(_answer_benchmarks(verifier, benchmarks, places, fresh=fresh))
    finally:
        run_notices.print_network_report(verifier, watch, explain=explain_network)
    results = [
        measure_system(b.path.name, join_answers(b.cases, k.said), draws=draws)
        for b, k in zip(benchmarks, runs, strict=True)
    ]
    made = RunCard(
        run_card.describe_engine(verifier), run_card.list_snapshot_cards(chosen), chosen.digest(), started,
        format_timestamp(verifier.clock), fresh, sum(k.reused for k in runs), watch.kept.total(),
        tuple(_make_file_card(b, k, r, split) for b, k, r in zip(benchmarks, runs, results, strict=True)),
    )  # fmt: skip
    if card is not None:
        with report_output.open_destination(card, text=False) as write:
            write(serializers.dump_pretty(made) + "\n")
    print(_format_results(results, made, format_), end="")
    return Exit.CLEAN


def _place_answers(answers: Path | None, files: Sequence[Path]) -> list[Path | None]:
    """Return where the answers to each file are stored."""
    if answers is None:
        return [None] * len(files)
    if len(files) == 1 and not answers.is_dir():
        return [answers]
    if answers.is_file():
        raise UsageError(
            "is a file, and several benchmarks were given", place=str(answers), hint="name a folder"
        )
    answers.mkdir(parents=True, exist_ok=True)
    names = [f"{path.stem}.answers.jsonl" for path in files]
    if len(set(names)) < len(names):
        raise UsageError("two benchmarks of one name", place="FILE…", hint="run them one after the other")
    return [answers / name for name in names]


async def _answer_benchmarks(
    verifier: ReferenceVerifier,
    benchmarks: Sequence[Benchmark],
    places: Sequence[Path | None],
    *,
    fresh: bool,
) -> list[answers_file.AnswersFile]:
    """Return the answers to each benchmark."""
    try:
        return [
            await _answer_benchmark(verifier, benchmark, place, fresh=fresh)
            for benchmark, place in zip(benchmarks, places, strict=True)
        ]
    finally:
        await verifier.close()


async def _answer_benchmark(
    verifier: ReferenceVerifier, benchmark: Benchmark, place: Path | None, *, fresh: bool
) -> answers_file.AnswersFile:
    head = answers_file.AnswersHead(benchmark.path.name, benchmark.sha256, run_card.describe_engine(verifier))
    with answers_file.open_answers(place, head, fresh=fresh) as store:
        left = {c.question.key: c for c in benchmark.cases if c.question.key not in store.said}
        store.reused = len(benchmark.cases) - len(left)
        with status_line.count_progress(
            len(left), f"checking {show_line(benchmark.path.name, 40)}"
        ) as advance:

            def note(answer: engine_run.EngineAnswer) -> None:
                store.add(left[answer.key], engine_run.make_system_answer(answer, verifier.model))
                advance()

            asked = [case.question for case in left.values()]
            await engine_run.answer_questions(verifier, asked, note)
    return store


def _make_file_card(
    benchmark: Benchmark, store: answers_file.AnswersFile, result: SystemResult, split: str | None
) -> FileCard:
    return FileCard(
        benchmark.path.name, benchmark.sha256, benchmark.shape, len(benchmark.cases), split or "",
        benchmark.seed, len(result.rows) - result.unchecked, result.unchecked, store.reused,
        dict(benchmark.skipped),
    )  # fmt: skip


def _format_results(results: Sequence[SystemResult], card: RunCard, format_: str) -> str:
    means = average_figures(results) if len(results) > 1 else {}
    if format_ == "json":
        body = {
            "results": [build_result_json(result) for result in results],
            "mean": build_means_json(means),
            "card": msgspec.to_builtins(card),
        }
        return serializers.dump_pretty(body) + "\n"
    made = [table for r in results for table in result_tables.build_result_tables(r)]
    made += [result_tables.build_means_table(means, len(results))] if means else []
    notes = [
        *filter(None, map(describe_no_errors, results)),
        *run_card.format_run_card(card),
        *(
            f"{file.name}: {count} rows left out, {why}"
            for file in card.files
            for why, count in file.not_understood.items()
        ),
    ]
    return result_tables.format_figures(made, notes, format_)

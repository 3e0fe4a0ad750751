"""`citeproof bench run`: a benchmark through the engine, and its figures with a run card."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click
import msgspec

from citeproof import serial, settings
from citeproof.assemble import assemble, judge_of
from citeproof.clock import timestamp
from citeproof.errors import UsageError
from citeproof.measure import kept, runcard, running, tables
from citeproof.measure.adapters import questions
from citeproof.measure.adapters.questions import Benchmark
from citeproof.measure.intervals import DRAWS
from citeproof.measure.latency import shown
from citeproof.measure.results import Result, as_json, mean, mean_json, result, without_error
from citeproof.measure.rows import joined
from citeproof.measure.runcard import Card, FileCard
from citeproof.reporters.words import line, overrides
from citeproof.settings import Settings
from citeproof.surfaces.cli import network, options, progress, writing
from citeproof.surfaces.exits import Exit
from citeproof.verifier import Verifier


@click.command("run", short_help="Check a benchmark file and print its figures.")
@click.argument("files", nargs=-1, required=True, metavar="FILE…", type=click.Path(path_type=Path))
@click.option("--split", type=click.Choice(["dev", "test"]), help="Only the items of this split.")
@click.option(
    "--answers", type=click.Path(path_type=Path), metavar="OUT",
    help="Keep the answers here as they come; a rerun goes on with them. A folder for several FILEs.",
)  # fmt: skip
@click.option("--fresh", is_flag=True, help="Reuse no earlier answer, neither ours nor a registry's.")
@click.option(
    "--format", "format_", type=click.Choice(["text", "md", "json"]), default="text", show_default=True,
    help="Format of the figures.",
)  # fmt: skip
@click.option("--card", type=click.Path(path_type=Path), metavar="JSON", help="Write the run card here.")
@click.option("--draws", type=click.IntRange(0, 100_000), default=DRAWS, show_default=True,
              help="Draws of the bootstrap.")  # fmt: skip
@options.evidence
@options.promise
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
    """Check every item of FILE… alone and blind, and print how often the judgement was right.

    FILE is a benchmark that `citeproof bench make` wrote, or one of HALLMARK, CITECHECK or CiteAudit;
    which, is told from its content. Several files (seeds) give the figures of each and the mean.
    Figures come with 95 % bootstrap intervals over documents, and with a run card that says what they
    rest on. A snapshot built with --covers all makes a closed world: the card says so.

    \b
    citeproof bench run physics.jsonl --snapshot DIR --split test
    citeproof bench run hallmark.jsonl --snapshot DIR --answers run.jsonl --format md
    citeproof bench run seed*.jsonl --snapshot DIR --fresh --card card.json
    """
    chosen = settings.load(options.given(**flags))
    chosen = _forgetful(chosen) if fresh else chosen
    benchmarks = [questions.read(path).only(split or "") for path in files]
    if not any(one.cases for one in benchmarks):
        print(f"nothing to check: no item of split {split}", file=sys.stderr)
        return Exit.NOTHING
    watch = network.Watch()
    verifier = assemble(chosen, observer=watch, stage=None)
    network.warn((*judge_of(chosen).trouble, *overrides(verifier.run([], []))))
    started = timestamp(verifier.clock)
    places = _places(answers, files)
    try:
        runs = asyncio.run(_all(verifier, benchmarks, places, fresh=fresh))
    finally:
        network.tell(verifier, watch, explain=explain_network)
    results = [
        result(b.path.name, joined(b.cases, k.said), draws=draws)
        for b, k in zip(benchmarks, runs, strict=True)
    ]
    made = Card(
        runcard.engine(verifier), runcard.snapshots(chosen), chosen.digest(), started,
        timestamp(verifier.clock), fresh, sum(k.reused for k in runs), watch.kept.total(),
        tuple(_file(b, k, r, split) for b, k, r in zip(benchmarks, runs, results, strict=True)),
    )  # fmt: skip
    if card is not None:
        with writing.destination(card, text=False) as write:
            write(serial.pretty(made) + "\n")
    print(_shown(results, made, format_), end="")
    return Exit.CLEAN


def _forgetful(chosen: Settings) -> Settings:
    """Return settings under which no registry's earlier answer is taken."""
    return replace(chosen, keep_found_hours=0, keep_absent_hours=0, keep_notice_hours=0)


def _places(answers: Path | None, files: Sequence[Path]) -> list[Path | None]:
    """Return where the answers to each file are kept."""
    if answers is None:
        return [None] * len(files)
    if len(files) == 1 and not answers.is_dir():
        return [answers]
    if answers.is_file():
        raise UsageError(
            "is a file, and several benchmarks were given", place=str(answers), mend="name a folder"
        )
    answers.mkdir(parents=True, exist_ok=True)
    names = [f"{path.stem}.answers.jsonl" for path in files]
    if len(set(names)) < len(names):
        raise UsageError("two benchmarks of one name", place="FILE…", mend="run them one after the other")
    return [answers / name for name in names]


async def _all(
    verifier: Verifier, benchmarks: Sequence[Benchmark], places: Sequence[Path | None], *, fresh: bool
) -> list[kept.Kept]:
    """Return the answers to each benchmark."""
    try:
        return [
            await _answered(verifier, benchmark, place, fresh=fresh)
            for benchmark, place in zip(benchmarks, places, strict=True)
        ]
    finally:
        await verifier.close()


async def _answered(
    verifier: Verifier, benchmark: Benchmark, place: Path | None, *, fresh: bool
) -> kept.Kept:
    head = kept.Head(benchmark.path.name, benchmark.sha256, runcard.engine(verifier))
    with kept.opened(place, head, fresh=fresh) as store:
        left = {c.question.key: c for c in benchmark.cases if c.question.key not in store.said}
        store.reused = len(benchmark.cases) - len(left)
        with progress.counted(len(left), f"checking {line(benchmark.path.name, 40)}") as advance:

            def note(answer: running.Answer) -> None:
                store.add(left[answer.key], running.said(answer))
                advance()

            await running.answers(verifier, [case.question for case in left.values()], note)
    return store


def _file(benchmark: Benchmark, store: kept.Kept, one: Result, split: str | None) -> FileCard:
    return FileCard(
        benchmark.path.name, benchmark.sha256, benchmark.shape, len(benchmark.cases), split or "",
        benchmark.seed, len(one.rows) - one.unchecked, one.unchecked, store.reused, dict(benchmark.skipped),
    )  # fmt: skip


def _shown(results: Sequence[Result], card: Card, format_: str) -> str:
    means = mean(results) if len(results) > 1 else {}
    if format_ == "json":
        body = {
            "results": [as_json(one) for one in results],
            "mean": mean_json(means),
            "card": msgspec.to_builtins(card),
        }
        return serial.pretty(body) + "\n"
    made = [table for one in results for table in tables.of_result(one)]
    made += [tables.of_means(means, len(results))] if means else []
    told = [*filter(None, map(without_error, results)), *runcard.shown(card), *_left_out(card)]
    if format_ == "md":
        return tables.markdown(made) + "\n" + "\n".join(f"- {line(text, 400)}" for text in told) + "\n"
    return shown(made) + "\n\n" + "\n".join(line(text, 400) for text in told) + "\n"


def _left_out(card: Card) -> list[str]:
    return [
        f"{one.name}: {count} rows left out, {why}"
        for one in card.files
        for why, count in one.not_understood.items()
    ]

"""`citeproof bench ablate`: a benchmark with one part of the engine switched off at a time."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from citeproof import settings
from citeproof.answers import serializers
from citeproof.laboratory.measure.adapters import questions
from citeproof.laboratory.measure.result_tables import format_figures
from citeproof.service.assemble import assemble, choose_sources
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import command_options, status_line

if TYPE_CHECKING:
    from citeproof.laboratory.measure.ablation import AblationResult
    from citeproof.laboratory.measure.adapters.questions import Benchmark
    from citeproof.settings import Settings


@click.command("ablate", short_help="Measure a benchmark with one part switched off at a time.")
@click.argument("file", type=click.Path(path_type=Path))
@command_options.add_options("bench ablate")
def command(
    file: Path, *, split: str | None, draws: int, format_: str, explain_network: bool, **flags: object
) -> int:
    """Check a benchmark of citations as it is, then with one part of the engine switched off at a time.

    The parts: the reviewer (with --llm), web search (with --sources default,web), memory (with --memory), the
    registries, and the judge, in whose place a citation counts as right only if it is its record's to the
    letter. A part that the run does not have is left out. Every run has a ceiling on money of its own.

    \b
    citeproof bench ablate physics.jsonl --snapshot DIR --offline
    citeproof bench ablate physics.jsonl --sources default,web --memory mem --llm openai:gpt-5.4
    """
    del explain_network  # several runs: each would tell the same
    chosen = settings.load(command_options.collect_given_flags(**flags))
    benchmark = questions.read_benchmark(file).select_split(split or "")
    if not benchmark.cases:
        print(f"nothing to check: no item of split {split}", file=sys.stderr)
        return Exit.NOTHING
    results = asyncio.run(_run_all(chosen, benchmark, draws))
    from citeproof.laboratory.measure import ablation  # noqa: PLC0415 - loaded by now

    if format_ == "json":
        print(serializers.dump_pretty({"runs": ablation.build_ablation_json(results)}))
    else:
        lines = [f"{len(benchmark.cases)} items of {benchmark.path.name}"]
        print(format_figures([ablation.build_ablation_table(results)], lines, format_), end="")
    return Exit.CLEAN


async def _run_all(chosen: Settings, benchmark: Benchmark, draws: int) -> list[AblationResult]:
    from citeproof.laboratory.measure.ablation import list_parts, run_without  # noqa: PLC0415 - takes its time

    chosen = replace(chosen, sources=choose_sources(chosen))
    parts = list_parts(chosen)
    with status_line.count_progress(len(parts) * len(benchmark.cases), "checking") as advance:
        return [
            await run_without(
                chosen,
                part,
                benchmark.cases,
                draws=draws,
                make_verifier=partial(assemble, stage=None),
                progress=advance,
            )
            for part in parts
        ]

"""Add errors of HALLMARK's 14 types to your own references and count how many are caught.

python -m bench.selftest FILE… [--snapshot DIR] [--per-type 20] [--seed 7] [--format md] [-o selftest.md]
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import msgspec
from bench.command_run import run_command
from bench.selftest import selftest_report
from bench.selftest.selftest_subjects import (
    SelftestSubject,
    SnapshotKnowledge,
    gather_selftest_pool,
    select_subjects,
)
from bench.selftest.selftest_tally import (
    PER_WAY,
    SelftestTally,
    make_control,
    make_mutants,
    tally_selftest,
)

from citeproof import settings
from citeproof.answers import serializers
from citeproof.answers.reporters.wording import list_names
from citeproof.evidence.index.snapshot import Snapshot
from citeproof.laboratory.measure import engine_run, result_tables, run_card
from citeproof.laboratory.measure.benchmark_rows import BenchmarkQuestion, SystemAnswer
from citeproof.laboratory.measure.metrics import DRAWS
from citeproof.laboratory.measure.run_card import RunCard
from citeproof.plumbing.clock import format_timestamp, today
from citeproof.service.assemble import SNAPSHOT
from citeproof.service.check_session import CheckSession
from citeproof.service.exit_codes import Exit
from citeproof.settings import Settings
from citeproof.surfaces.cli import command_options, report_output, run_notices, status_line
from citeproof.surfaces.cli.opened_documents import open_documents
from citeproof.verifier import ReferenceVerifier
from citeproof.vocabulary import Checked

_HINT = (
    "give a snapshot that holds the works (--snapshot DIR), or leave out --offline; "
    "`citeproof check` tells why each one was not verified"
)


@click.command("selftest")
@click.argument("files", nargs=-1, required=True, metavar="FILE…", type=click.Path())
@click.option(
    "--seed", type=int, default=42, show_default=True, metavar="N", help="Seed of the random numbers."
)
@click.option(
    "--per-type", type=click.IntRange(1, 10_000), default=PER_WAY, show_default=True, metavar="N",
    help="Maximum number of mutants of each type.",
)  # fmt: skip
@click.option(
    "--format", "format_", type=click.Choice(["text", "md", "json"]), default="text", show_default=True
)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="OUT", help="Write the figures to this file."
)
@command_options.add_options("bench selftest")
def command(
    files: Sequence[str], *, seed: int, per_type: int, format_: str, output: Path | None,
    explain_network: bool, **flags: object,
) -> int:  # fmt: skip
    """Check FILE…, add errors of HALLMARK's 14 types, and print how many are caught.

    A reference is used only if it passes (EXACT or NOTED), and its plain copy, printed like the mutants, too.
    So a flagged mutant is flagged because of its error. Data of other works comes from your other
    references and from the snapshots. Missed mutants are listed with the difference. The same files,
    snapshots and seed give the same mutants.

    \b
    python -m bench.selftest refs.bib --snapshot DIR --offline
    python -m bench.selftest paper.pdf --per-type 20 --seed 7 --format md -o selftest.md
    python -m bench.selftest refs.bib --format json | jq .all.recall

    Exit codes: 0 done, 2 wrong usage, 3 no reference was verified.
    """
    chosen = settings.load(command_options.collect_given_flags(**flags))
    watch = run_notices.LookupCounter()
    _, verifier, checking = open_documents(files, chosen, watch, stage=None)
    started = format_timestamp(verifier.clock)
    test = _SelftestRun(verifier, checking, _open_snapshots(chosen), seed, per_type)
    try:
        tally = asyncio.run(test.run())
    finally:
        run_notices.print_network_report(verifier, watch, explain=explain_network)
    if not tally.usable:
        what = (
            "no reference was found"
            if not tally.found
            else f"none of {tally.found} references could be verified"
        )
        print(f"nothing to test: {what} in {list_names(files)}\n  hint: {_HINT}", file=sys.stderr)
        return Exit.NOTHING
    card = RunCard(
        run_card.describe_engine(verifier), run_card.list_snapshot_cards(chosen), chosen.digest(), started,
        format_timestamp(verifier.clock), False, 0, watch.kept.total(), (),
    )  # fmt: skip
    with report_output.open_destination(output, text=format_ == "text") as write:
        write(_format_selftest(tally, card, format_))
    return Exit.CLEAN


def _open_snapshots(chosen: Settings) -> tuple[Snapshot, ...]:
    if chosen.sources and SNAPSHOT not in chosen.sources:
        return ()
    return tuple(Snapshot.open(folder) for folder in chosen.list_snapshot_folders())


@dataclass(frozen=True, slots=True)
class _SelftestRun:
    """One self-test: what is checked, against what, drawn how."""

    verifier: ReferenceVerifier
    checking: CheckSession
    snapshots: tuple[Snapshot, ...]
    seed: int
    per_type: int

    async def run(self) -> SelftestTally:
        """Return the outcome. 1 check, 2 check plain copies, 3 spoil, 4 check the mutants, 5 count."""
        try:
            checked = await self._check_references()  # 1
            verified = select_subjects(checked, SnapshotKnowledge(self.snapshots).find_kin)
            usable = await self._usable(verified)  # 2
            year = today(self.verifier.clock).year
            pool = gather_selftest_pool(usable, self.snapshots, self.seed, year)
            made = make_mutants(usable, pool, seed=self.seed, most=self.per_type)  # 3
            asked = [mutant.question for mutant in made.mutants]
            said = await self._answer_questions(asked, "checking mutants")  # 4
        finally:
            await self.verifier.close()
        counts = (len(checked), len(verified), len(usable))
        return tally_selftest(counts, made, said, seed=self.seed, draws=DRAWS)  # 5

    async def _check_references(self) -> list[Checked]:
        checked: list[Checked] = []
        with status_line.count_progress(self.checking.total, "checking") as advance:
            for extraction in self.checking.extractions:
                async for reference in self.verifier.verify(extraction):
                    checked.append(reference)
                    advance()
        return checked

    async def _usable(self, verified: Sequence[SelftestSubject]) -> list[SelftestSubject]:
        """Return the references whose unchanged copies are verified as well."""
        copies = [make_control(checked, at) for at, checked in enumerate(verified)]
        said = await self._answer_questions(copies, "checking plain copies")
        return [c for c, copy in zip(verified, copies, strict=True) if said[copy.key].flagged is False]

    async def _answer_questions(
        self, questions: Sequence[BenchmarkQuestion], word: str
    ) -> dict[str, SystemAnswer]:
        with status_line.count_progress(len(questions), word) as advance:
            answers = await engine_run.answer_questions(self.verifier, questions, lambda _: advance())
        return {answer.key: engine_run.make_system_answer(answer) for answer in answers}


def _format_selftest(tally: SelftestTally, card: RunCard, format_: str) -> str:
    if format_ == "json":
        body = selftest_report.build_selftest_json(tally) | {"card": msgspec.to_builtins(card)}
        return serializers.dump_pretty(body) + "\n"
    lines = (*selftest_report.describe_selftest(tally), *run_card.format_run_card(card))
    return result_tables.format_figures(selftest_report.build_selftest_tables(tally), lines, format_)


if __name__ == "__main__":
    sys.exit(run_command(command))

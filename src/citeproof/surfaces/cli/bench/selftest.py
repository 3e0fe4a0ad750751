"""`citeproof bench selftest`: the user's own references, spoiled in known ways and checked."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import msgspec

from citeproof import serial, settings
from citeproof.assemble import SNAPSHOT, assemble, judge_of, snapshot_folders
from citeproof.clock import timestamp, today
from citeproof.index.snapshot import Snapshot
from citeproof.measure import runcard, running, tables
from citeproof.measure.intervals import DRAWS
from citeproof.measure.latency import shown as aligned
from citeproof.measure.rows import Question, Said
from citeproof.measure.runcard import Card
from citeproof.measure.selftest import shown
from citeproof.measure.selftest.mutants import PER_WAY, control, mutants
from citeproof.measure.selftest.subjects import Subject, subjects
from citeproof.measure.selftest.surroundings import Known, surroundings
from citeproof.measure.selftest.tally import Tally, tally
from citeproof.reporters.words import line, listed
from citeproof.settings import Settings
from citeproof.surfaces import reading
from citeproof.surfaces.checking import Checking, begin
from citeproof.surfaces.cli import network, options, progress, writing
from citeproof.surfaces.exits import Exit
from citeproof.verifier import Verifier
from citeproof.vocabulary import Checked

_MEND = (
    "give a snapshot that holds the works (--snapshot DIR), or leave out --offline; "
    "`citeproof check` tells why each one was not verified"
)


@click.command("selftest", short_help="Spoil references of your own in known ways and count what is caught.")
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("--seed", type=int, default=42, show_default=True, metavar="N", help="What is drawn by chance.")
@click.option(
    "--per-type", type=click.IntRange(1, 10_000), default=PER_WAY, show_default=True, metavar="N",
    help="Mutants of each way, at most.",
)  # fmt: skip
@click.option(
    "--format", "format_", type=click.Choice(["text", "md", "json"]), default="text", show_default=True,
    help="Format of the figures.",
)  # fmt: skip
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="OUT", help="Write the figures to this file."
)
@options.evidence
@options.promise
def command(
    files: Sequence[str], *, seed: int, per_type: int, format_: str, output: Path | None,
    explain_network: bool, **flags: object,
) -> int:  # fmt: skip
    """Check FILE…, spoil what was verified in HALLMARK's 14 ways, and print how much of it is caught.

    Only references that are EXACT are spoiled, and only those whose plain copy, printed like the
    mutants, is EXACT again: whatever is flagged then, is flagged for the error. What other works are
    needed for is drawn from your other references and from the snapshots. Missed mutants are listed
    with the difference. The same files, snapshots and seed give the same mutants.

    \b
    citeproof bench selftest refs.bib --snapshot DIR --offline
    citeproof bench selftest paper.pdf --per-type 20 --seed 7 --format md -o selftest.md
    citeproof bench selftest refs.bib --format json | jq .all.recall

    Exit codes: 0 done, 2 wrong usage, 3 no reference was verified.
    """
    chosen = settings.load(options.given(**flags))
    documents = reading.documents(files, chosen.max_document_bytes)
    watch = network.Watch()
    verifier = assemble(chosen, observer=watch, stage=None)
    network.warn(judge_of(chosen).trouble)
    with progress.reading():
        checking = begin(verifier, documents)
    started = timestamp(verifier.clock)
    test = _Test(verifier, checking, _snapshots(chosen), seed, per_type)
    try:
        found = asyncio.run(test.run())
    finally:
        network.tell(verifier, watch, explain=explain_network)
    if not found.usable:
        what = (
            "no reference was found" if not found.found else f"none of {found.found} references is verified"
        )
        print(f"nothing to spoil: {what} in {listed(files)}\n  hint: {_MEND}", file=sys.stderr)
        return Exit.NOTHING
    card = Card(
        runcard.engine(verifier), runcard.snapshots(chosen), chosen.digest(), started,
        timestamp(verifier.clock), False, 0, watch.kept.total(), (),
    )  # fmt: skip
    with writing.destination(output, text=format_ == "text") as write:
        write(_told(found, card, format_))
    return Exit.CLEAN


def _snapshots(chosen: Settings) -> tuple[Snapshot, ...]:
    if chosen.sources and SNAPSHOT not in chosen.sources:
        return ()
    return tuple(Snapshot.open(folder) for folder in snapshot_folders(chosen))


@dataclass(frozen=True, slots=True)
class _Test:
    """One self-test: what is checked, against what, drawn how."""

    verifier: Verifier
    checking: Checking
    snapshots: tuple[Snapshot, ...]
    seed: int
    per_type: int

    async def run(self) -> Tally:
        """Return the outcome. 1 check, 2 check plain copies, 3 spoil, 4 check the mutants, 5 count."""
        try:
            checked = await self._checked()  # 1
            verified = subjects(checked, Known(self.snapshots).kin)
            usable = await self._usable(verified)  # 2
            year = today(self.verifier.clock).year
            pool = surroundings(usable, self.snapshots, self.seed, year)
            made = mutants(usable, pool, seed=self.seed, most=self.per_type)  # 3
            said = await self._said([one.question for one in made.mutants], "checking mutants")  # 4
        finally:
            await self.verifier.close()
        counts = (len(checked), len(verified), len(usable))
        return tally(counts, made, said, seed=self.seed, draws=DRAWS)  # 5

    async def _checked(self) -> list[Checked]:
        found: list[Checked] = []
        with progress.counted(self.checking.total, "checking") as advance:
            for extraction in self.checking.extractions:
                async for one in self.verifier.verify(extraction):
                    found.append(one)
                    advance()
        return found

    async def _usable(self, verified: Sequence[Subject]) -> list[Subject]:
        """Return the references whose plain copies are verified as well."""
        copies = [control(one, at) for at, one in enumerate(verified)]
        said = await self._said(copies, "checking plain copies")
        return [one for one, copy in zip(verified, copies, strict=True) if said[copy.key].flagged is False]

    async def _said(self, questions: Sequence[Question], word: str) -> dict[str, Said]:
        with progress.counted(len(questions), word) as advance:
            answers = await running.answers(self.verifier, questions, lambda _: advance())
        return {answer.key: running.said(answer) for answer in answers}


def _told(found: Tally, card: Card, format_: str) -> str:
    if format_ == "json":
        body = shown.as_json(found) | {"card": msgspec.to_builtins(card)}
        return serial.pretty(body) + "\n"
    told = [line(text, 400) for text in (*shown.words(found), *runcard.shown(card))]
    made = shown.made_tables(found)
    if format_ == "md":
        return tables.markdown(made) + "\n" + "\n".join(f"- {text}" for text in told) + "\n"
    return aligned(made) + "\n\n" + "\n".join(told) + "\n"

"""What `tune` and `calibrate` share: benchmark files checked once, and what was made kept or forgotten."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click
import msgspec

from citeproof import serial
from citeproof.assemble import MAX_BYTES, assemble
from citeproof.errors import InputError, UsageError
from citeproof.judge.tuned import Calibration, Thresholds
from citeproof.measure import running
from citeproof.measure.adapters import questions
from citeproof.measure.adapters.questions import Benchmark
from citeproof.measure.labelled import Labelled, labelled, truth_of
from citeproof.reporters.words import line
from citeproof.settings import Settings
from citeproof.surfaces.cli import network, progress, writing
from citeproof.surfaces.cli.options import Decorated
from citeproof.verifier import Verifier


def keeping(what: str, setting: str) -> Callable[[Decorated], Decorated]:
    """Return the flags of a command that makes `what` for the judge and keeps it where `setting` says."""
    flags = (
        click.option(
            "--split", type=click.Choice(["dev", "test", "all"]), default="dev", show_default=True,
            help="The items to go by, where a file knows splits.",
        ),
        click.option("--dry-run", is_flag=True, help="Print the figures, keep nothing."),
        click.option("--forget", is_flag=True, help=f"Go back to {what} that are shipped."),
        click.option(
            "-o", "--output", type=click.Path(path_type=Path), metavar="OUT",
            help=f"Keep it in this file instead; CITEPROOF_{setting} then names it.",
        ),
        click.option(
            "--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True,
            help="Format of the figures.",
        ),
    )  # fmt: skip

    def flagged(command: Decorated) -> Decorated:
        for flag in reversed(flags):
            command = flag(command)
        return command

    return flagged


@dataclass(frozen=True, slots=True)
class Known:
    """Checked citations with their truth, the digests of their files, and when it was."""

    rows: tuple[Labelled, ...]
    data: dict[str, str]
    date: str


def gathered(files: Sequence[Path], split: str, chosen: Settings, *, explain_network: bool) -> Known:
    """Return the citations of all files, each checked once, alone and blind."""
    benchmarks = [questions.read(path).only("" if split == "all" else split) for path in files]
    if not any(one.cases for one in benchmarks):
        raise InputError(f"has no item of split {split}", place=str(files[0]), mend="use --split all")
    watch = network.Watch()
    verifier = assemble(replace(chosen, max_false_accusations=None), observer=watch, stage=None)
    try:
        rows = asyncio.run(_rows(verifier, benchmarks))
    finally:
        network.tell(verifier, watch, explain=explain_network)
    data = {one.path.name: one.sha256 for one in benchmarks}
    return Known(tuple(rows), data, verifier.clock.now().date().isoformat())


async def _rows(verifier: Verifier, benchmarks: Sequence[Benchmark]) -> list[Labelled]:
    rows: list[Labelled] = []
    try:
        for one in benchmarks:
            with progress.counted(len(one.cases), f"checking {line(one.path.name, 40)}") as advance:
                found = await running.answers(
                    verifier, [case.question for case in one.cases], lambda _: advance()
                )
            rows += [
                labelled(answer.checked, truth_of(case), case.question.group, field=one.path.name)
                for case, answer in zip(one.cases, found, strict=True)
            ]
    finally:
        await verifier.close()
    return rows


def store(path: Path, made: Thresholds | Calibration) -> None:
    """Write what was made to where a run looks for it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"cannot be made: {error.strerror}", place=str(path.parent), mend="name another file with -o"
        ) from error
    with writing.destination(path, text=False) as write:
        write(serial.pretty(made) + "\n")


def forget(path: Path, kind: type[Thresholds | Calibration]) -> str:
    """Remove what was kept at `path`; return what happened, in words. Any other file is left alone."""
    if not path.is_file():
        return f"nothing to forget: {path} does not exist"
    try:
        with path.open("rb") as file:
            msgspec.json.decode(file.read(MAX_BYTES), type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        hint = "name the file that it wrote, or remove this one yourself"
        raise UsageError(
            f"was not written by `{kind.BY}`: not removed", place=str(path), mend=hint
        ) from error
    path.unlink()
    return f"removed {path}"

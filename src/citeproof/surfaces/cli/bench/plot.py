"""`citeproof bench plot`: what answers files say, as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from citeproof.errors import UsageError
from citeproof.measure import comparing
from citeproof.measure.adapters import answers, loading, questions
from citeproof.measure.charts.confusion import confusion
from citeproof.measure.charts.reliability import reliability
from citeproof.measure.charts.risk import risk
from citeproof.measure.kept import known
from citeproof.measure.metrics import Scored
from citeproof.measure.metrics import confusion as counted
from citeproof.measure.results import result
from citeproof.measure.rows import Row, joined, three_classes
from citeproof.surfaces.cli import writing
from citeproof.surfaces.exits import Exit

KINDS = ("reliability", "risk", "bars", "confusion")


@click.command("plot", short_help="Draw reliability, risk and coverage, and figures as SVG.")
@click.argument("files", nargs=-1, required=True, metavar="ANSWERS…", type=click.Path(path_type=Path))
@click.option("--kind", type=click.Choice(KINDS), required=True, help="What to draw.")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="OUT", help="Write the SVG here.")
@click.option(
    "--benchmark", type=click.Path(path_type=Path), metavar="FILE",
    help="Where the truth stands, for answers that other tools wrote.",
)  # fmt: skip
@click.option("--title", help="The title of the chart; without it, the names of the files.")
def command(
    files: Sequence[Path], *, kind: str, output: Path | None, benchmark: Path | None, title: str | None
) -> int:
    """Draw the answers that `citeproof bench run --answers` kept.

    \b
    reliability  how often answers of one confidence are right, in ten bins
    risk         what share of the answers is wrong if only the surest are given
    bars         the main figures with their intervals
    confusion    true class by answer, of one file

    \b
    citeproof bench plot run.jsonl --kind reliability -o reliability.svg
    citeproof bench plot ours.jsonl theirs.csv --benchmark bench.jsonl --kind bars -o bars.svg
    """
    rows = {path.stem: _rows(path, benchmark) for path in files}
    if len(rows) < len(files):
        raise UsageError("two files of one name", place="ANSWERS…", mend="rename one of them")
    drawn = _drawn(kind, title or ", ".join(rows), rows)
    with writing.destination(output, text=False) as write:
        write(drawn)
    return Exit.CLEAN


def _rows(path: Path, benchmark: Path | None) -> list[Row]:
    """Return truth and answer: the truth from the benchmark, else from the answers file itself."""
    if benchmark is None:
        return known(loading.load(path))
    cases = questions.read(benchmark).cases
    said = answers.read(path, [case.question.key for case in cases]).said
    return joined(cases, said)


def _drawn(kind: str, title: str, rows: dict[str, list[Row]]) -> str:
    if kind == "bars":
        return comparing.chart(title, [result(name, own) for name, own in rows.items()])
    if kind == "confusion":
        return _confusion(title, rows)
    given = {name: _rated(own) for name, own in rows.items()}
    silent = next((name for name, pairs in given.items() if not pairs), None)
    if silent is not None:
        raise UsageError("gives no confidence to draw", place=silent, mend="draw --kind bars instead")
    if kind == "reliability":
        return reliability(title, given)
    return risk(title, {name: (pairs, len(rows[name])) for name, pairs in given.items()})


def _rated(rows: Sequence[Row]) -> list[tuple[float, bool]]:
    """Return how sure each answer was and whether it was right."""
    classes = three_classes(rows)
    answered = [row for row in rows if row.flagged is not None]
    return [(r.confidence, r.right(classes=classes)) for r in answered if r.confidence is not None]


def _confusion(title: str, rows: dict[str, list[Row]]) -> str:
    if len(rows) > 1:
        raise UsageError("a confusion table is of one file", place="--kind", mend="draw them one by one")
    (own,) = rows.values()
    if not three_classes(own):
        mend = "draw --kind bars instead"
        raise UsageError("tells only real from fake", place=next(iter(rows)), mend=mend)
    return confusion(title, counted(Scored.of(own)))

"""`citeproof bench plot`: what answers files say, as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from citeproof.errors import UsageError
from citeproof.laboratory.measure import system_comparison
from citeproof.laboratory.measure.adapters import answers, questions, row_file
from citeproof.laboratory.measure.answers_file import convert_answer_rows
from citeproof.laboratory.measure.benchmark_rows import OutcomeRow, has_three_classes, join_answers
from citeproof.laboratory.measure.charts.figure_charts import (
    draw_confusion_chart,
    draw_reliability_chart,
    draw_risk_chart,
)
from citeproof.laboratory.measure.metrics import ScoredColumns
from citeproof.laboratory.measure.metrics import count_confusion as counted
from citeproof.laboratory.measure.system_results import measure_system
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import command_options, report_output

KINDS = ("reliability", "risk", "bars", "confusion")


@click.command("plot", short_help="Draw reliability, risk and coverage, and figures as SVG.")
@click.argument("files", nargs=-1, required=True, metavar="ANSWERS…", type=click.Path(path_type=Path))
@command_options.add_options("bench plot")
def command(
    files: Sequence[Path], *, kind: str, output: Path | None, benchmark: Path | None, title: str | None
) -> int:
    """Draw charts of the answers that `citeproof bench run --answers` wrote.

    \b
    reliability  how often answers with a given confidence are right, in ten bins
    risk         share of wrong answers if only the most confident are given
    bars         the main figures with their intervals
    confusion    true class by answer, of one file

    \b
    citeproof bench plot run.jsonl --kind reliability -o reliability.svg
    citeproof bench plot ours.jsonl theirs.csv --benchmark bench.jsonl --kind bars -o bars.svg
    """
    rows = {path.stem: _read_plot_rows(path, benchmark) for path in files}
    if len(rows) < len(files):
        raise UsageError("two files of one name", place="ANSWERS…", hint="rename one of them")
    drawn = _draw_chart(kind, title or ", ".join(rows), rows)
    with report_output.open_destination(output, text=False) as write:
        write(drawn)
    return Exit.CLEAN


def _read_plot_rows(path: Path, benchmark: Path | None) -> list[OutcomeRow]:
    """Return truth and answer: the truth from the benchmark, else from the answers file itself."""
    if benchmark is None:
        return convert_answer_rows(row_file.load_rows(path))
    cases = questions.read_benchmark(benchmark).cases
    said = answers.read_answers(path, [case.question.key for case in cases]).said
    return join_answers(cases, said)


def _draw_chart(kind: str, title: str, rows: dict[str, list[OutcomeRow]]) -> str:
    if kind == "bars":
        return system_comparison.draw_comparison_chart(
            title, [measure_system(name, own) for name, own in rows.items()]
        )
    if kind == "confusion":
        return _draw_confusion(title, rows)
    given = {name: _rate_answers(own) for name, own in rows.items()}
    silent = next((name for name, pairs in given.items() if not pairs), None)
    if silent is not None:
        raise UsageError("gives no confidence to draw", place=silent, hint="draw --kind bars instead")
    if kind == "reliability":
        return draw_reliability_chart(title, given)
    return draw_risk_chart(title, {name: (pairs, len(rows[name])) for name, pairs in given.items()})


def _rate_answers(rows: Sequence[OutcomeRow]) -> list[tuple[float, bool]]:
    """Return how sure each answer was and whether it was right."""
    classes = has_three_classes(rows)
    answered = [row for row in rows if row.flagged is not None]
    return [(r.confidence, r.right(classes=classes)) for r in answered if r.confidence is not None]


def _draw_confusion(title: str, rows: dict[str, list[OutcomeRow]]) -> str:
    if len(rows) > 1:
        raise UsageError("a confusion table is of one file", place="--kind", hint="draw them one by one")
    (own,) = rows.values()
    if not has_three_classes(own):
        hint = "draw --kind bars instead"
        raise UsageError("tells only real from fake", place=next(iter(rows)), hint=hint)
    scored = ScoredColumns.from_rows(own)
    return draw_confusion_chart(title, counted(scored))

"""`citeproof bench calibrate`: confidence and the promise about false accusations, from data of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from citeproof import settings
from citeproof.answers import serializers
from citeproof.errors import InputError
from citeproof.judgement.judge import false_alarm_limit as promises
from citeproof.judgement.judge.model import Model
from citeproof.judgement.judge.user_calibration import Calibration
from citeproof.laboratory.measure import calibration, metrics, promise_measurement
from citeproof.laboratory.measure.benchmark_rows import LabelledCitation
from citeproof.laboratory.measure.calibration import Method
from citeproof.laboratory.measure.promise_measurement import LEVELS, PromiseOutcome
from citeproof.laboratory.measure.retrieval_latency import ResultTable, format_tables
from citeproof.service.assemble import choose_cut_judge
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import command_options
from citeproof.surfaces.cli.bench import fitting_data

FEWEST = 50  # real and bad citations each, below which a fit would be guessing


@click.command("calibrate", short_help="Fit confidence and the limit on false accusations.")
@click.argument("files", nargs=-1, metavar="FILE…", type=click.Path(path_type=Path))
@command_options.add_options("bench calibrate")
def command(
    files: Sequence[Path],
    *,
    stated: float | None,
    method: Method,
    split: str,
    dry_run: bool,
    forget: bool,
    output: Path | None,
    format_: str,
    explain_network: bool,
    **flags: object,
) -> int:
    """Fit confidence, and what --max-false-accusations rests on, to the items of FILE….

    The printed figures are out of fold: the fit that rates an item has not seen its work. The result is
    stored with its judge and thresholds, and used from then on. Every report shows it in the judge's
    name. Benchmarks contain far more bad references than papers do. Set the share you expect with
    --base-rate, or later with the setting base_rate.

    \b
    citeproof bench calibrate physics.jsonl --snapshot DIR --dry-run
    citeproof bench calibrate physics.jsonl mine.jsonl --snapshot DIR --base-rate 0.05
    citeproof bench calibrate --forget
    """
    chosen = settings.load(command_options.collect_given_flags(**flags))
    if forget:
        print(fitting_data.forget_fit(output or chosen.calibration_file, Calibration))
        return Exit.CLEAN
    fitting = fitting_data.gather_fitting_data(files, split, chosen, explain_network=explain_network)
    judge = choose_cut_judge(chosen).model
    _check_enough_items(judge, fitting.rows, files)
    made, rows = _make_calibration(judge, fitting, method, stated)
    path = None if dry_run else output or chosen.calibration_file
    if path is not None:
        fitting_data.store_fit(path, made)
    print(_format_calibration(made, rows, path, format_))
    return Exit.CLEAN


def _make_calibration(
    judge: Model, fitting: fitting_data.FittingData, method: Method, stated: float | None
) -> tuple[Calibration, list[PromiseOutcome]]:
    fitted = calibration.calibrate_model(judge, fitting.rows, method)
    rated = calibration.rate_out_of_fold(judge, fitting.rows, method)
    tested = promise_measurement.judge_held_out(fitting.rows, lambda _: judge, refits=False)
    made = Calibration(
        judge=judge.name,
        confidence=fitted.confidence,
        base_rate=fitted.base_rate,
        stated_rate=stated,
        promise=promise_measurement.build_promise(judge, fitting.rows, fitting.data),
        method=method,
        data=fitting.data,
        figures={"items": len(fitting.rows), "rated": len(rated), **metrics.compute_reliability(rated)},
        date=fitting.date,
    )
    return made, [promise_measurement.measure_promise(tested, level) for level in LEVELS]


def _check_enough_items(judge: Model, rows: Sequence[LabelledCitation], files: Sequence[Path]) -> None:
    """Raise where too few citations got a judgement to learn anything from."""
    judged = [row for row in rows if calibration.judge_citation(judge, row) is not None]
    bad = sum(row.bad for row in judged)
    if min(bad, len(judged) - bad) < FEWEST:
        raise InputError(
            f"{len(judged) - bad} real and {bad} bad items could be judged; {FEWEST} of each are needed",
            place=", ".join(map(str, files)),
            hint="give more files, another --split, or a --snapshot that holds the works",
        )


def _format_calibration(
    made: Calibration, rows: Sequence[PromiseOutcome], path: Path | None, format_: str
) -> str:
    if format_ == "json":
        body = {
            "calibration": msgspec.to_builtins(made),
            "promise": [_build_promise_json(row) for row in rows],
            "kept": str(path) if path else None,
        }
        return serializers.dump_pretty(body)
    figures = {name: f"{value:.4f}" for name, value in made.figures.items() if name not in ("items", "rated")}
    for_rate = made.stated_rate or made.base_rate
    title = (
        f"Confidence of {made.judge} on {made.figures['rated']:g} judged items of {made.figures['items']:g}, "
        f"{made.base_rate:.1%} bad; stated for {for_rate:.1%}"
    )
    tables = [
        ResultTable(title, ("Out of fold", ""), tuple(figures.items())),
        ResultTable(
            "Real references accused in spite of the promise, out of fold",
            ("--max-false-accusations", "accused", "95 % interval", "true accusations kept"),
            tuple(_make_promise_row(row) for row in rows),
        ),
    ]
    least = promises.find_smallest_share(made.promise)
    place = f"saved in {path}" if path else "not saved (--dry-run)"
    return f"{format_tables(tables)}\n\nthe smallest share that these data can promise: {least:.4f}\n{place}"


def _make_promise_row(outcome: PromiseOutcome) -> tuple[str, ...]:
    low, high = outcome.interval
    accused = f"{outcome.false} of {outcome.real}, {outcome.rate:.2%}"
    return f"{outcome.level:g}", accused, f"{low:.2%} to {high:.2%}", f"{outcome.kept} of {outcome.bad}"


def _build_promise_json(outcome: PromiseOutcome) -> dict[str, object]:
    return {
        "level": outcome.level,
        "real": outcome.real,
        "accused": outcome.false,
        "rate": outcome.rate,
        "interval": outcome.interval,
        "holds": outcome.holds,
        "bad_accused": outcome.bad,
        "bad_accused_kept": outcome.kept,
    }

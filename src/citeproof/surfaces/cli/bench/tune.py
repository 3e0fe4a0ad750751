"""`citeproof bench tune`: the thresholds of the judge, chosen on a development split."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from citeproof import settings
from citeproof.answers import serializers
from citeproof.judgement.judge import model as models
from citeproof.judgement.judge.user_calibration import Thresholds, apply_thresholds
from citeproof.laboratory.measure.retrieval_latency import ResultTable, format_tables
from citeproof.laboratory.measure.threshold_search import ThresholdPair, find_best_thresholds
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import command_options
from citeproof.surfaces.cli.bench import fitting_data

_NAMES = {
    "weighted_f1": "F1 weighted by support",
    "macro_f1": "macro-F1",
    "accuracy": "accuracy",
    "f1_EXACT": "F1 EXACT",
    "f1_MINOR": "F1 MINOR",
    "f1_MAJOR": "F1 MAJOR",
    "f1_BAD": "F1 MINOR or MAJOR",
}


@click.command("tune", short_help="Choose the thresholds of the judge on a development split.")
@click.argument("files", nargs=-1, metavar="FILE…", type=click.Path(path_type=Path))
@command_options.add_options("bench tune")
def command(
    files: Sequence[Path],
    *,
    split: str,
    dry_run: bool,
    forget: bool,
    output: Path | None,
    format_: str,
    explain_network: bool,
    **flags: object,
) -> int:
    """Choose τ_M ≤ τ_E, in steps of 0.25 from 0 to 10, for the highest F1 weighted by support on FILE….

    Every item is looked up once, and all pairs are tried on the results. If several pairs are equally
    good, the one nearest to the current pair is chosen. The pair is stored with its judge and used from
    then on. Every report shows it in the judge's name. A file with only the classes real and
    hallucinated changes only τ_E.

    \b
    citeproof bench tune physics.jsonl --snapshot DIR --dry-run
    citeproof bench tune physics.jsonl --snapshot DIR
    citeproof bench tune --forget
    """
    chosen = settings.load(command_options.collect_given_flags(**flags))
    if forget:
        print(fitting_data.forget_fit(output or chosen.thresholds_file, Thresholds))
        return Exit.CLEAN
    fitting = fitting_data.gather_fitting_data(files, split, chosen, explain_network=explain_network)
    judge = models.load_model()
    now, top = find_best_thresholds(judge, fitting.rows)
    made = Thresholds(
        judge=judge.name,
        exact_at=top.exact_at,
        minor_at=top.minor_at,
        data=fitting.data,
        figures={**top.figures, "items": len(fitting.rows)},
        date=fitting.date,
    )
    path = None if dry_run else output or chosen.thresholds_file
    if path is not None:
        fitting_data.store_fit(path, made)
    print(_format_tuning(now, top, made, path, format_))
    return Exit.CLEAN


def _format_tuning(
    now: ThresholdPair, top: ThresholdPair, made: Thresholds, path: Path | None, format_: str
) -> str:
    if format_ == "json":
        body = {
            "present": {"exact_at": now.exact_at, "minor_at": now.minor_at, "figures": dict(now.figures)},
            "chosen": msgspec.to_builtins(made),
            "kept": str(path) if path else None,
        }
        return serializers.dump_pretty(body)
    pairs = (now, top)
    rows = [
        ("τ_E, EXACT from", *(f"{pair.exact_at:g}" for pair in pairs)),
        ("τ_M, MINOR from", *(f"{pair.minor_at:g}" for pair in pairs)),
        *((word, *(f"{pair.figures[name]:.4f}" for pair in pairs)) for name, word in _NAMES.items()
          if name in now.figures),
    ]  # fmt: skip
    title = f"Thresholds of {made.judge} on {made.figures['items']:g} items (not checked counts as wrong)"
    name = apply_thresholds(models.load_model(), made).name
    place = f"kept in {path}; reports now name the judge {name}" if path else "kept nowhere (--dry-run)"
    return format_tables([ResultTable(title, ("", "shipped", "chosen"), tuple(rows))]) + f"\n\n{place}"

"""`citeproof bench tune`: the thresholds of the judge, chosen on a development split."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from citeproof import settings
from citeproof.answers import serializers
from citeproof.errors import UsageError
from citeproof.judgement.judge import model as models
from citeproof.judgement.judge.user_calibration import Thresholds, apply_model_thresholds, apply_thresholds
from citeproof.laboratory.measure import answers_file
from citeproof.laboratory.measure.adapters.row_file import load_rows
from citeproof.laboratory.measure.retrieval_latency import ResultTable, format_tables
from citeproof.laboratory.measure.threshold_search import (
    ThresholdPair,
    find_best_model_thresholds,
    find_best_thresholds,
)
from citeproof.plumbing.clock import SystemClock
from citeproof.service.assemble import choose_cut_judge
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import command_options
from citeproof.surfaces.cli.bench import fitting_data

_OF_MODEL = ("language_model", "llm_exact_at", "llm_minor_at")
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

    With --llm the pair is that of the language model's scores, 1.25 / 7.25 until tuned. FILE… are then
    answers that `citeproof bench run --llm PROVIDER:MODEL --answers` wrote: nothing is looked up and no
    model is asked. The pair is used in runs with that model.

    \b
    citeproof bench tune physics.jsonl --snapshot DIR --dry-run
    citeproof bench tune physics.jsonl --snapshot DIR
    citeproof bench tune --llm openai:gpt-5.4 physics.answers.jsonl
    citeproof bench tune --forget
    """
    chosen = settings.load(command_options.collect_given_flags(**flags))
    if forget:
        print(fitting_data.forget_fit(output or chosen.thresholds_file, Thresholds))
        return Exit.CLEAN
    if flags.get("llm"):
        now, top, made = _tune_model(files, chosen)
    else:
        fitting = fitting_data.gather_fitting_data(files, split, chosen, explain_network=explain_network)
        judge = models.load_model()
        now, top = find_best_thresholds(judge, fitting.rows)
        kept = choose_cut_judge(chosen).thresholds
        made = Thresholds(
            judge=judge.name,
            exact_at=top.exact_at,
            minor_at=top.minor_at,
            data=fitting.data,
            figures={**top.figures, "items": len(fitting.rows)},
            date=fitting.date,
            **({name: getattr(kept, name) for name in _OF_MODEL} if kept else {}),
        )
    path = None if dry_run else output or chosen.thresholds_file
    if path is not None:
        fitting_data.store_fit(path, made)
    print(_format_tuning(now, top, made, path, format_))
    return Exit.CLEAN


def _tune_model(
    files: Sequence[Path], chosen: settings.Settings
) -> tuple[ThresholdPair, ThresholdPair, Thresholds]:
    """Return the present pair for the language model's scores, the best, and what is stored of it."""
    if not files:
        raise UsageError("no FILE was given", hint="name answers of `citeproof bench run --llm --answers`")
    judge = choose_cut_judge(chosen).model
    loaded = [load_rows(path) for path in files]
    lines = [line for rows in loaded for line in answers_file.convert_answer_lines(rows)]
    for path in files:
        engine = answers_file.read_engine(path)
        by = f"{engine.judge.partition('+m')[0]} with {engine.language_model or 'no language model'}"
        if by != (wanted := f"{judge.name} with {chosen.llm}"):
            hint = "answer it again with `citeproof bench run --llm … --answers`"
            raise UsageError(f"was answered by {by}, not by {wanted}", place=str(path), hint=hint)
    now, top = find_best_model_thresholds(judge, lines)
    made = Thresholds(
        judge=models.load_model().name, exact_at=judge.exact_at, minor_at=judge.minor_at,
        data={rows.path.name: rows.sha256 for rows in loaded},
        figures={**top.figures, "items": len(lines),
                 "model_scores": sum(line.model_score is not None for line in lines)},
        date=SystemClock().now().date().isoformat(),
        language_model=chosen.llm, llm_exact_at=top.exact_at, llm_minor_at=top.minor_at,
    )  # fmt: skip
    return now, top, made


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
    scores = made.figures.get("model_scores")
    whose = made.judge if scores is None else f"{made.language_model} ({scores:g} scores)"
    title = f"Thresholds of {whose} on {made.figures['items']:g} items (not checked counts as wrong)"
    judge = apply_thresholds(models.load_model(), made)
    name = judge.name if scores is None else apply_model_thresholds(judge, made).name
    place = f"saved in {path}; reports now name the judge {name}" if path else "not saved (--dry-run)"
    return (
        format_tables(
            [ResultTable(title, ("", "shipped" if scores is None else "present", "chosen"), tuple(rows))]
        )
        + f"\n\n{place}"
    )

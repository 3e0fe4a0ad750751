"""`citeproof bench`: benchmarks made, run and compared; the judge tuned."""

from __future__ import annotations

import click

from citeproof.surfaces.cli.main import make_lazy_group

# name: (module of this folder, its line in `citeproof bench --help`)
COMMANDS = {
    "make": ("make", "Make a benchmark of citations from real records."),
    "run": ("run", "Check a benchmark file and print its figures."),
    "compare": ("compare", "Compare the answers of several systems on one benchmark."),
    "baseline": ("baseline", "Let a language model classify the citations by itself."),
    "ablate": ("ablate", "Measure a benchmark with one part switched off at a time."),
    "plot": ("plot", "Draw reliability, risk and coverage, and figures as SVG."),
    "tune": ("tune", "Choose the thresholds of the judge on a development split."),
    "calibrate": ("calibrate", "Fit confidence and the limit on false accusations."),
    "latency": ("latency", "Measure retrieval times by source and by class."),
}


@click.group(
    cls=make_lazy_group(__name__, COMMANDS), short_help="Make, run and compare benchmarks; tune the judge."
)
def command() -> None:
    """Make benchmarks, run and compare them, and tune the judge.

    \b
    citeproof bench make citecheck --from works works.jsonl.zst -o physics.jsonl
    citeproof bench run physics.jsonl --snapshot DIR
    citeproof bench compare physics.jsonl --system ours=ours.jsonl --system theirs=theirs.csv
    """

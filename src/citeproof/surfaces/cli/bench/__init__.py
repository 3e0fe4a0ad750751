"""`citeproof bench`: benchmarks made, run, compared; the judge tuned; this installation measured."""

from __future__ import annotations

import click

from citeproof.surfaces.cli.lazy_group import make_lazy_group

# name: (module of this folder, its line in `citeproof bench --help`)
COMMANDS = {
    "make": ("make", "Make a benchmark from real records: CITECHECK's or CiteAudit's recipe."),
    "run": ("run", "Check a benchmark file and print its figures."),
    "compare": ("compare", "Put several systems' answers to one benchmark side by side."),
    "plot": ("plot", "Draw reliability, risk and coverage, and figures as SVG."),
    "tune": ("tune", "Choose the thresholds of the judge on a development split."),
    "calibrate": ("calibrate", "Fit confidence and the promise about false accusations."),
    "selftest": ("selftest", "Spoil references of your own in known ways and count what is caught."),
    "realism": ("realism", "Compare the kinds of errors of a benchmark with those of real ones."),
    "annotate": ("annotate", "Collect two blind labels an item, drop disagreements, draw an audit."),
    "import-natural": ("natural", "Make benchmark items of the references in chat answers."),
    "latency": ("latency", "How long retrieval takes, by source and by class."),
}


@click.group(
    cls=make_lazy_group(__name__, COMMANDS),
    short_help="Measure: benchmarks made, run and compared; the judge tuned.",
)
def command() -> None:
    """Make benchmarks, run and compare them, tune the judge, measure this installation.

    \b
    citeproof bench make citecheck --from works works.jsonl.zst -o physics.jsonl
    citeproof bench run physics.jsonl --snapshot DIR
    citeproof bench selftest refs.bib --snapshot DIR
    """

"""`citeproof bench`: benchmarks made, run, compared; the judge tuned; this installation measured."""

from __future__ import annotations

from importlib import import_module

import click

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


class Group(click.Group):
    """A group that knows the names of its commands and loads only the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's shape
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's shape
        if cmd_name not in COMMANDS:
            return None
        command = import_module(f"citeproof.surfaces.cli.bench.{COMMANDS[cmd_name][0]}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's shape
        with formatter.section("Commands"):
            formatter.write_dl([(name, short) for name, (_, short) in COMMANDS.items()])


@click.group(cls=Group, short_help="Measure: benchmarks made, run and compared; the judge tuned.")
def group() -> None:
    """Make benchmarks, run and compare them, tune the judge, measure this installation.

    \b
    citeproof bench make citecheck --from works works.jsonl.zst -o physics.jsonl
    citeproof bench run physics.jsonl --snapshot DIR
    citeproof bench selftest refs.bib --snapshot DIR
    """

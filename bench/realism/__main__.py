"""Compare the kinds of errors of a benchmark with real ones.

python -m bench.realism FILE --real FILE2 [--by field|kind|edit] [--format text|md|json] [-o OUT]
"""

from __future__ import annotations

import sys
from pathlib import Path

import click
from bench.command_run import run_command
from bench.realism import chisquare
from bench.realism.error_kinds import By, count_errors

from citeproof.answers import serializers
from citeproof.answers.reporters.wording import show_line
from citeproof.errors import InputError
from citeproof.laboratory.measure import result_tables
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import report_output


@click.command("realism")
@click.argument("made", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--real", required=True, type=click.Path(path_type=Path), metavar="FILE2")
@click.option("--by", type=click.Choice(["field", "kind", "edit"]), default="field")
@click.option("--format", "format_", type=click.Choice(["text", "md", "json"]), default="text")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="OUT")
def command(made: Path, *, real: Path, by: By, format_: str, output: Path | None) -> int:
    """Compare the errors of the benchmark FILE with the real errors of FILE2.

    Prints the share of each kind in both, Pearson's chi-square test that the shares are equal, and
    Cramér's V for the size of the difference. Rare kinds are merged. Fields have the same names in all
    files. Kinds and edits can only be compared between files that use the same names.

    \b
    python -m bench.realism made.jsonl --real hallmark.jsonl
    citeproof check chat/*.md --format jsonl > natural.jsonl
    python -m bench.realism made.jsonl --real natural.jsonl --by field
    python -m bench.realism made.jsonl --real counts.csv --by kind --format md
    """
    first, second = count_errors(made, by), count_errors(real, by)
    if not first.counts.keys() & second.counts.keys():
        names = "; ".join(f"{s.name}: {', '.join(sorted(s.counts)[:6])}" for s in (first, second))
        hint = "compare by field, or count in a CSV of kind,count with the words of the other file"
        raise InputError(f"the files have no {by} in common ({show_line(names, 400)})", hint=hint)
    test = chisquare.run_chi_square_test(first.counts, second.counts)
    if test is None:
        hint = "compare files with more errors, or by something finer"
        raise InputError(f"fewer than two kinds are frequent enough to compare by {by}", hint=hint)
    with report_output.open_destination(output, text=format_ == "text") as write:
        if format_ == "json":
            write(serializers.dump_pretty(chisquare.build_realism_json(test, first, second, by)) + "\n")
        else:
            table = chisquare.build_realism_table(test, first, second, by)
            lines = chisquare.describe_realism(test, first, second, by)
            write(result_tables.format_figures([table], lines, format_))
    return Exit.CLEAN


if __name__ == "__main__":
    sys.exit(run_command(command))

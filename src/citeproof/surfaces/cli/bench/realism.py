"""`citeproof bench realism`: the kinds of errors of a benchmark beside those of real ones."""

from __future__ import annotations

from pathlib import Path

import click

from citeproof import serial
from citeproof.errors import InputError
from citeproof.measure import tables
from citeproof.measure.latency import shown as aligned
from citeproof.measure.realism import chisquare, shown
from citeproof.measure.realism.kinds import By, errors
from citeproof.reporters.words import line
from citeproof.surfaces.cli import writing
from citeproof.surfaces.exits import Exit


@click.command("realism", short_help="Compare the kinds of errors of a benchmark with those of real ones.")
@click.argument("made", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "--real", required=True, type=click.Path(path_type=Path), metavar="FILE2",
    help="Real errors: HALLMARK, answers of `citeproof check --format jsonl`, or a CSV of kind,count.",
)  # fmt: skip
@click.option(
    "--by", type=click.Choice(["field", "kind", "edit"]), default="field", show_default=True,
    help="What is counted: fields that are wrong, kinds of error, or single edits.",
)  # fmt: skip
@click.option(
    "--format", "format_", type=click.Choice(["text", "md", "json"]), default="text", show_default=True,
    help="Format of the figures.",
)  # fmt: skip
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="OUT", help="Write the figures to this file."
)
def command(made: Path, *, real: Path, by: By, format_: str, output: Path | None) -> int:
    """Compare the errors of the benchmark FILE with the real ones of FILE2.

    Prints the share of each kind in both, Pearson's chi-square test that the shares are equal, and
    Cramér's V for how far apart they are; rare kinds are taken together. Fields have the same names in
    all files; kinds and edits are only comparable between files that use the same words for them.

    \b
    citeproof bench realism made.jsonl --real hallmark.jsonl
    citeproof check chat/*.md --format jsonl > natural.jsonl
    citeproof bench realism made.jsonl --real natural.jsonl --by field
    citeproof bench realism made.jsonl --real counts.csv --by kind --format md
    """
    first, second = errors(made, by), errors(real, by)
    if not first.counts.keys() & second.counts.keys():
        names = "; ".join(f"{one.name}: {', '.join(sorted(one.counts)[:6])}" for one in (first, second))
        mend = "compare by field, or count in a CSV of kind,count with the words of the other file"
        raise InputError(f"the files have no {by} in common ({line(names, 400)})", mend=mend)
    test = chisquare.test(first.counts, second.counts)
    if test is None:
        mend = "compare files with more errors, or by something finer"
        raise InputError(f"fewer than two kinds are frequent enough to compare by {by}", mend=mend)
    with writing.destination(output, text=format_ == "text") as write:
        if format_ == "json":
            write(serial.pretty(shown.as_json(test, first, second, by)) + "\n")
        else:
            table = shown.table(test, first, second, by)
            told = [line(text, 400) for text in shown.words(test, first, second, by)]
            markdown = tables.markdown([table]) + "\n" + "".join(f"- {text}\n" for text in told)
            write(markdown if format_ == "md" else aligned([table]) + "\n\n" + "\n".join(told) + "\n")
    return Exit.CLEAN

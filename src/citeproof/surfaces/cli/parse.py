"""`citeproof parse`: citation strings to fields."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import click

from citeproof.errors import InputError
from citeproof.parse import parse
from citeproof.surfaces.cli import entries, writing
from citeproof.surfaces.exits import Exit
from citeproof.vocabulary import Place, RawReference, Reference

MAX_LINE = 1_000_000  # bytes of one string; a reference has a few hundred


@click.command(short_help="Take citation strings apart into fields.")
@click.argument("strings", nargs=-1, metavar="[STRING…]")
@click.option(
    "--format",
    "form",
    type=click.Choice(entries.FORMATS),
    default="text",
    show_default=True,
    help="text for people, jsonl one string a line, json an array; bibtex, csl, ris for other programs.",
)
def command(strings: Sequence[str], form: str) -> int:
    """Take each STRING apart into fields; without one, each line of standard input.

    Identifiers and dates are found by rule, the rest by a trained tagger; how sure each field is
    stands beside it. Empty lines are passed over.

    \b
    citeproof parse "LeCun, Y. et al. Deep learning. Nature 521, 436–444 (2015)."
    citeproof parse --format jsonl < strings.txt
    citeproof parse --format bibtex < strings.txt > refs.bib
    """
    count = 0

    def parsed() -> Iterator[Reference]:
        nonlocal count
        for count, (line, string) in enumerate(_given(strings), 1):
            yield parse(RawReference(f"ref-{count}", string, Place(line=line)))

    with writing.destination(None, text=form == "text") as write:
        for chunk in entries.written(parsed(), form):
            write(chunk)
    if count:
        return Exit.CLEAN
    print("nothing to parse: no string was given", file=sys.stderr)
    return Exit.NOTHING


def _given(strings: Sequence[str]) -> Iterator[tuple[int | None, str]]:
    """Yield (line, string): the arguments, or the lines of standard input as they come."""
    if strings:
        yield from ((None, string) for string in strings if string.strip())
        return
    if sys.stdin.isatty():
        print("reading citation strings from the terminal, one a line; end with Ctrl-D", file=sys.stderr)
    number = 0
    while data := sys.stdin.buffer.readline(MAX_LINE + 1):
        number += 1
        if len(data) > MAX_LINE or b"\0" in data:
            what = "holds a NUL byte" if b"\0" in data else f"has more than {MAX_LINE:,} bytes"
            raise InputError(f"line {number} {what}", place="<stdin>", mend="give one citation string a line")
        text = data.decode("utf-8-sig" if number == 1 else "utf-8", "replace").strip()
        if text:
            yield number, text

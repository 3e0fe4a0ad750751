"""`citeproof parse`: citation strings to fields."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

import click

from citeproof.errors import InputError
from citeproof.reading.parse import parse_all
from citeproof.service import reference_formats
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import command_options, report_output
from citeproof.vocabulary import Place, RawReference, Reference

if TYPE_CHECKING:
    from io import BufferedReader

MAX_LINE = 1_000_000  # bytes of one string; a reference has a few hundred
BLOCK = 65_536  # bytes of standard input read at a time

Given = tuple[int | None, str]  # its line on standard input, the string


@click.command(short_help="Parse citation strings into fields.")
@click.argument("strings", nargs=-1, metavar="[STRING…]")
@command_options.add_options("parse", reference_formats=reference_formats.FORMATS)
def command(strings: Sequence[str], form: str) -> int:
    """Parse each STRING into fields; without one, or with -, each line of standard input.

    Rules find identifiers and dates; a trained tagger finds the rest. Each field is printed with its
    confidence. Empty lines are skipped.

    \b
    citeproof parse "LeCun, Y. et al. Deep learning. Nature 521, 436–444 (2015)."
    citeproof parse --format jsonl < strings.txt
    citeproof parse --format bibtex < strings.txt > refs.bib
    """
    count = 0

    def parsed() -> Iterator[Reference]:
        nonlocal count
        for block in _read_strings(strings):
            raws = [
                RawReference(f"ref-{n}", text, Place(line=line))
                for n, (line, text) in enumerate(block, count + 1)
            ]
            count += len(raws)
            yield from parse_all(raws)

    with report_output.open_destination(None, text=form == "text") as write:
        for chunk in reference_formats.format_references(parsed(), form):
            write(chunk)
    if count:
        return Exit.CLEAN
    print("nothing to parse: no string was given", file=sys.stderr)
    return Exit.NOTHING


def _read_strings(strings: Sequence[str]) -> Iterator[list[Given]]:
    """Yield strings with their lines: the arguments, or what standard input holds, block by block."""
    if strings and [*strings] != ["-"]:
        yield [(None, string) for string in strings if string.strip()]
        return
    if sys.stdin.isatty():
        print("reading citation strings from the terminal, one a line; end with Ctrl-D", file=sys.stderr)
    file = cast("BufferedReader", sys.stdin.buffer)
    number, rest = 1, b""
    while data := file.read1(BLOCK):  # no more than is there, so that a line is answered when it comes
        *lines, rest = (rest + data).split(b"\n")
        yield from _decode_lines(lines, number)
        number += len(lines)
        if len(rest) > MAX_LINE:
            break
    yield from _decode_lines([rest], number)


def _decode_lines(lines: list[bytes], number: int) -> Iterator[list[Given]]:
    """Yield the strings of lines, of which the first is line `number`; those before one that is not text."""
    inputs: list[Given] = []
    for line, data in enumerate(lines, number):
        if len(data) > MAX_LINE or b"\0" in data:
            yield inputs
            what = "holds a NUL byte" if b"\0" in data else f"has more than {MAX_LINE:,} bytes"
            raise InputError(f"line {line} {what}", place="<stdin>", hint="give one citation string a line")
        text = data.decode("utf-8-sig" if line == 1 else "utf-8", "replace").strip()
        if text:
            inputs.append((line, text))
    yield inputs

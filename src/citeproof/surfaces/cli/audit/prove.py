"""`citeproof audit prove`: a receipt for one reference or event."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from citeproof.audit import proving, reading
from citeproof.audit.receipt import ReceiptError
from citeproof.errors import UsageError
from citeproof.reporters.words import line
from citeproof.surfaces.exits import Exit


@click.command(short_help="Write a receipt that one reference stands in the log.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("what", metavar="RUN/N|SEQ|KEY")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write it there.")
@click.option("--open", "open_", is_flag=True, help="Put in what the event commits to: your own text.")
def command(folder: Path, what: str, *, output: Path | None, open_: bool) -> int:
    """Write a receipt: one event, the way to the signed root, and the signature.

    The event is the verdict on reference N of RUN, the event with the number SEQ, or the verdict on the
    reference with the citation KEY. Whoever has the receipt and the log's public key can check it without the
    log: with `citeproof audit check-receipt`, or any tool that reads c2sp.org/tlog-proof.

    \b
    citeproof audit prove audit h_abc123/3 -o third.tlog-proof
    citeproof audit prove audit 1044 --open > event.tlog-proof
    citeproof audit prove audit smith2020 -o smith.tlog-proof

    Without --open the receipt shows no more than the log does.

    \b
    Exit codes: 0 written, 1 the log does not prove it, 2 wrong usage, 3 no such event,
    5 the log cannot be read.
    """
    if not reading.present(folder):
        print(f"there is no audit log in {line(str(folder))}", file=sys.stderr)
        return Exit.NOTHING
    found = proving.find(folder, what)
    if not found:
        print(f"the log has no verdict for {line(what)}", file=sys.stderr)
        return Exit.NOTHING
    if len(found) > 1:
        others = ", ".join(map(str, found[:-1]))
        print(f"{len(found)} verdicts fit; this is the last, the others are events {others}", file=sys.stderr)
    try:
        made = proving.prove(folder, found[-1], open_=open_).format()
    except ReceiptError as error:
        mend = "`citeproof audit verify` tells what was changed"
        print(
            f"the log does not prove event {found[-1]}: {line(error.message)}\n  mend: {mend}",
            file=sys.stderr,
        )
        return Exit.PROBLEMS
    _write(made, output)
    return Exit.CLEAN


def _write(made: bytes, output: Path | None) -> None:
    if output is None:
        sys.stdout.buffer.write(made)
        sys.stdout.buffer.flush()
        return
    try:
        output.write_bytes(made)
    except OSError as error:
        mend = "check that the folder exists and can be written to"
        raise UsageError(f"cannot write: {error.strerror}", place=str(output), mend=mend) from error
    print(f"wrote {line(str(output))}", file=sys.stderr)

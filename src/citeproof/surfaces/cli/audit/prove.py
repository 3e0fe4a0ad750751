"""`citeproof audit prove`: a receipt for one reference or event."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from citeproof.answers.reporters.wording import show_line
from citeproof.errors import NothingFoundError, UsageError
from citeproof.plumbing.output_files import write_file
from citeproof.proof.audit import event_proof
from citeproof.proof.audit.receipt import Receipt, ReceiptError
from citeproof.proof.audit.verify.log_problems import format_count
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import command_options
from citeproof.surfaces.cli.audit import log_argument

MOST = 20  # events that are named where several fit


@click.command(short_help="Write a receipt that proves one reference is in the log.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("what", metavar="RUN/N|SEQ|KEY")
@command_options.add_options("audit prove")
def command(folder: Path, what: str, *, output: Path | None, open_: bool) -> int:
    """Write a receipt: one event, its inclusion proof, and the signed checkpoint.

    The event is the verdict on reference N of RUN, the event with the number SEQ, or the verdict on the
    reference with the citation KEY. Anyone with the receipt and the log's public key can check it
    without the log: use `citeproof audit check-receipt` or any tool that reads c2sp.org/tlog-proof.

    \b
    citeproof audit prove audit h_abc123/3 -o third.tlog-proof
    citeproof audit prove audit 1044 --open > event.tlog-proof
    citeproof audit prove audit smith2020 -o smith.tlog-proof

    Without --open, the receipt shows no more than the log does. If several verdicts match, their numbers
    are printed; choose one of them.

    \b
    Exit codes: 0 written, 1 the log does not prove it, 2 wrong usage, 3 no such event,
    4 written, but what --open asks for is no longer kept, 5 the log cannot be read.
    """
    log_argument.check_log(folder)
    numbers = event_proof.find_events(folder, what)
    if not numbers:
        hint = f"list the runs with `citeproof audit show {folder}`"
        raise NothingFoundError(f"the log has no verdict for {what}", hint=hint)
    if len(numbers) > 1:
        raise _make_choice_error(folder, what, numbers)
    try:
        made = event_proof.prove_event(folder, numbers[0], open_=open_)
    except ReceiptError as error:
        hint = "run `citeproof audit verify` to see what was changed"
        message = (
            f"error: the log does not prove event {numbers[0]}: {show_line(error.message)}\n  hint: {hint}"
        )
        print(message, file=sys.stderr)
        return Exit.PROBLEMS
    _write_receipt(made.format(), output)
    return _warn_of_closed_values(made) if open_ else Exit.CLEAN


def _make_choice_error(folder: Path, what: str, numbers: list[int]) -> UsageError:
    """Return the error that lists the matching events and how to choose one."""
    named = ", ".join(map(str, numbers[:MOST])) + (", …" if len(numbers) > MOST else "")
    hint = f"choose one by its number: `citeproof audit prove {folder} {numbers[-1]}` for the latest"
    return UsageError(f"{len(numbers)} verdicts match, events {named}", place=what, hint=hint)


def _warn_of_closed_values(made: Receipt) -> Exit:
    """Return the exit code, after a warning about values that can no longer be opened."""
    proved = event_proof.check_receipt(made.format())
    named = event_proof.list_commitments(proved.event)
    left = len(named) - len(proved.opened)
    if named and not left:
        return Exit.CLEAN
    some = (
        f"{format_count(left, 'value')} of {len(named)} could not be" if proved.opened else "nothing could be"
    )
    why = "erased, or not kept here" if named else "the event commits to nothing"
    print(f"warning: {some} opened ({why}); the receipt shows no more than the log does", file=sys.stderr)
    return Exit.UNCHECKED if named else Exit.CLEAN


def _write_receipt(made: bytes, output: Path | None) -> None:
    if output is None:
        sys.stdout.buffer.write(made)
        sys.stdout.buffer.flush()
        return
    write_file(output, made)
    print(f"wrote {show_line(str(output))}", file=sys.stderr)

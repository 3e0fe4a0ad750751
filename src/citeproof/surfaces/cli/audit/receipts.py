"""`citeproof audit prove` and `check-receipt`: a receipt for one event, and what it proves."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from citeproof.answers import serializers
from citeproof.answers.reporters.wording import show_line
from citeproof.errors import NothingFoundError, UsageError, format_count
from citeproof.plumbing.output_files import write_file
from citeproof.proof.audit import event_proof
from citeproof.proof.audit.event_proof import LARGEST_RECEIPT, ProvedEvent, Receipt, ReceiptError
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import command_options
from citeproof.surfaces.cli.audit import log_argument
from citeproof.surfaces.cli.audit.verify import format_cosign_time

MOST = 20  # events that are named where several fit


@click.command("prove", short_help="Write a receipt that proves one reference is in the log.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("what", metavar="RUN/N|SEQ|KEY")
@command_options.add_options("audit prove")
def prove_command(folder: Path, what: str, *, output: Path | None, open_: bool) -> int:
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
    why = "erased, or not stored here" if named else "the event commits to nothing"
    print(f"warning: {some} opened ({why}); the receipt shows no more than the log does", file=sys.stderr)
    return Exit.UNCHECKED if named else Exit.CLEAN


def _write_receipt(made: bytes, output: Path | None) -> None:
    if output is None:
        sys.stdout.buffer.write(made)
        sys.stdout.buffer.flush()
        return
    write_file(output, made)
    print(f"wrote {show_line(str(output))}", file=sys.stderr)


_SHOWN = 2000  # characters of a value


@click.command("check-receipt", short_help="Check a receipt without the log.")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@command_options.add_options("audit check-receipt")
def check_receipt_command(file: Path, *, keys: tuple[str, ...], form: str) -> int:
    """Check the receipt in FILE and print what it proves. Needs no log and no network.

    \b
    citeproof audit check-receipt third.tlog-proof --key example.org/log+530d903a+AekyeRrm…

    Get the key from the log's owner, a web page or a witness, not from the sender of the receipt.
    Without --key, only the consistency of event, proof and checkpoint is checked. Anyone can make a
    consistent receipt.

    \b
    Exit codes: 0 valid (without --key: consistent, with a warning), 1 not valid, 2 wrong usage.
    """
    given = log_argument.parse_keys(keys)
    try:
        proved = event_proof.check_receipt(_read_receipt(file), given)
    except ReceiptError as error:
        print(f"✗ {show_line(str(file))}: {show_line(error.message)}")
        print("the receipt is not valid")
        return Exit.PROBLEMS
    if form == "json":
        print(serializers.dump_pretty(_build_receipt_json(proved)))
    else:
        for text in _describe_receipt(proved):
            print(text)
    if not proved.signed:
        names = ", ".join(show_line(name) for name in proved.signers)
        print(f"warning: signed by a key you did not give ({names}): give --key", file=sys.stderr)
    return Exit.CLEAN


def _read_receipt(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            return stream.read(LARGEST_RECEIPT + 1)
    except OSError as error:
        hint = "name a file that `citeproof audit prove` wrote"
        raise UsageError(f"cannot be read: {error.strerror}", place=str(file), hint=hint) from error


def _describe_receipt(receipt: ProvedEvent) -> Iterator[str]:
    """Yield what the receipt proves, one thing a line; the log's text is hostile."""
    event, now = receipt.event, receipt.checkpoint
    events = format_count(now.size, "event")
    proved = "proved" if receipt.signed else "consistent, but the signature was not checked"
    yield f"{proved}: this is event {receipt.seq} of the log {show_line(now.origin)} when it had {events}"
    yield f"root     {now.root.hex()}"
    for key in receipt.signed:
        if event_proof.is_log_key(key):
            yield f"signed   by {show_line(key.name)}, key {key.id.hex()}"
    for name, when in receipt.times:
        yield f"cosigned by the witness {show_line(name)} at {format_cosign_time(when)}"
    yield (
        f"event    {show_line(str(event.get('ev')))}, run {show_line(str(event.get('run')))}, "
        f"{_describe_event(event)}"
    )
    yield f"logged   {show_line(str(event.get('ts')))}, by the clock of the log"
    yield f"in clear {show_line(receipt.entry.decode('utf-8', 'replace'), _SHOWN)}"
    for commitment, data in receipt.opened.items():
        yield f"opened   {commitment[:16]}…: {show_line(data.decode('utf-8', 'replace'), _SHOWN)}"
    left = len(event_proof.list_commitments(event)) - len(receipt.opened)
    if left:
        values, be = format_count(left, "value"), "is" if left == 1 else "are"
        yield f"closed   {values} that the event commits to {be} not shown"


def _describe_event(event: dict[str, object]) -> str:
    parts = [f"{name} {event[name]}" for name in ("ref", "verdict", "label", "doi") if event.get(name)]
    return show_line(", ".join(parts)) or "about the log itself"


def _build_receipt_json(proved: ProvedEvent) -> dict[str, object]:
    return {
        "origin": proved.checkpoint.origin,
        "size": proved.checkpoint.size,
        "root": proved.checkpoint.root.hex(),
        "seq": proved.seq,
        "signed": [key.text for key in proved.signed],
        "cosigned": [{"name": name, "time": when} for name, when in proved.times],
        "event": proved.event,
        "opened": {name: data.decode("utf-8", "replace") for name, data in proved.opened.items()},
    }

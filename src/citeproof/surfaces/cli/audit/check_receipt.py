"""`citeproof audit check-receipt`: what a receipt proves, in plain words."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from citeproof.answers import serializers
from citeproof.answers.reporters.wording import show_line
from citeproof.errors import UsageError
from citeproof.proof.audit import event_proof
from citeproof.proof.audit.event_proof import ProvedEvent
from citeproof.proof.audit.receipt import LARGEST, ReceiptError
from citeproof.proof.audit.verify.log_problems import format_count
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import command_options
from citeproof.surfaces.cli.audit import log_argument
from citeproof.surfaces.cli.audit.verify import format_cosign_time

_SHOWN = 2000  # characters of a value


@click.command(short_help="Check a receipt without the log.")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@command_options.add_options("audit check-receipt")
def command(file: Path, *, keys: tuple[str, ...], form: str) -> int:
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
            return stream.read(LARGEST + 1)
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

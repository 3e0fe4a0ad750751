"""`citeproof audit check-receipt`: what a receipt proves, in plain words."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import click

from citeproof import serial
from citeproof.audit import proving
from citeproof.audit.looking.findings import plural
from citeproof.audit.proving import Proved
from citeproof.audit.receipt import LARGEST, ReceiptError
from citeproof.errors import UsageError
from citeproof.reporters.words import line
from citeproof.surfaces.cli.audit import keyed
from citeproof.surfaces.exits import Exit

_SHOWN = 2000  # characters of a value


@click.command(short_help="Check a receipt, without the log.")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@keyed.option
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(file: Path, *, keys: tuple[str, ...], form: str) -> int:
    """Check the receipt in FILE and say what it proves. Needs neither the log nor the network.

    \b
    citeproof audit check-receipt third.tlog-proof --key example.org/log+530d903a+AekyeRrm…

    The key must come from somewhere else than the receipt: from the log's owner, a web page, a witness.
    Without --key it is only checked that the event, the way and the checkpoint fit each other, which
    anybody can make.

    \b
    Exit codes: 0 it holds (without --key: it fits, with a warning), 1 it does not, 2 wrong usage.
    """
    given = keyed.parsed(keys)
    try:
        found = proving.check(_read(file), given)
    except ReceiptError as error:
        print(f"✗ {line(str(file))}: {line(error.message)}")
        print("the receipt does not hold")
        return Exit.PROBLEMS
    if form == "json":
        print(serial.pretty(_plain(found)))
    else:
        for text in _told(found):
            print(text)
    if not found.signed:
        names = ", ".join(line(name) for name in found.signers)
        print(f"warning: signed by a key you did not name ({names}): give --key", file=sys.stderr)
    return Exit.CLEAN


def _read(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            return stream.read(LARGEST + 1)
    except OSError as error:
        mend = "name a file that `citeproof audit prove` wrote"
        raise UsageError(f"cannot be read: {error.strerror}", place=str(file), mend=mend) from error


def _told(found: Proved) -> Iterator[str]:
    """Yield what the receipt proves, one thing a line; the log's text is hostile."""
    event, now = found.event, found.checkpoint
    events = plural(now.size, "event")
    proved = "proved" if found.signed else "fits, unsigned as far as you know"
    yield f"{proved}: this is event {found.seq} of the log {line(now.origin)} when it had {events}"
    yield f"root     {now.root.hex()}"
    for key in found.signed:
        if proving.is_log_key(key):
            yield f"signed   by {line(key.name)}, key {key.id.hex()}"
    for name, when in found.times:
        yield f"cosigned by the witness {line(name)} at {_time(when)}"
    yield f"event    {line(str(event.get('ev')))}, run {line(str(event.get('run')))}, {_words(event)}"
    yield f"logged   {line(str(event.get('ts')))}, by the clock of the log"
    yield f"in clear {line(found.entry.decode('utf-8', 'replace'), _SHOWN)}"
    for commitment, data in found.opened.items():
        yield f"opened   {commitment[:16]}…: {line(data.decode('utf-8', 'replace'), _SHOWN)}"
    left = len(proving.commitments(event)) - len(found.opened)
    if left:
        values, be = plural(left, "value"), "is" if left == 1 else "are"
        yield f"closed   {values} that the event commits to {be} not shown"


def _words(event: dict[str, object]) -> str:
    parts = [f"{name} {event[name]}" for name in ("ref", "verdict", "label", "doi") if event.get(name)]
    return line(", ".join(parts)) or "about the log itself"


def _time(when: int) -> str:
    with suppress(ValueError, OverflowError, OSError):
        return f"{datetime.fromtimestamp(when, UTC):%Y-%m-%dT%H:%M:%SZ}"
    return f"{when} seconds after 1970"


def _plain(found: Proved) -> dict[str, object]:
    return {
        "origin": found.checkpoint.origin,
        "size": found.checkpoint.size,
        "root": found.checkpoint.root.hex(),
        "seq": found.seq,
        "signed": [key.text for key in found.signed],
        "cosigned": [{"name": name, "time": when} for name, when in found.times],
        "event": found.event,
        "opened": {name: data.decode("utf-8", "replace") for name, data in found.opened.items()},
    }

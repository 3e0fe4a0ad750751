"""`citeproof audit rotate`: this log closed, another one begun in its place and tied to it."""

from __future__ import annotations

from pathlib import Path

import click

from citeproof import settings
from citeproof.answers.reporters.wording import show_line
from citeproof.proof.audit.log_setup import make_anchors
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import command_options
from citeproof.surfaces.cli.audit import log_argument


@click.command("rotate", short_help="Close this log and start a new one linked to it.")
@log_argument.argument
@command_options.add_options("audit rotate")
def command(folder: Path | None, *, origin: str | None) -> int:
    """Close the log in DIR and start a new one with a new key. Its first entry names the old root.

    The old log is signed, anchored and moved to DIR/closed with its evidence and sidecar. It stays
    verifiable there. The command does nothing while a run is being written. Keys and files in DIR that do
    not belong to the log are not moved.

    \b
    citeproof audit rotate audit
    citeproof audit verify audit/closed/main-20261115T120000
    """
    chosen = settings.load()
    log = log_argument.open_log(folder, chosen)
    with log:
        closed = log.rotate(make_anchors(chosen, log.folder, log.clock), origin)
        print(f"closed: {show_line(str(closed))}")
        print(f"new log: {show_line(log.key.text)}")
    return Exit.CLEAN

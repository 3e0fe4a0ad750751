"""`citeproof audit commit`: the log signed and anchored as it is; for cron or a systemd timer."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

import click

from citeproof import settings
from citeproof.answers.reporters.wording import show_line
from citeproof.plumbing.signed_note import open_note
from citeproof.plumbing.stores.private_store import PrivateStore
from citeproof.proof.audit import erasure
from citeproof.proof.audit.log_checkpoint import parse_checkpoint
from citeproof.proof.audit.log_setup import make_anchors
from citeproof.proof.audit.run_lock import RunLock
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import command_options
from citeproof.surfaces.cli.audit import log_argument


@click.command("commit", short_help="Sign and anchor the log now, for example from a timer.")
@log_argument.argument
@command_options.add_options("audit commit")
def command(folder: Path | None, *, run: str) -> int:
    """Sign everything logged in DIR, send the checkpoint to the anchors, and log their answers.

    A run does this every hour and at its end. Use a timer to cover runs that were killed. The command does
    nothing if nothing was logged since the last commit and every anchor accepted that commit.

    \b
    0 * * * *  citeproof audit commit /var/lib/citeproof/audit

    \b
    Exit codes: 0 signed and anchored, or nothing new, 2 wrong usage, 3 no log there,
    4 an anchor failed (the log is signed), 5 the log cannot be written.
    """
    chosen = settings.load()
    log = log_argument.open_log(folder, chosen)
    with log, RunLock(log.folder), closing(PrivateStore(log.folder)) as private:
        erasure.finish_erasures(log, private)  # what was not erased because of a crash
        anchors = make_anchors(chosen, log.folder, log.clock)
        done = None if log.is_committed(anchors) else log.commit(run, anchors)
        signed = parse_checkpoint(open_note(done.checkpoint if done else log.integrate(), [log.key]).text)
    root = f"root {signed.root.hex()[:8]}…{signed.root.hex()[-4:]}"
    if done is None:
        print(
            f"{show_line(signed.origin)}: nothing new since the last commit: {signed.size:,} entries, {root}"
        )
        return Exit.CLEAN
    print(f"{show_line(signed.origin)}: {signed.size:,} entries signed, {root}")
    for outcome in done.outcomes:
        if outcome.ok:
            print(f"  {show_line(outcome.name)}: {show_line(outcome.place)}")
        else:
            print(
                f"warning: {show_line(f'{outcome.name}: {outcome.detail or outcome.place}')}", file=sys.stderr
            )
    return Exit.CLEAN if all(outcome.ok for outcome in done.outcomes) else Exit.UNCHECKED

"""`citeproof audit`: the log verified, proved, shown, replayed, exported; its keys; what may be erased."""

from __future__ import annotations

import click

from citeproof.surfaces.cli.main import make_lazy_group

# name: (module of this folder, its line in `citeproof audit --help`)
COMMANDS = {
    "verify": ("verify", "Verify a log from its files and a public key."),
    "show": ("show", "Show runs, and what happened to each reference."),
    "prove": ("receipts:prove_command", "Write a receipt that proves one reference is in the log."),
    "check-receipt": ("receipts:check_receipt_command", "Check a receipt without the log."),
    "replay": ("replay", "Judge a recorded run again from its evidence."),
    "export": ("export", "Write an archive that anyone can verify."),
    "commit": ("log_upkeep:commit_command", "Sign and anchor the log now, for example from a timer."),
    "observe": ("log_upkeep:observe_command", "Record the checkpoint of another log in this one."),
    "redact": ("erasure_commands:redact_command", "Erase private text; the log stays verifiable."),
    "prune": ("erasure_commands:prune_command", "Delete evidence older than the retention time."),
    "rotate": ("log_upkeep:rotate_command", "Close this log and start a new one linked to it."),
    "keygen": ("log_upkeep:keygen_command", "Make a key pair for a log."),
}


@click.group(
    cls=make_lazy_group(__name__, COMMANDS), short_help="Verify, show, export and replay the audit log."
)
def command() -> None:
    """Verify, show, prove and replay what `--audit DIR` (or CITEPROOF_AUDIT_DIR) logged.

    \b
    citeproof check refs.bib --audit DIR
    citeproof audit verify DIR
    citeproof audit show DIR
    citeproof audit prove DIR RUN/3 -o third.tlog-proof
    citeproof audit replay DIR RUN

    \b
    Exit codes: 0 sound, 1 tampering or drift found, 2 wrong usage, 3 nothing there,
    4 something could not be checked, 5 the log cannot be written.
    """

"""The log that a command is to write to, by its argument or the settings."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from citeproof.audit import log_state
from citeproof.audit.audit_log import AuditLog
from citeproof.audit.key_store import KeyStore
from citeproof.clock import SystemClock
from citeproof.errors import UsageError
from citeproof.reporters.wording import show_line
from citeproof.settings import Settings

argument = click.argument("folder", metavar="[DIR]", type=click.Path(path_type=Path), required=False)


def open_log(folder: Path | None, chosen: Settings) -> AuditLog | None:
    """Return the open log; None, with a message, if there is none."""
    folder = folder or chosen.audit_dir
    if folder is None:
        raise UsageError(
            "no audit log given", place="DIR", hint="name its folder, or set CITEPROOF_AUDIT_DIR"
        )
    if not (folder / log_state.HEAD).exists() and not (folder / log_state.ROTATING).exists():
        what = "is a file, not a folder" if folder.is_file() else "this folder has no audit log"
        print(f"error: {show_line(str(folder))}: {what}\n  hint: name the folder of a log", file=sys.stderr)
        return None
    return AuditLog.open(folder, SystemClock(), KeyStore(chosen.audit_keys), every=chosen.audit_every)

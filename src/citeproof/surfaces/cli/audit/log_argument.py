"""The log that a command is to write to, by its argument or the settings."""

from __future__ import annotations

from pathlib import Path

import click

from citeproof.audit import log_reader, log_state
from citeproof.audit.audit_log import AuditLog
from citeproof.audit.key_store import KeyStore
from citeproof.clock import SystemClock
from citeproof.errors import NothingFoundError, UsageError
from citeproof.settings import Settings

argument = click.argument("folder", metavar="[DIR]", type=click.Path(path_type=Path), required=False)


def check_log(folder: Path) -> None:
    """Raise a NothingFoundError where there is no log to read."""
    if not log_reader.has_log(folder):
        raise NothingFoundError(f"no audit log in {folder}", hint="name the folder of a log")


def open_log(folder: Path | None, chosen: Settings) -> AuditLog:
    """Return the log, open to be written."""
    folder = folder or chosen.audit_dir
    if folder is None:
        raise UsageError(
            "no audit log given", place="DIR", hint="name its folder, or set CITEPROOF_AUDIT_DIR"
        )
    if not (folder / log_state.HEAD).exists() and not (folder / log_state.ROTATING).exists():
        what = "is a file, not a folder" if folder.is_file() else "this folder has no audit log"
        raise NothingFoundError(what, place=str(folder), hint="name the folder of a log")
    return AuditLog.open(folder, SystemClock(), KeyStore(chosen.audit_keys), every=chosen.audit_every)

"""The log that a command is to write to, by its argument or the settings."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from citeproof.audit import state
from citeproof.audit.keys import KeyStore
from citeproof.audit.log import Log
from citeproof.clock import SystemClock
from citeproof.errors import UsageError
from citeproof.reporters.words import line
from citeproof.settings import Settings

argument = click.argument("folder", metavar="[DIR]", type=click.Path(path_type=Path), required=False)


def log_of(folder: Path | None, chosen: Settings) -> Log | None:
    """Return the log, open; None, which is told, where there is none."""
    folder = folder or chosen.audit_dir
    if folder is None:
        raise UsageError("which log?", place="DIR", mend="name its folder, or set CITEPROOF_AUDIT_DIR")
    if not (folder / state.HEAD).exists() and not (folder / state.ROTATING).exists():
        what = "is a file, not a folder" if folder.is_file() else "there is no audit log here"
        print(f"error: {line(str(folder))}: {what}\n  hint: name the folder of a log", file=sys.stderr)
        return None
    return Log.open(folder, SystemClock(), KeyStore(chosen.audit_keys), every=chosen.audit_every)

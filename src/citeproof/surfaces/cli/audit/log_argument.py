"""What commands take alike: the log, by its argument or the settings, and the public keys they trust."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from citeproof.errors import NothingFoundError, UsageError
from citeproof.plumbing.clock import SystemClock
from citeproof.plumbing.signed_note import NoteError, VerifierKey
from citeproof.proof.audit import log_reader, log_state
from citeproof.proof.audit.audit_log import AuditLog
from citeproof.proof.audit.key_store import KeyStore
from citeproof.settings import Settings

MOST = 100_000  # bytes of a file of keys

argument = click.argument("folder", metavar="[DIR]", type=click.Path(path_type=Path), required=False)


def check_log(folder: Path) -> None:
    """Raise a NothingFoundError where there is no log to read."""
    if not log_reader.has_log(folder):
        raise NothingFoundError(f"no audit log in {folder}", hint="name the folder of a log")


def choose_folder(folder: Path | None, chosen: Settings) -> Path:
    """Return the folder of the log that is named, else that of the settings."""
    if found := folder or chosen.audit_dir:
        return found
    raise UsageError("no audit log given", place="DIR", hint="name its folder, or set CITEPROOF_AUDIT_DIR")


def open_log(folder: Path | None, chosen: Settings) -> AuditLog:
    """Return the log, open to be written."""
    folder = choose_folder(folder, chosen)
    if not (folder / log_state.HEAD).exists() and not (folder / log_state.ROTATING).exists():
        what = "is a file, not a folder" if folder.is_file() else "this folder has no audit log"
        raise NothingFoundError(what, place=str(folder), hint="name the folder of a log")
    return AuditLog.open(folder, SystemClock(), KeyStore(chosen.audit_keys), every=chosen.audit_every)


def parse_keys(texts: Sequence[str]) -> list[VerifierKey]:
    """Return the keys that flags name; UsageError for what is not one."""
    return [key for text in texts for key in _parse_key_text(text)]


def _parse_key_text(text: str) -> list[VerifierKey]:
    path = Path(text)
    try:
        is_file = path.is_file()
    except (OSError, ValueError):
        is_file = False
    lines = _read_key_lines(path) if is_file else [text]
    try:
        return [VerifierKey.parse(line) for line in lines]
    except NoteError as error:
        hint = "write name+8 hex digits+base64, as `citeproof audit keygen` prints it, or name a file of keys"
        raise UsageError(error.message, place=f"--key {text[:60]}", hint=hint) from error


def _read_key_lines(path: Path) -> list[str]:
    with path.open("rb") as file:
        text = file.read(MOST).decode("utf-8", "replace")
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]

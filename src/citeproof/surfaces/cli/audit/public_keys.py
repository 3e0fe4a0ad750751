"""The public keys that a command trusts, from text or from files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from citeproof.audit.signed_note import NoteError, VerifierKey
from citeproof.errors import UsageError

MOST = 100_000  # bytes of a file of keys

option = click.option(
    "--key", "keys", multiple=True, metavar="VKEY|FILE",
    help="Public key of the log, or of a witness; or a file with such keys, one per line. Repeatable.",
)  # fmt: skip


def parse_keys(texts: Sequence[str]) -> list[VerifierKey]:
    """Return the keys that flags name; UsageError for what is not one."""
    return [key for text in texts for key in _parse_key_text(text)]


def _parse_key_text(text: str) -> list[VerifierKey]:
    path = Path(text)
    try:
        is_file = path.is_file()
    except (OSError, ValueError):
        is_file = False
    found = _read_key_lines(path) if is_file else [text]
    try:
        return [VerifierKey.parse(line) for line in found]
    except NoteError as error:
        hint = "write name+8 hex digits+base64, as `citeproof audit keygen` prints it, or name a file of keys"
        raise UsageError(error.message, place=f"--key {text[:60]}", hint=hint) from error


def _read_key_lines(path: Path) -> list[str]:
    with path.open("rb") as file:
        text = file.read(MOST).decode("utf-8", "replace")
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]

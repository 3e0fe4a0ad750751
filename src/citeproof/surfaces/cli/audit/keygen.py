"""`citeproof audit keygen`: a key pair; the public half is printed, the private half stored."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from citeproof import settings
from citeproof.answers.reporters.wording import show_line
from citeproof.plumbing.signed_note import COSIGNATURE, ED25519, SignerKey
from citeproof.proof.audit.key_store import KeyStore, check_origin, make_origin, store_key
from citeproof.proof.audit.log_folder_files import convert_disk_errors, make_folder
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import command_options

_KINDS = {"log": ED25519, "witness": COSIGNATURE}


@click.command("keygen", short_help="Make a key pair for a log or a witness.")
@command_options.add_options("audit keygen")
def command(*, origin: str | None, kind: str, out: Path | None) -> int:
    """Print a new public key and write the private key to a file that only you can read.

    A new log creates its own key. To name the log yourself, create a key first and set
    CITEPROOF_AUDIT_KEY to its file before the first run. Existing files are never overwritten.

    \b
    citeproof audit keygen --origin example.org/logs/main --out main.key
    citeproof audit keygen --origin witness.example.org --kind witness --out witness.key
    """
    key = SignerKey.generate(check_origin(origin or make_origin()), _KINDS[kind])
    path = out or KeyStore(settings.load().audit_keys).path(key.verifier)
    with convert_disk_errors(path, "the key cannot be written"):
        make_folder(path.parent)
    store_key(path, key)
    print(key.verifier.text)
    print(f"private key: {show_line(str(path))} (keep a copy elsewhere and keep it secret)", file=sys.stderr)
    return Exit.CLEAN

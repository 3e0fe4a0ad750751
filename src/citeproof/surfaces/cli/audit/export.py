"""`citeproof audit export`: one archive for strangers."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from citeproof.answers.reporters.wording import show_line
from citeproof.errors import UsageError, format_count
from citeproof.plumbing.disk_files import PERMISSIONS, open_replacement
from citeproof.proof.audit.export_archive import ExportResult, export_log
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import command_options
from citeproof.surfaces.cli.audit import log_argument


@click.command(short_help="Write an archive that anyone can verify.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@command_options.add_options("audit export")
def command(folder: Path, *, output: Path, runs: tuple[str, ...], private: bool) -> int:
    """Write the signed part of the log in DIR, its evidence, its format and a verifier into FILE.tar.

    The recipient verifies it with `citeproof audit verify FILE.tar --key VKEY`. Without citeproof, run the
    script `verify.py` in the archive with Python 3.8 or later. First compare its SHA-256 with the published
    one: the sender may have changed it. Send the key separately. The same log gives the same archive, byte
    for byte.

    \b
    citeproof audit export audit -o audit.tar
    citeproof audit export audit --run h_abc123 -o one-run.tar

    With --run, only hashes of the other runs are included. This proves each line of the run, but not that
    the run has no other lines. Events that are not yet signed are left out: see `audit commit`.

    \b
    Exit codes: 0 written, 2 wrong usage, 3 no such log or run, 4 written, but it will not verify,
    5 the log cannot be read.
    """
    log_argument.check_log(folder)
    done = _write_archive(folder, output, runs, private=private)
    gone = (
        f"; {format_count(len(done.absent), 'body is', 'bodies are')} no longer stored" if done.absent else ""
    )
    summary = (
        f"{format_count(done.events, 'event')}, {format_count(done.runs, 'run')}, "
        f"{format_count(done.bodies, 'body', 'bodies')}"
    )
    print(f"wrote {show_line(str(output))}: {summary}{gone}", file=sys.stderr)
    if private:
        values = format_count(done.rows, "value")
        be = "is" if done.rows == 1 else "are"
        print(f"warning: {values} as plain text {be} in it: be careful who gets it", file=sys.stderr)
    return _warn_of_damage(done)


def _warn_of_damage(done: ExportResult) -> Exit:
    """Return the exit code, after a warning about a log that does not verify."""
    if not done.doubted and not done.unproved:
        return Exit.CLEAN
    others = len(done.doubted) - 1
    more = f", nor {'is' if others == 1 else 'are'} {format_count(others, 'other')}" if others > 0 else ""
    why = f"event {done.doubted[0]} is not as it was signed{more}" if done.doubted else ""
    why = "its tiles do not lead to the signed root" if done.unproved else why
    warning = f"warning: the archive will not verify: {why}"
    print(f"{warning}\n  hint: run `citeproof audit verify` to see what was changed", file=sys.stderr)
    return Exit.UNCHECKED


def _write_archive(folder: Path, output: Path, runs: tuple[str, ...], *, private: bool) -> ExportResult:
    """Write next to `output` and move it there when it is whole; for the user's eyes only when private."""
    try:
        with open_replacement(output, 0o600 if private else PERMISSIONS) as target:
            return export_log(folder, target, runs=runs, private=private)
    except OSError as error:
        hint = "check that the folder exists, can be written to and has room"
        raise UsageError(f"cannot write: {error.strerror}", place=str(output), hint=hint) from error

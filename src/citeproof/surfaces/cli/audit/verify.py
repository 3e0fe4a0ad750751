"""`citeproof audit verify`: prove a log, or report what was changed."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import click

from citeproof import settings
from citeproof.answers import serializers
from citeproof.answers.reporters.wording import show_line
from citeproof.errors import format_count
from citeproof.proof.audit.verify.log_problems import LogVerification
from citeproof.service.exit_codes import Exit
from citeproof.service.log_verification import AuditLogRequest, verify_audit_log
from citeproof.surfaces.cli import command_options, status_line
from citeproof.surfaces.cli.audit import log_argument
from citeproof.vocabulary import NOT_CHECKED

_NOTE = 1_000_000


@click.command(short_help="Verify a log from its files and a public key.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path), required=False)
@command_options.add_options("audit verify")
def command(
    folder: Path | None,
    *,
    keys: tuple[str, ...],
    files: tuple[Path, ...],
    anchors: bool,
    deep: bool,
    form: str,
    quiet: bool,
) -> int:
    """Verify that the log in DIR is unchanged since it was signed. Needs only its files and a public key.

    All entries are hashed again up to the signed root. Run files, stored checkpoints, stored evidence and
    the values behind commitments are checked too. Every change found is named. Nothing is written.

    \b
    citeproof audit verify audit --key example.org/log+530d903a+AekyeRrm…
    citeproof audit verify audit --checkpoint last-month.checkpoint --anchors
    citeproof audit verify audit.tar --key example.org/log+530d903a+AekyeRrm…

    DIR may also be an archive from `citeproof audit export`, packed or unpacked. It is verified with the
    code of this installation; nothing in it is executed.

    Without --key, the log's own key is used. Anyone who can write to DIR can replace that key. Without a
    checkpoint stored elsewhere, a rollback of the whole log to an older state cannot be detected.

    \b
    Exit codes: 0 sound, 1 tampering found, 2 wrong usage, 3 no log there,
    4 something could not be checked: nothing signed yet, or values or checkpoints are missing.
    """
    chosen = settings.load()
    folder = log_argument.choose_folder(folder, chosen)
    wanted = AuditLogRequest(folder, log_argument.parse_keys(keys), files, anchors=anchors, deep=deep)
    with status_line.show_bar("verifying", quiet=quiet) as progress:
        verification = verify_audit_log(wanted, chosen, progress)
    if form == "json":
        print(serializers.dump_pretty(verification))
    else:
        _print_verification(verification, quiet=quiet)
    return (
        Exit.PROBLEMS if verification.problems else Exit.UNCHECKED if verification.unchecked else Exit.CLEAN
    )


def _print_verification(verification: LogVerification, *, quiet: bool) -> None:
    """Print what was found: problems first, what holds last."""
    for problem in verification.problems:
        print(f"✗ {show_line(problem.place)}: {show_line(problem.what)}")
    if verification.more:
        print(f"✗ … and {verification.more:,} more")
    for text in verification.unchecked:
        print(f"? {NOT_CHECKED}: {show_line(text)}")
    for text in () if quiet else verification.notes:
        print(f"  note: {show_line(text)}")
    for name, when in verification.times:
        print(f"  cosigned by {show_line(name)} at {format_cosign_time(when)}")
    counts = verification.counts
    if counts:
        print(f"{show_line(verification.origin) or 'a log without a name'}: {_describe_counts(verification)}")
    if number := len(verification.problems) + verification.more:
        print(f"{format_count(number, 'problem')} found")
    else:
        print("not everything could be checked" if verification.unchecked else "sound")


def _describe_counts(verification: LogVerification) -> str:
    """Return how much there is of what; without a signature, how much of it is not signed."""
    counts = verification.counts
    if counts["events"]:
        events, root = (
            format_count(counts["events"], "event"),
            f", root {verification.root[:8]}…{verification.root[-4:]}",
        )
    else:
        late = counts.get("unsigned", 0)
        events, root = f"{format_count(late, 'event')}{', not signed,' if late else ''}", ""
    parts = [
        format_count(counts.get("checkpoints", 0), "older checkpoint"),
        format_count(counts["commits"], "commit"),
        format_count(counts["bodies"], "body", "bodies"),
        format_count(counts["rows"], "private row"),
    ]
    return f"{events} of {format_count(counts['runs'], 'run')}{root}; {', '.join(parts)}"


def format_cosign_time(when: int) -> str:
    """Return when a witness signed, in UTC."""
    with suppress(ValueError, OverflowError, OSError):
        return f"{datetime.fromtimestamp(when, UTC):%Y-%m-%dT%H:%M:%SZ}"
    return f"{when} seconds after 1970"

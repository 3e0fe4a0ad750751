"""`citeproof audit verify`: prove a log, or report what was changed."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import click
import msgspec

from citeproof import serializers, settings
from citeproof.audit.event_proof import is_log_key
from citeproof.audit.key_store import KeyStore
from citeproof.audit.log_checkpoint import parse_unverified
from citeproof.audit.signed_note import NoteError, VerifierKey, list_signatures
from citeproof.audit.untrusted_files import UnreadableFileError, UntrustedFolder
from citeproof.audit.verify.anchor_report import AnchorReport, ask_anchors
from citeproof.audit.verify.export_check import is_export, verify_export
from citeproof.audit.verify.log_check import NoLogError, Progress
from citeproof.audit.verify.log_check import verify as verify_log
from citeproof.audit.verify.log_files import BAD, KeptCheckpoint, UntrustedHead
from citeproof.audit.verify.log_problems import LogVerification, format_count
from citeproof.clock import SystemClock
from citeproof.errors import AuditError, UsageError
from citeproof.reporters.wording import show_line
from citeproof.settings import Settings
from citeproof.surfaces.cli.audit import nothing_found, public_keys
from citeproof.surfaces.exit_codes import Exit

_NOTE = 1_000_000


@dataclass(frozen=True, slots=True)
class _VerifyOptions:
    """How to verify."""

    settings: Settings
    anchors: bool
    deep: bool
    quiet: bool


@click.command(short_help="Verify a log from its files and a public key.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path), required=False)
@public_keys.option
@click.option(
    "--checkpoint", "files", multiple=True, metavar="FILE", type=click.Path(path_type=Path),
    help="A checkpoint of this log that was stored elsewhere. Repeatable.",
)  # fmt: skip
@click.option("--anchors", is_flag=True, help="Ask the configured anchors for their checkpoints.")
@click.option("--deep", is_flag=True, help="Also check the format of every entry.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--quiet", is_flag=True, help="Print only problems and the result.")
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
    folder = folder or chosen.audit_dir
    if folder is None:
        raise UsageError(
            "no audit log given", place="DIR", hint="name its folder, or set CITEPROOF_AUDIT_DIR"
        )
    asked = _VerifyOptions(chosen, anchors=anchors, deep=deep, quiet=quiet)
    try:
        found = _verify_folder(folder, public_keys.parse_keys(keys), files, asked)
    except NoLogError as error:
        return nothing_found.print_nothing_found(str(error), "name the folder of a log")
    if form == "json":
        print(serializers.dump_pretty(found))
    else:
        _print_verification(found, quiet=quiet)
    return Exit.PROBLEMS if found.problems else Exit.UNCHECKED if found.unchecked else Exit.CLEAN


@contextmanager
def _show_verify_bar(*, quiet: bool) -> Iterator[Progress | None]:
    """Yield what moves a bar on standard error, where a person watches."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # noqa: PLC0415 - costs 50 ms that a pipe need not pay
    from rich.progress import Progress as Bar  # noqa: PLC0415 - same

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("verifying")
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _print_verification(found: LogVerification, *, quiet: bool) -> None:
    """Print what was found: problems first, what holds last."""
    for one in found.problems:
        print(f"✗ {show_line(one.place)}: {show_line(one.what)}")
    if found.more:
        print(f"✗ … and {found.more:,} more")
    for text in found.unchecked:
        print(f"? could not be checked: {show_line(text)}")
    for text in () if quiet else found.notes:
        print(f"  note: {show_line(text)}")
    for name, when in found.times:
        print(f"  cosigned by {show_line(name)} at {_format_cosign_time(when)}")
    counts = found.counts
    if counts:
        print(f"{show_line(found.origin) or 'a log without a name'}: {_describe_counts(found)}")
    if number := len(found.problems) + found.more:
        print(f"{format_count(number, 'problem')} found")
    else:
        print("not everything could be checked" if found.unchecked else "sound")


def _describe_counts(found: LogVerification) -> str:
    """Return how much there is of what; without a signature, how much of it is not signed."""
    counts = found.counts
    if counts["events"]:
        events, root = format_count(counts["events"], "event"), f", root {found.root[:8]}…{found.root[-4:]}"
    else:
        late = counts.get("unsigned", 0)
        events, root = f"{format_count(late, 'event')}{', not signed,' if late else ''}", ""
    told = [
        format_count(counts.get("checkpoints", 0), "older checkpoint"),
        format_count(counts["commits"], "commit"),
        format_count(counts["bodies"], "body", "bodies"),
        format_count(counts["rows"], "private row"),
    ]
    return f"{events} of {format_count(counts['runs'], 'run')}{root}; {', '.join(told)}"


def _format_cosign_time(when: int) -> str:
    with suppress(ValueError, OverflowError, OSError):
        return f"{datetime.fromtimestamp(when, UTC):%Y-%m-%dT%H:%M:%SZ}"
    return f"{when} seconds after 1970"


def _read_checkpoint(path: Path, origins: set[str]) -> KeptCheckpoint:
    """Return a checkpoint of this log from a file that the user names."""
    hint = "name a file that holds a checkpoint of this log"
    try:
        with path.open("rb") as file:
            note = file.read(_NOTE + 1)
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", place=str(path), hint=hint) from error
    try:
        list_signatures(note)
        found = parse_unverified(note)
    except NoteError as error:
        raise UsageError("this is not a checkpoint", place=str(path), hint=hint) from error
    if origins and found.origin not in origins:
        what = f"this is a checkpoint of another log, {found.origin[:80]!r}, not of {min(origins)[:80]!r}"
        raise UsageError(what, place=str(path), hint=hint)
    return KeptCheckpoint(str(path), note)


def _verify_folder(
    folder: Path, given: Sequence[VerifierKey], files: Sequence[Path], asked: _VerifyOptions
) -> LogVerification:
    """Return what was found of a log or of an export."""
    origins = {key.name for key in given if is_log_key(key)} or {key.name for key in _read_own_key(folder)}
    kept = [_read_checkpoint(path, origins) for path in files]
    if is_export(folder):
        if asked.anchors or asked.deep:
            hint = "leave --anchors and --deep out; hold it against a checkpoint with --checkpoint FILE"
            raise UsageError("this is an exported archive, not a log", place=str(folder), hint=hint)
        return verify_export(folder, given, kept)
    chosen = asked.settings
    outside = _ask_anchors(chosen, folder, given, anchors=asked.anchors)
    kept += [*_list_signed_checkpoints(chosen, folder, given), *outside.kept]
    with _show_verify_bar(quiet=asked.quiet) as moved:
        found = verify_log(folder, given, kept=kept, deep=asked.deep, progress=moved)
    return replace(
        found,
        problems=(*found.problems, *outside.problems),
        notes=(*found.notes, *outside.notes),
        unchecked=(*found.unchecked, *outside.unchecked),
    )


def _list_signed_checkpoints(
    chosen: Settings, folder: Path, given: Sequence[VerifierKey]
) -> list[KeptCheckpoint]:
    """Return the last checkpoints that the log's keys signed on this machine, if it knows."""
    store, found = KeyStore(chosen.audit_keys), list[KeptCheckpoint]()
    for key in [*given, *_read_own_key(folder)]:
        with suppress(AuditError, OSError):
            note = store.last_signed(key)
            if note is not None and note not in [one.note for one in found]:
                found.append(
                    KeptCheckpoint(
                        f"the last checkpoint signed with {key.name}+{key.id.hex()}", note, early=True
                    )
                )
    return found


def _read_own_key(folder: Path) -> list[VerifierKey]:
    with suppress(UnreadableFileError, AuditError, *BAD), UntrustedFolder(folder) as files:
        return [
            VerifierKey.parse(msgspec.json.decode(files.read("log.json", 100_000), type=UntrustedHead).key)
        ]
    return []


def _ask_anchors(
    chosen: Settings, folder: Path, given: Sequence[VerifierKey], *, anchors: bool
) -> AnchorReport:
    if not anchors:
        return AnchorReport()
    from citeproof.audit.anchors.base import AnchorContext, make  # noqa: PLC0415 - a plain verification needs none

    around = AnchorContext(folder, SystemClock(), proxy=chosen.proxy, offline=chosen.offline)
    if not chosen.audit_anchors:
        return AnchorReport(notes=["the settings name no anchor besides the folder inside the log"])
    origins = {key.name for key in given or _read_own_key(folder)}
    return ask_anchors((make(text, around) for text in chosen.audit_anchors), origins)

"""`citeproof audit verify`: a log proved, or told what was touched."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import click
import msgspec

from citeproof import settings
from citeproof.audit.keys import KeyStore
from citeproof.audit.looking.findings import Verified
from citeproof.audit.looking.outside import Outside, ask
from citeproof.audit.looking.seeing import BAD, About, Kept
from citeproof.audit.note import VerifierKey
from citeproof.audit.untrusted import Unreadable, Untrusted
from citeproof.audit.verifying import NoLog, Progress
from citeproof.audit.verifying import verify as verify_log
from citeproof.clock import SystemClock
from citeproof.errors import AuditError, UsageError
from citeproof.reporters.words import line
from citeproof.settings import Settings
from citeproof.surfaces.cli.audit import keyed
from citeproof.surfaces.exits import Exit

_NOTE = 1_000_000


@click.command(short_help="Verify a log from its files and a public key.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path), required=False)
@keyed.option
@click.option(
    "--checkpoint", "files", multiple=True, metavar="FILE", type=click.Path(path_type=Path),
    help="A checkpoint of this log that was kept elsewhere. Repeatable.",
)  # fmt: skip
@click.option("--anchors", is_flag=True, help="Ask the anchors of the settings for what they hold.")
@click.option("--deep", is_flag=True, help="Also look at the form of every entry.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--quiet", is_flag=True, help="No progress bar, no notes.")
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
    """Prove that the log in DIR is as it was signed, from its files and a public key alone.

    Every entry is hashed again up to the signed root; so are the files of the runs, every checkpoint that
    was kept, the stored evidence and the values behind commitments. What was touched is named. Nothing is
    written.

    \b
    citeproof audit verify audit --key example.org/log+530d903a+AekyeRrm…
    citeproof audit verify audit --checkpoint last-month.checkpoint --anchors

    Without --key the log's own key is used, which whoever can write DIR can replace. Without a checkpoint
    that was kept elsewhere nobody can know whether the whole log was set back to an older state.

    \b
    Exit codes: 0 sound, 1 tampering found, 2 wrong usage, 3 no log there,
    4 something could not be checked.
    """
    chosen = settings.load()
    folder = folder or chosen.audit_dir
    if folder is None:
        raise UsageError("which log?", place="DIR", mend="name its folder, or set CITEPROOF_AUDIT_DIR")
    given = keyed.parsed(keys)
    outside = _outside(chosen, folder, given, anchors=anchors)
    kept = [*map(_read, files), *_signed(chosen, folder, given), *outside.kept]
    try:
        with _bar(quiet=quiet) as moved:
            found = verify_log(folder, given, kept=kept, deep=deep, progress=moved)
    except NoLog as error:
        print(line(str(error)), file=sys.stderr)
        return Exit.NOTHING
    found = replace(
        found,
        problems=(*found.problems, *outside.problems),
        notes=(*found.notes, *outside.notes),
        unchecked=(*found.unchecked, *outside.unchecked),
    )
    if form == "json":
        print(msgspec.json.format(msgspec.json.encode(found), indent=2).decode())
    else:
        _tell(found, quiet=quiet)
    return Exit.PROBLEMS if not found.sound else Exit.UNCHECKED if found.unchecked else Exit.CLEAN


@contextmanager
def _bar(*, quiet: bool) -> Iterator[Progress | None]:
    """Yield what moves a bar on standard error, where a person watches."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # noqa: PLC0415 - costs 50 ms that a pipe need not pay
    from rich.progress import Progress as Bar  # noqa: PLC0415 - same

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("verifying")
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _tell(found: Verified, *, quiet: bool) -> None:
    """Print what was found: problems first, what holds last."""
    for one in found.problems:
        print(f"✗ {line(one.place)}: {line(one.what)}")
    if found.more:
        print(f"✗ … and {found.more:,} more")
    for text in found.unchecked:
        print(f"? could not be checked: {line(text)}")
    for text in () if quiet else found.notes:
        print(f"  note: {line(text)}")
    for name, when in found.times:
        print(f"  cosigned by {line(name)} at {_time(when)}")
    counts = found.counts
    if not counts:
        return
    print(
        f"{line(found.origin) or 'a log without a name'}: {counts['events']:,} events of {counts['runs']:,} "
        f"runs, root {found.root[:8]}…{found.root[-4:]}; {counts.get('checkpoints', 0):,} older checkpoints, "
        f"{counts['commits']:,} commits, {counts['bodies']:,} bodies, {counts['rows']:,} private rows"
    )
    number = len(found.problems) + found.more
    print(f"{number:,} problem{'' if number == 1 else 's'} found" if number else "sound")


def _time(when: int) -> str:
    with suppress(ValueError, OverflowError, OSError):
        return f"{datetime.fromtimestamp(when, UTC):%Y-%m-%dT%H:%M:%SZ}"
    return f"{when} seconds after 1970"


def _read(path: Path) -> Kept:
    try:
        with path.open("rb") as file:
            return Kept(str(path), file.read(_NOTE + 1))
    except OSError as error:
        mend = "name a file that holds a checkpoint"
        raise UsageError(f"cannot be read: {error.strerror}", place=str(path), mend=mend) from error


def _signed(chosen: Settings, folder: Path, given: Sequence[VerifierKey]) -> list[Kept]:
    """Return the last checkpoints that the log's keys signed on this machine, if it knows."""
    store, found = KeyStore(chosen.audit_keys), list[Kept]()
    for key in [*given, *_own(folder)]:
        with suppress(AuditError, OSError):
            note = store.last_signed(key)
            if note is not None and note not in [one.note for one in found]:
                found.append(Kept(f"the last checkpoint signed with {key.name}+{key.id.hex()}", note))
    return found


def _own(folder: Path) -> list[VerifierKey]:
    with suppress(Unreadable, AuditError, *BAD), Untrusted(folder) as files:
        return [VerifierKey.parse(msgspec.json.decode(files.read("log.json", 100_000), type=About).key)]
    return []


def _outside(chosen: Settings, folder: Path, given: Sequence[VerifierKey], *, anchors: bool) -> Outside:
    if not anchors:
        return Outside()
    from citeproof.audit.anchors.base import Around, make  # noqa: PLC0415 - a plain verification needs none

    around = Around(folder, SystemClock(), proxy=chosen.proxy, offline=chosen.offline)
    if not chosen.audit_anchors:
        return Outside(notes=["the settings name no anchor besides the folder inside the log"])
    origins = {key.name for key in given or _own(folder)}
    return ask((make(text, around) for text in chosen.audit_anchors), origins)

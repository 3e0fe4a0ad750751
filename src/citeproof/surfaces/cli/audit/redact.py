"""`citeproof audit redact`: a user's own text out of the folder, and nothing out of the tree."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

import click

from citeproof import settings
from citeproof.audit import erasing, reading
from citeproof.audit.erasing import Redacted
from citeproof.audit.looking.findings import plural
from citeproof.audit.naming import Held
from citeproof.errors import UsageError
from citeproof.reporters.words import line
from citeproof.stores.private import Private
from citeproof.surfaces.cli.audit import absent, words, writable
from citeproof.surfaces.exits import Exit


@click.command(short_help="Erase a user's text; the tree stays verifiable.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("what", metavar="RUN|RUN/N|COMMITMENT…", nargs=-1, required=True)
@click.option(
    "--all", "every", is_flag=True, help="Erase every reference that has the number, if several have."
)
@click.option("--reason", required=True, help="Why; goes into the log in clear, so name nobody.")
def command(folder: Path, what: tuple[str, ...], *, every: bool, reason: str) -> int:
    """Erase the text that the log in DIR only commits to: of a run, of one reference, or of a commitment.

    The log says first what is erased and why. Then text and salt are overwritten, and nobody can tell any
    more what the commitment was made of. Every entry, proof and receipt stays valid. It cannot be undone;
    copies of the folder are to be redacted each on its own.

    \b
    citeproof audit redact audit h_abc123 --reason "asked for by its author"
    citeproof audit redact audit h_abc123/3 --reason "asked for by its author"

    Nothing is erased if one of the names is unknown. Where two runs that went on at once under one name
    gave two references one number, --all or the commitment says which is meant.

    What is in the log in clear stays: the claimed title, authors, year, venue and identifiers of a
    reference; with the setting audit_clear also its text and key. A reference that was erased can no longer
    be replayed.

    \b
    Exit codes: 0 erased (or erased before), 2 wrong usage, 3 no such log, run or reference,
    or some of the text is not here, 5 the log cannot be written.
    """
    if not reason.strip():
        raise UsageError("the reason is empty", place="--reason", mend="say why, without naming anybody")
    log = writable.log_of(folder, settings.load())
    if log is None:
        return Exit.NOTHING
    with log, Held(log.folder), closing(Private(folder)) as private:
        try:
            gone = erasing.redact(log, private, what, reason, every=every)
        except erasing.UnknownError as error:
            return absent.told(error.message, error.mend)
        log.integrate()
    for told in _told(gone):
        print(told)
    clear = _in_clear(folder, {one.partition("/")[0] for one in what})
    if clear:
        told = f"note: the log itself has text of {line(', '.join(clear))} in clear, which stays"
        print(told, file=sys.stderr)
    for run in sorted({one.partition("/")[0] for one in what}):
        if other := reading.elsewhere(reading.closed(folder, run), run):
            print(f"note: {line(other[0])} too, where nothing was erased", file=sys.stderr)
    return _lost(gone) if gone.lost else Exit.CLEAN


def _told(gone: Redacted) -> Iterator[str]:
    """Yield what went, in words."""
    if gone.values or not (gone.again or gone.lost):
        yield f"erased {plural(gone.values, 'value')}" if gone.values else "already erased"
    if gone.again:
        yield words.again(gone.again)


def _lost(gone: Redacted) -> int:
    """Tell what could not be erased because it is not here, and return the exit code."""
    values = plural(gone.lost, "further value" if gone.values else "value")
    isnt, they = ("is", "it was") if gone.lost == 1 else ("are", "they were")
    told = f"{values} {isnt} not in private.sqlite, and the log does not say that {they} erased"
    return absent.told(told, "if private.sqlite was moved or replaced, put it back and do the same again")


def _in_clear(folder: Path, names: Iterable[str]) -> list[str]:
    """Return the runs that have a user's text in clear."""
    return [run for run in sorted(names) if any("raw" in entry for entry in reading.entries(folder, run))]

"""`citeproof audit redact`: a user's own text out of the folder, and nothing out of the tree."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import click

from citeproof import settings
from citeproof.audit import erasing, reading
from citeproof.errors import UsageError
from citeproof.reporters.words import line
from citeproof.stores.private import Private
from citeproof.surfaces.cli.audit import writable
from citeproof.surfaces.exits import Exit


@click.command(short_help="Erase a user's text; the tree stays verifiable.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("what", metavar="RUN|RUN/N|COMMITMENT…", nargs=-1, required=True)
@click.option("--reason", required=True, help="Why; goes into the log in clear, so name nobody.")
def command(folder: Path, what: tuple[str, ...], *, reason: str) -> int:
    """Erase the text that the log in DIR only commits to: of a run, of one reference, or of a commitment.

    The log says first what is erased and why. Then text and salt are overwritten, and nobody can tell any
    more what the commitment was made of. Every entry, proof and receipt stays valid. It cannot be undone;
    copies of the folder are to be redacted each on its own.

    \b
    citeproof audit redact audit h_abc123 --reason "asked for by its author"
    citeproof audit redact audit h_abc123/3 --reason "asked for by its author"

    What is in the log in clear stays: the claimed title, authors, year, venue and identifiers of a
    reference; with the setting audit_clear also its text and key. A reference that was erased can no longer
    be replayed.

    \b
    Exit codes: 0 erased (or erased before), 2 wrong usage, 3 no such log or run,
    5 the log cannot be written.
    """
    if not reason.strip():
        raise UsageError("the reason is empty", place="--reason", mend="say why, without naming anybody")
    log = writable.log_of(folder, settings.load())
    if log is None:
        return Exit.NOTHING
    with log, closing(Private(folder)) as private:
        erased = erasing.redact(log, private, what, reason)
        log.integrate()
    print(f"erased {erased} value{'' if erased == 1 else 's'}")
    known, clear = _seen(folder, {one.partition("/")[0] for one in what})
    if clear:
        told = f"note: the log itself has text of {line(', '.join(clear))} in clear, which stays"
        print(told, file=sys.stderr)
    return Exit.CLEAN if erased or known else Exit.NOTHING


def _seen(folder: Path, names: Iterable[str]) -> tuple[bool, list[str]]:
    """Return whether any of the runs is in the log, and which have a user's text in clear."""
    known, clear = False, []
    for run in sorted(names):
        for entry in reading.entries(folder, run):
            known = True
            if "raw" in entry:
                clear.append(run)
                break
    return known, clear

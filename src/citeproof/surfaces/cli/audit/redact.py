"""`citeproof audit redact`: erase a user's own text from the folder; the tree stays."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

import click

from citeproof import settings
from citeproof.answers.reporters.wording import show_line
from citeproof.errors import NothingFoundError, UsageError
from citeproof.plumbing.stores.private_store import PrivateStore
from citeproof.proof.audit import erasure, log_reader
from citeproof.proof.audit.erasure import RedactionResult
from citeproof.proof.audit.run_lock import RunLock
from citeproof.proof.audit.verify.log_problems import format_count
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import command_options
from citeproof.surfaces.cli.audit import log_argument, trace_words


@click.command(short_help="Erase private text; the log stays verifiable.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("what", metavar="RUN|RUN/N|COMMITMENT…", nargs=-1, required=True)
@command_options.add_options("audit redact")
def command(folder: Path, what: tuple[str, ...], *, every: bool, reason: str) -> int:
    """Erase private text of a run, a reference or a commitment from the log in DIR.

    The erasure and its reason are logged first. Then the text and its salt are overwritten, so that the
    commitment reveals nothing. Every entry, proof and receipt stays valid. This cannot be undone. Redact
    each copy of the folder separately.

    \b
    citeproof audit redact audit h_abc123 --reason "asked for by its author"
    citeproof audit redact audit h_abc123/3 --reason "asked for by its author"

    Nothing is erased if one of the names is unknown. Two runs at the same time under one name can give two
    references the same number. In that case use --all or name the commitment.

    Plain text in the log stays: the claimed title, authors, year, venue and identifiers of a reference;
    with the setting audit_clear also its text and key. An erased reference can no longer be replayed.

    \b
    Exit codes: 0 erased (now or earlier), 2 wrong usage, 3 no such log, run or reference,
    or some of the text is not here, 5 the log cannot be written.
    """
    if not reason.strip():
        raise UsageError("the reason is empty", place="--reason", hint="give a reason, without naming anyone")
    log = log_argument.open_log(folder, settings.load())
    with log, RunLock(log.folder), closing(PrivateStore(folder)) as private:
        gone = erasure.redact_values(log, private, what, reason, every=every)
        log.integrate()
    for line in _describe_erasure(gone):
        print(line)
    clear = _list_clear_runs(folder, {name.partition("/")[0] for name in what})
    if clear:
        line = f"note: the log itself has text of {show_line(', '.join(clear))} in clear, which stays"
        print(line, file=sys.stderr)
    for run in sorted({name.partition("/")[0] for name in what}):
        if other := log_reader.explain_closed_logs(log_reader.list_closed_logs(folder, run), run):
            print(f"note: {show_line(other[0])} too, where nothing was erased", file=sys.stderr)
    if gone.lost:
        raise _make_lost_error(gone)
    return Exit.CLEAN


def _describe_erasure(gone: RedactionResult) -> Iterator[str]:
    """Yield what went, in words."""
    if gone.values or not (gone.again or gone.lost):
        yield f"erased {format_count(gone.values, 'value')}" if gone.values else "already erased"
    if gone.again:
        yield trace_words.describe_second_erasure(gone.again)


def _make_lost_error(gone: RedactionResult) -> NothingFoundError:
    """Return the error that names what could not be erased because it is not here."""
    values = format_count(gone.lost, "further value" if gone.values else "value")
    isnt, they = ("is", "it was") if gone.lost == 1 else ("are", "they were")
    message = f"{values} {isnt} not in private.sqlite, and the log does not say that {they} erased"
    hint = "if private.sqlite was moved or replaced, put it back and do the same again"
    return NothingFoundError(message, hint=hint)


def _list_clear_runs(folder: Path, names: Iterable[str]) -> list[str]:
    """Return the runs that have a user's text in clear."""
    return [
        run for run in sorted(names) if any("raw" in entry for entry in log_reader.read_entries(folder, run))
    ]

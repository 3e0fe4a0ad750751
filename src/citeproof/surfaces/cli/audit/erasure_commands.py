"""`citeproof audit prune` and `redact`: evidence deleted by age, private text erased; the tree stays."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from citeproof import settings
from citeproof.answers.reporters.wording import show_line
from citeproof.errors import NothingFoundError, UsageError, format_count
from citeproof.plumbing.clock import Clock, SystemClock
from citeproof.plumbing.stores.evidence_store import EvidenceStore
from citeproof.plumbing.stores.private_store import PrivateStore
from citeproof.proof.audit import erasure, log_reader
from citeproof.proof.audit.erasure import RedactionResult
from citeproof.proof.audit.run_lock import RunLock
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import command_options
from citeproof.surfaces.cli.audit import log_argument, trace_words


@click.command("prune", short_help="Delete evidence older than the retention time.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@command_options.add_options("audit prune")
def prune_command(folder: Path, *, before: str | None, days: int | None) -> int:
    """Delete stored answers used only by events before a given time, and private text of runs that ended.

    Without --before and --days, the setting audit_keep_days gives the time. The deletion is logged first.
    Log entries, proofs and receipts are kept. Deleted evidence can no longer be replayed.

    \b
    citeproof audit prune audit --days 365
    citeproof audit prune audit --before 2026-01-01

    Evidence stored in the last two days is always kept.

    \b
    Exit codes: 0 done, 2 wrong usage, 3 no such log, 5 the log cannot be written.
    """
    chosen, clock = settings.load(), SystemClock()
    limit = _find_time_limit(before, days or (None if before else chosen.audit_keep_days), clock)
    log = log_argument.open_log(folder, chosen)
    with (
        log,
        RunLock(log.folder),
        closing(EvidenceStore(folder)) as evidence,
        closing(PrivateStore(folder)) as private,
    ):
        gone = erasure.prune_evidence(log, evidence, private, limit, clock)
        log.integrate()
    bodies, values = format_count(gone.bodies, "stored answer"), format_count(gone.values, "private value")
    print(f"dropped {bodies} and erased {values}")
    if gone.again:
        print(trace_words.describe_second_erasure(gone.again))
    if others := log_reader.list_closed_logs(folder):
        summary = (
            f"note: {format_count(len(others), 'closed log')} in {folder / log_reader.CLOSED}, where "
            "nothing went"
        )
        print(f"{show_line(summary)}: prune each of them for itself", file=sys.stderr)
    return Exit.CLEAN


def _find_time_limit(before: str | None, days: int | None, clock: Clock) -> datetime:
    """Return the time that is meant."""
    if (before is None) == (days is None):
        hint = "give --before TIME or --days N, or set audit_keep_days"
        raise UsageError("give one time before which to delete evidence", place="audit prune", hint=hint)
    if days is not None:
        return clock.now() - timedelta(days=days)
    try:
        moment = datetime.fromisoformat(before or "")
    except ValueError as error:
        hint = "write 2026-01-31 or 2026-01-31T12:00:00Z"
        raise UsageError(f"{(before or '')[:60]!r} is not a time", place="--before", hint=hint) from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


@click.command("redact", short_help="Erase private text; the log stays verifiable.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("what", metavar="RUN|RUN/N|COMMITMENT…", nargs=-1, required=True)
@command_options.add_options("audit redact")
def redact_command(folder: Path, what: tuple[str, ...], *, every: bool, reason: str) -> int:
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

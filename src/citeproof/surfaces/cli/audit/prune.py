"""`citeproof audit prune`: delete evidence and private text after the retention time."""

from __future__ import annotations

import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from citeproof import settings
from citeproof.answers.reporters.wording import show_line
from citeproof.errors import UsageError
from citeproof.plumbing.clock import Clock, SystemClock
from citeproof.plumbing.stores.evidence_store import EvidenceStore
from citeproof.plumbing.stores.private_store import PrivateStore
from citeproof.proof.audit import erasure, log_reader
from citeproof.proof.audit.run_lock import RunLock
from citeproof.proof.audit.verify.log_problems import format_count
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import command_options
from citeproof.surfaces.cli.audit import log_argument, trace_words


@click.command(short_help="Delete evidence older than the retention time.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@command_options.add_options("audit prune")
def command(folder: Path, *, before: str | None, days: int | None) -> int:
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

"""`citeproof batch`: thousands of documents in, one folder of results out; stopped anywhere, it goes on."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

import click

from citeproof import settings
from citeproof.answers.reporters import wording
from citeproof.answers.reporters.base import list_formats
from citeproof.errors import format_count
from citeproof.plumbing.clock import Clock, SystemClock
from citeproof.surfaces.cli import command_options, first_snapshot
from citeproof.surfaces.cli.status_line import SIGN, can_clear_lines, format_seconds
from citeproof.vocabulary import CHECKED_AGAINST, NOT_CHECKED

if TYPE_CHECKING:
    from citeproof.service.batch.batch_output import BatchTotals
    from citeproof.service.batch.batch_run import BatchProgress
    from citeproof.service.batch.batch_session import BatchOrder


_DRAWN, _PRINTED = 0.2, 30.0  # seconds between two lines: on a terminal, in a pipe
_SURE = 3  # documents that must be done before the rest is estimated


@click.command(short_help="Check the references of thousands of documents; can be resumed.")
@click.argument("paths", nargs=-1, metavar="PATH…", type=click.Path())
@command_options.add_options("batch", formats=list_formats())
def command(
    paths: Sequence[str],
    *,
    out: Path,
    manifests: Sequence[Path],
    formats: Sequence[str],
    jobs: int | None,
    ray: str,
    retry: bool,
    quiet: bool,
    **flags: object,
) -> int:
    """Check every reference of the documents in PATH….

    A PATH is a file, a folder, a pattern in quotes such as 'papers/**/*.pdf', a zip or tar archive of
    documents, or s3://BUCKET/PREFIX (extra s3). An archive with a LaTeX document in it is that one document.

    Every result is stored as soon as it is there. To resume a run that was stopped, in whatever way, run the
    same command again: nothing is done twice, and the results are the same. A document that cannot be read is
    a row with its error. FOLDER then has documents.jsonl, results.jsonl, summary.json, venue.html, venue.csv,
    venue.json and, with the extra parquet, results.parquet. See docs/batch.md.

    \b
    citeproof batch papers --out checked --offline --snapshot works.snapshot
    citeproof batch submissions.zip --out checked --format html
    citeproof batch --manifest papers.csv --out checked --jobs 8 --contact chair@example.org
    citeproof batch papers --out checked --retry
    """
    if not paths and not manifests:
        raise click.UsageError("Missing argument 'PATH…'.", click.get_current_context())
    from citeproof.service.batch import batch_session  # noqa: PLC0415 - takes its time

    chosen = settings.load(command_options.collect_given_flags(**flags))
    order = batch_session.BatchOrder(
        tuple(paths), tuple(manifests), out, tuple(dict.fromkeys(formats)), jobs or 0, retry, ray
    )
    first_snapshot.offer_starter(chosen)
    with BatchProgressLine(quiet=quiet) as line:
        try:
            totals, code = batch_session.run_batch(order, chosen, _print_note, line.tell)
        except batch_session.BatchInterruption as stopped:
            done, total = stopped.progress.done, stopped.progress.total
            raise KeyboardInterrupt(
                f"interrupted after {done:,} of {format_count(total, 'document')}: "
                "run the same command again to continue, results are saved"
            ) from None
    _print_totals(totals, order)
    first_snapshot.print_starter_hint(chosen, totals.labels["none"], told=False)
    return int(code)


def _print_totals(totals: BatchTotals, order: BatchOrder) -> None:
    """Print what was found, and where it is."""
    documents = totals.documents
    print(totals.describe_states())
    print("\n".join(totals.describe_labels().split("; ")))
    if totals.references:
        print(f"{CHECKED_AGAINST}: {wording.show_line(totals.answers.describe(), 2000)}")
    print(f"results: {wording.show_line(str(order.out), 1000)}")
    if documents["checked"] < documents.total():
        print(f"documents.jsonl and venue.html say which documents {NOT_CHECKED}, and why")
    print(
        f"open {wording.show_line(str(order.out / 'venue.html'), 1000)} in a browser: all papers, worst first"
    )


def _print_note(note: str) -> None:
    print(wording.show_line(note, 2000), file=sys.stderr)


class BatchProgressLine:
    """The line on standard error; drawn by the thread that works, for workers are forks of it."""

    def __init__(self, *, quiet: bool = False, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self._live = not quiet and can_clear_lines()
        self._quiet = quiet
        self._began = self._last = self._clock.elapsed()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        SIGN.clear()

    def tell(self, progress: BatchProgress) -> None:
        """Show how far the run is, if the last time is long enough ago."""
        now = self._clock.elapsed()
        if self._quiet or now - self._last < (_DRAWN if self._live else _PRINTED):
            return
        self._last = now
        line = describe_progress(progress, now - self._began)
        if self._live:
            SIGN.draw(line)
        else:
            print(line, file=sys.stderr, flush=True)


def describe_progress(progress: BatchProgress, seconds: float) -> str:
    """Return how far a run is after so many seconds; what a former run did is no measure of speed."""
    parts = [f"{progress.done:,} of {format_count(progress.total, 'document')}"]
    parts += [f"{progress.kept:,} of an earlier run"] if progress.kept else []
    parts.append(format_count(progress.references, "reference"))
    parts += [f"{progress.problems:,} with problems"] if progress.problems else []
    parts += [f"{progress.unchecked:,} not checked"] if progress.unchecked else []
    parts += [f"{format_count(progress.failed, 'document')} unreadable"] if progress.failed else []
    new, left = progress.done - progress.kept, progress.total - progress.done
    if new >= _SURE and left:
        parts.append(f"about {format_seconds(seconds / new * left)} left")
    return " · ".join(parts)

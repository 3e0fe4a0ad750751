"""How a build shows its progress: a live line on a terminal, words of warning and of advice anywhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from citeproof.evidence.index.build import BuildProgress, count_stopped_records
from citeproof.evidence.index.build_workspace import name_build_folder

_STEPS = {
    "fetch": "fetching",
    "read": "reading",
    "text": "indexing words",
    "store": "storing records",
    "abstracts": "storing abstracts",
    "keys": "sorting keys",
    "links": "linking versions",
    "facts": "counting venues",
    "seal": "sealing",
}


@contextmanager
def show_build_progress(*, quiet: bool) -> Iterator[Callable[[BuildProgress], None]]:
    """Yield the function that gets the progress; a bar is drawn only on a terminal."""
    if quiet or not sys.stderr.isatty():
        yield _print_build_note
        return
    from rich.console import Console  # noqa: PLC0415 - costs 50 ms that a pipe need not pay
    from rich.progress import Progress as Bar  # noqa: PLC0415 - same
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415 - same

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description:<17}"),
        TextColumn("{task.completed:>12,.0f} records"),
        TextColumn("{task.fields[bad]}"),
        TimeElapsedColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=None, bad="")

        def tell(progress: BuildProgress) -> None:
            if progress.note:
                bar.console.print(progress.note, markup=False)
            bad = f"{progress.bad:,} bad" if progress.bad else ""
            step = _STEPS.get(progress.step, progress.step)
            bar.update(task, completed=progress.records, description=step, bad=bad)

        yield tell


@contextmanager
def explain_resuming(out: Path) -> Iterator[None]:
    """Print how to continue an interrupted build."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit):
        if records := count_stopped_records(out):
            print(f"stopped; {records:,} records are kept in {name_build_folder(out)}", file=sys.stderr)
            print("run the same command again to continue, or remove that folder to give up", file=sys.stderr)
        raise


def _print_build_note(progress: BuildProgress) -> None:
    if progress.note:
        print(progress.note, file=sys.stderr)

"""How a build shows its progress: a live line on a terminal, words of warning and of advice anywhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from citeproof.index.build import Progress, stopped
from citeproof.index.workspace import place

_STEPS = {
    "fetch": "fetching",
    "read": "reading",
    "text": "indexing words",
    "store": "storing records",
    "keys": "sorting keys",
    "links": "linking versions",
    "facts": "counting venues",
    "seal": "sealing",
}


@contextmanager
def shown(*, quiet: bool) -> Iterator[Callable[[Progress], None]]:
    """Yield the function that is told the progress; a bar is drawn only where a person watches."""
    if quiet or not sys.stderr.isatty():
        yield _note
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

        def tell(progress: Progress) -> None:
            if progress.note:
                bar.console.print(progress.note, markup=False)
            bad = f"{progress.bad:,} bad" if progress.bad else ""
            step = _STEPS.get(progress.step, progress.step)
            bar.update(task, completed=progress.records, description=step, bad=bad)

        yield tell


@contextmanager
def resumable(out: Path) -> Iterator[None]:
    """Tell whoever stops a build how to go on with it."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit):
        if records := stopped(out):
            print(f"stopped; {records:,} records are kept in {place(out)}", file=sys.stderr)
            print("run the same command again to go on, or remove that folder to give up", file=sys.stderr)
        raise


def _note(progress: Progress) -> None:
    if progress.note:
        print(progress.note, file=sys.stderr)

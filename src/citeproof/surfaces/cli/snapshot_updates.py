"""`citeproof index update` and `compact`: what changed since, as layers over a snapshot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from citeproof.errors import InputError, UsageError
from citeproof.index.compaction import compact_snapshot
from citeproof.index.layer_update import UpdateOutcome, update_snapshot
from citeproof.index.manifest import FILE
from citeproof.index.readers.base import find_reader
from citeproof.index.record_intake import BuildInput
from citeproof.index.touched_records import WithdrawnId
from citeproof.surfaces.cli.build_progress import explain_resuming, show_build_progress
from citeproof.surfaces.cli.grouped_files import GroupedFiles
from citeproof.text import ids

MAX_LINE = 2_000  # characters of a line that names an identifier


@click.command(cls=GroupedFiles, short_help="Add a layer of changes to a snapshot.")
@click.option("--file", "files", multiple=True, hidden=True)
@click.argument("base", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--out", required=True, metavar="DIR", type=click.Path(path_type=Path), help="The new folder.")
@click.option(
    "--remove",
    multiple=True,
    metavar="ID|FILE",
    help="Identifier of a withdrawn record, such as doi:10.1000/x, or a file of such lines. Repeatable.",
)
@click.option("--quiet", is_flag=True, help="No progress bar.")
def update(*, files: tuple[str, ...], base: Path, out: Path, remove: tuple[str, ...], quiet: bool) -> None:
    """Add new and changed records to a snapshot, and remove withdrawn ones, without building it again.

    \b
    citeproof index update works --from crossref today.json.gz --out works-2
    citeproof index update works-2 --remove doi:10.1000/withdrawn --out works-3

    The new snapshot shares the files of the old one, which stays as it is. On top comes a layer of the new
    records. A record replaces those that the same reader gave for the same identifier before. PubMed's
    update files also say which articles are deleted.

    Readers and files are those of `citeproof index build`. `index publish` and `pull` transfer only the
    layer. Each layer costs some lookup time: fold them with `citeproof index compact` from time to time.
    """
    inputs = [BuildInput(reader, paths) for reader, paths in group_files(files)]
    withdrawn = [pair for text in remove for pair in _read_withdrawn(text)]
    if not inputs and not withdrawn:
        hint = "add --from READER FILE…, or --remove ID"
        raise UsageError("there is nothing to update with", place="index update", hint=hint)
    with explain_resuming(out), show_build_progress(quiet=quiet) as progress:
        done = update_snapshot(base, inputs, out, withdrawn=withdrawn, progress=progress)
    click.echo(_describe_update(done, out), err=True)


def _describe_update(done: UpdateOutcome, out: Path) -> str:
    made = done.manifest
    return (
        f"updated {out}: {made.id}, {made.records:,} records; {done.added:,} new, "
        f"{done.replaced:,} replaced, {done.removed:,} removed"
    )


def group_files(files: Iterable[str]) -> Iterator[tuple[str, tuple[Path, ...]]]:
    """Yield each reader with the run of files that follow it; a snapshot is known by its manifest."""
    reader, paths = "", list[Path]()
    for file in files:
        name, _, path = file.partition("\0")
        if name != reader and paths:
            yield reader, tuple(paths)
            paths = []
        reader = name
        find_reader(reader)
        paths.append(Path(path) / FILE if reader == "snapshot" else Path(path))
    if paths:
        yield reader, tuple(paths)


def _read_withdrawn(text: str) -> Iterator[WithdrawnId]:
    """Yield the identifiers that an argument names: one, or a file of them."""
    path = Path(text)
    if not path.is_file():
        yield _parse_id(text, f"--remove {text[:80]}")
        return
    try:
        with path.open(encoding="utf-8", errors="replace") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip() and not line.startswith("#"):
                    yield _parse_id(line, f"{path}:{number}")
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}", place=str(path), hint="check its permissions"
        ) from error


def _parse_id(text: str, place: str) -> WithdrawnId:
    scheme, colon, value = text[:MAX_LINE].strip().partition(":")
    normal = ids.normalise_id(scheme.lower(), value) if colon else None
    if normal is None:
        hint = "write scheme:value, such as doi:10.1000/x, pmid:123 or arxiv:2101.00001"
        raise UsageError("is not an identifier", place=place, hint=hint)
    return scheme.lower(), normal


@click.command(short_help="Fold the layers of a snapshot into one.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--out", required=True, metavar="DIR", type=click.Path(path_type=Path), help="The new folder.")
@click.option(
    "--processes",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Processes that read at the same time. The snapshot is the same.",
)
@click.option("--quiet", is_flag=True, help="No progress bar.")
def compact(*, folder: Path, out: Path, processes: int, quiet: bool) -> None:
    """Fold the layers of a snapshot into one snapshot without layers.

    \b
    citeproof index compact works-30 --out works-whole

    Replaced and removed records are gone afterwards. It answers as one that is built of the remaining
    records. An interrupted run continues when the same command is run again.
    """
    with explain_resuming(out), show_build_progress(quiet=quiet) as progress:
        made = compact_snapshot(folder, out, progress=progress, processes=processes)
    size = made.bytes / made.records
    click.echo(f"built {out}: {made.id}, {made.records:,} records, {size:.0f} bytes each", err=True)

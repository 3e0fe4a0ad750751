"""`citeproof index build --processes`, `--shard` and `citeproof index merge`: builds that are shared out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from citeproof.errors import UsageError
from citeproof.index.build import build_snapshot
from citeproof.index.build_order import BuildOrder
from citeproof.index.manifest import Manifest
from citeproof.index.shard_build import build_shard
from citeproof.index.shard_merge import merge_shards
from citeproof.index.shard_share import parse_share
from citeproof.index.sharded_build import build_in_processes
from citeproof.surfaces.cli.build_progress import explain_resuming, show_build_progress

Command = TypeVar("Command", bound=Callable[..., Any])


def add_sharing_flags(command: Command) -> Command:
    """Return the command with the flags that share a build out."""
    command = click.option(
        "--shard",
        metavar="K/N",
        help="Build only share K of N, on one of several machines; then `citeproof index merge`.",
    )(command)
    return click.option(
        "--processes",
        type=click.IntRange(1, 64),
        default=1,
        show_default=True,
        help="Processes that read at the same time. The snapshot is the same.",
    )(command)


def build_with_processes(order: BuildOrder, processes: int, *, quiet: bool) -> Manifest:
    """Return the manifest of the snapshot that was built by one process or by several."""
    with explain_resuming(order.out), show_build_progress(quiet=quiet) as progress:
        if processes > 1:
            return build_in_processes(order, processes, progress)
        return build_snapshot(order, progress)


def build_one_shard(order: BuildOrder, shard: str, processes: int, *, quiet: bool) -> None:
    """Build one share of a snapshot and print how to go on."""
    share = parse_share(shard)
    if processes > 1:
        hint = "run the command once for each share, at the same time"
        raise UsageError("cannot be used with --shard", place="--processes", hint=hint)
    if order.like is not None:
        raise UsageError("cannot be used with --shard", place="--like", hint="give it to `index merge`")
    with explain_resuming(order.out), show_build_progress(quiet=quiet) as progress:
        made = build_shard(order, share, progress)
    click.echo(f"built {order.out}: share {share}, {made.read.records:,} records", err=True)
    click.echo("merge all shares with: citeproof index merge SHARD… --out DIR", err=True)


@click.command(short_help="Merge the shards of a build.")
@click.argument("shards", nargs=-1, required=True, metavar="SHARD...", type=click.Path(path_type=Path))
@click.option("--out", required=True, metavar="DIR", type=click.Path(path_type=Path), help="The new folder.")
@click.option(
    "--like",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Snapshot of before: equal records keep their bytes, and `index pull` fetches less.",
)
@click.option(
    "--processes",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Processes that sort and store at the same time.",
)
@click.option("--quiet", is_flag=True, help="No progress bar.")
def merge(*, shards: tuple[Path, ...], out: Path, like: Path | None, processes: int, quiet: bool) -> None:
    """Merge all shards of a build into one snapshot.

    \b
    citeproof index build --from crossref dump/*.json.gz --shard 1/2 --out shard-1     machine one
    citeproof index build --from crossref dump/*.json.gz --shard 2/2 --out shard-2     machine two
    citeproof index merge shard-1 shard-2 --out crossref.snapshot

    All machines are given the same files, in the same order. The snapshot has the same records, keys and id
    as one that was built in one go. Every file of a shard is checked against its SHA-256 first. An
    interrupted merge continues when the same command is run again.
    """
    with explain_resuming(out), show_build_progress(quiet=quiet) as progress:
        made = merge_shards(shards, out, progress=progress, like=like, processes=processes)
    size = made.bytes / made.records
    click.echo(f"built {out}: {made.id}, {made.records:,} records, {size:.0f} bytes each", err=True)

"""`citeproof index publish` and `pull`: snapshots that travel."""

from __future__ import annotations

from pathlib import Path

import click

from citeproof.errors import UsageError
from citeproof.evidence.index.publication import publish_snapshot
from citeproof.plumbing.clock import SystemClock
from citeproof.plumbing.net.message import SentRequest
from citeproof.proof.audit.key_store import KeyStore, take_own_key
from citeproof.service.snapshot_pull import PullOrder, PullOutcome, pull_snapshot
from citeproof.settings import load as load_settings
from citeproof.settings.config_files import find_user_file
from citeproof.surfaces.cli import command_options
from citeproof.surfaces.cli.audit.log_argument import parse_keys
from citeproof.surfaces.cli.run_notices import print_requests
from citeproof.surfaces.cli.status_line import show_bar

MB = 1e6


@click.command(short_help="Publish a snapshot as signed chunks.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@command_options.add_options("index publish")
def publish(
    *, folder: Path, out: Path, key_file: Path | None, name: str, keep: int | None, quiet: bool
) -> None:
    """Publish a snapshot as signed chunks in a folder that any web server or bucket can serve.

    \b
    citeproof audit keygen --origin example.org/snapshots --out snapshots.key
    citeproof index publish works.snapshot --out /srv/www/works --key snapshots.key

    Prints the public key. Tell it to your readers by another way than this folder: they give it to
    `citeproof index pull`. Publish the next version of the snapshot to the same folder: only chunks that
    are new are written, and those who have the edition before fetch what differs. Build that version with
    `index build --like DIR` so that equal records stay equal bytes.

    The folder is never half done: the signed note is replaced last, at once. Each snapshot needs a
    folder of its own.
    """
    place = key_file or find_user_file().with_name("snapshots.key")
    if key_file is not None and not key_file.is_file():
        hint = f"make one with: citeproof audit keygen --out {key_file}"
        raise UsageError("no such key file", place=str(key_file), hint=hint)
    key = take_own_key(KeyStore(place))
    with show_bar("publishing", quiet=quiet) as draw:

        def tell(_: str, done: int, total: int) -> None:
            if draw:
                draw(done, total)

        done = publish_snapshot(folder, out, key, SystemClock(), name=name, keep=keep or 0, tell=tell)
    made = done.manifest
    if not done.fresh:
        click.echo(f"{out}: edition {made.edition} of {made.name} has these files already", err=True)
    else:
        click.echo(
            f"published {out}: {made.name}, edition {made.edition}, {made.records:,} records, "
            f"{made.bytes / MB:,.1f} MB; new: {done.chunks:,} chunks ({done.chunk_bytes / MB:,.1f} MB), "
            f"{done.deltas:,} deltas ({done.delta_bytes / MB:,.1f} MB)",
            err=True,
        )
    if done.removed:
        click.echo(f"removed {done.removed:,} files of older editions", err=True)
    click.echo(key.verifier.text)


@click.command(short_help="Fetch a published snapshot, or what changed.")
@click.argument("url", metavar="URL")
@command_options.add_options("index pull")
def pull(
    *,
    url: str,
    name: str,
    key: str | None,
    out: Path | None,
    reuse: tuple[Path, ...],
    allow_older: bool,
    replace_key: bool,
    offline: bool | None,
    explain_network: bool,
    quiet: bool,
) -> None:
    """Fetch a published snapshot, or what changed of it, and verify every byte against its signature.

    \b
    citeproof index pull https://example.org/works --key example.org/snapshots+3f2a…+AbC…
    citeproof index pull https://example.org/works
    citeproof check refs.bib --snapshot pulled@works

    The key must be given the first time. It is pinned for that address, and later pulls use it. An edition
    older than one seen before is refused.

    Interrupted (Ctrl-C, a full disk, a lost connection, a crash)? Run the same command again to continue.
    The snapshot of before stays in use until the new one is whole. Chunks that it has are not fetched
    again. Private addresses are fetched only if the setting `private_hosts` names them.
    """
    settings = load_settings(command_options.collect_given_flags(offline=offline))
    keys = parse_keys([key]) if key else []
    if len(keys) > 1:
        raise UsageError("has more than one key", place=f"--key {key}", hint="name the key of this snapshot")
    if replace_key and not keys:
        raise UsageError("needs the new key", place="--replace-key", hint="add --key VKEY")
    sent: list[SentRequest] = []
    order = PullOrder(url, keys[0] if keys else None, name, out, reuse, allow_older, replace_key, sent.append)
    try:
        with show_bar("fetching", quiet=quiet) as draw:
            done = pull_snapshot(order, settings, SystemClock(), draw or (lambda *_: None))
    finally:
        if explain_network:
            print_requests(sent)
    click.echo(_describe_pull(done), err=True)
    click.echo(str(done.path))


def _describe_pull(done: PullOutcome) -> str:
    edition = done.edition
    what = f"{edition.name}, edition {edition.edition} of {edition.created[:10]}, {edition.records:,} records"
    if not done.fresh:
        return f"{what}: already here, nothing new"
    share = 100 * done.fetched / max(edition.bytes, 1)
    return (
        f"{what}: {edition.bytes / MB:,.1f} MB; fetched {done.fetched / MB:,.2f} MB ({share:.1f} %), reused "
        f"{done.reused / MB:,.1f} MB, made {done.patched / MB:,.1f} MB with deltas; all bytes are as signed"
    )

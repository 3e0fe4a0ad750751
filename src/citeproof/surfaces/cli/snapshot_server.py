"""`citeproof index serve`: snapshots for many workers, over the network."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from citeproof.errors import UsageError
from citeproof.settings import Settings
from citeproof.settings import load as load_settings
from citeproof.surfaces.cli import rest_server

PORT = 8708


@click.command(short_help="Serve snapshots to other machines.")
@click.argument("snapshots", nargs=-1, metavar="[SNAPSHOT]...", type=click.Path())
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True,
              help="Port to listen on; 0 lets the system choose one.")  # fmt: skip
@click.option("--tokens", type=click.Path(path_type=Path), metavar="FILE",
              help="File of tokens. With it, every request needs one of them.")  # fmt: skip
@click.option("--new-token", metavar="NAME", help="Add a token to --tokens FILE, print it and end.")
@click.option("--allow-anonymous", is_flag=True,
              help="Answer anybody who reaches the address, without a token.")  # fmt: skip
@click.option("--host-name", "hosts", multiple=True, metavar="NAME",
              help="Name under which the server is reached besides localhost. Can be repeated.")  # fmt: skip
@click.option("--processes", type=click.IntRange(1, 256), default=1, show_default=True,
              help="Processes that look things up; they share the memory of the snapshot.")  # fmt: skip
@click.option("-q", "--quiet", is_flag=True, help="Write no log of requests to standard error.")
def serve(
    *,
    snapshots: tuple[str, ...],
    host: str,
    port: int,
    tokens: Path | None,
    new_token: str | None,
    allow_anonymous: bool,
    hosts: tuple[str, ...],
    processes: int,
    quiet: bool,
) -> None:
    """Serve snapshots to other machines: many small workers ask one big snapshot over the network.

    Needs the extra `server`: pip install 'citeproof[server]'. Without SNAPSHOT, those that a run would use.

    \b
    citeproof index serve works.snapshot
    citeproof check refs.bib --snapshot http://127.0.0.1:8708/ --sources snapshot

    \b
    citeproof index serve --tokens tokens.txt --new-token worker
    citeproof index serve works.snapshot --host 0.0.0.0 --tokens tokens.txt
    CITEPROOF_SNAPSHOT_KEY=cpt_… citeproof check refs.bib --snapshot http://10.0.0.1:8708/

    On loopback no token is needed. To listen on another address, give --tokens FILE or --allow-anonymous.
    `/healthz` tells whether it is alive. To serve another edition, start it again. See docs/snapshots.md.
    """
    rest_server.require_packages("index serve", "starlette", "uvicorn", "httptools")
    if new_token is not None:
        rest_server.add_named_token(tokens, new_token)
        return
    rest_server.refuse_open_address(host, tokens, anonymous=allow_anonymous)
    settings = load_settings({"snapshots": snapshots or None})
    _run_server(settings, (host, port), tokens, (hosts, allow_anonymous, processes), quiet=quiet)


def _choose_folders(settings: Settings) -> tuple[Path, ...]:
    if addresses := settings.list_snapshot_addresses():
        hint = "name folders; a server does not serve what another one serves"
        raise UsageError("is not a folder of this machine", place=addresses[0], hint=hint)
    folders = settings.list_snapshot_folders()
    if not folders:
        hint = "name one, or make one with: citeproof index starter"
        raise UsageError("there is no snapshot to serve", place="SNAPSHOT", hint=hint)
    return folders


def _run_server(
    settings: Settings,
    address: tuple[str, int],
    tokens: Path | None,
    how: tuple[tuple[str, ...], bool, int],
    *,
    quiet: bool,
) -> None:
    """Serve until somebody ends it."""
    from citeproof.clock import SystemClock  # noqa: PLC0415 - same
    from citeproof.surfaces.rest.access_tokens import read_tokens  # noqa: PLC0415 - same
    from citeproof.surfaces.rest.request_log import ignore_entry, make_log_writer  # noqa: PLC0415 - same
    from citeproof.surfaces.rest.server_process import open_socket  # noqa: PLC0415 - same
    from citeproof.surfaces.rest.snapshot_processes import SnapshotServing, serve_snapshots  # noqa: PLC0415

    (host, port), (hosts, anonymous, processes) = address, how
    serving = SnapshotServing(
        _choose_folders(settings), read_tokens(tokens) if tokens else None, hosts, settings.trusted_proxies,
        anonymous, host, ignore_entry if quiet else make_log_writer(SystemClock()),
    )  # fmt: skip
    told = list(serving.describe())  # a damaged snapshot is told before anybody connects
    listening = open_socket(host, port)
    for line in told:
        print(line, file=sys.stderr)
    rest_server.announce_address(host, listening)
    serve_snapshots(serving, listening, processes)

"""`citeproof index serve`: snapshots for many workers, over the network."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import click

from citeproof.errors import UsageError
from citeproof.settings import load as load_settings

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
    _require_packages()
    from citeproof.surfaces.rest.access_tokens import add_token  # noqa: PLC0415 - takes its time
    from citeproof.surfaces.rest.server_options import is_loopback  # noqa: PLC0415 - same

    if new_token is not None:
        if tokens is None:
            hint = "name the file that holds the tokens, or is to hold them"
            raise UsageError("needs --tokens FILE", place="--new-token", hint=hint)
        click.echo(add_token(tokens, new_token, ()))
        return
    if not is_loopback(host) and tokens is None and not allow_anonymous:
        hint = "make tokens with --tokens FILE --new-token NAME, or add --allow-anonymous"
        raise UsageError("a public address needs tokens", place=f"--host {host}", hint=hint)
    folders = _choose_folders(snapshots)
    _run_server(folders, (host, port), tokens, (hosts, allow_anonymous, processes), quiet=quiet)


def _choose_folders(named: tuple[str, ...]) -> tuple[Path, ...]:
    settings = load_settings({"snapshots": named or None})
    if addresses := settings.list_snapshot_addresses():
        hint = "name folders; a server does not serve what another one serves"
        raise UsageError("is not a folder of this machine", place=addresses[0], hint=hint)
    folders = settings.list_snapshot_folders()
    if not folders:
        hint = "name one, or make one with: citeproof index starter"
        raise UsageError("there is no snapshot to serve", place="SNAPSHOT", hint=hint)
    return folders


def _run_server(
    folders: tuple[Path, ...],
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
        folders, read_tokens(tokens) if tokens else None, hosts, anonymous, host,
        ignore_entry if quiet else make_log_writer(SystemClock()),
    )  # fmt: skip
    told = list(serving.describe())  # a damaged snapshot is told before anybody connects
    listening = open_socket(host, port)
    shown, real = (f"[{host}]" if ":" in host else host), listening.getsockname()[1]
    for line in told:
        print(line, file=sys.stderr)
    print(f"citeproof serves http://{shown}:{real}/ (end with Ctrl-C)", file=sys.stderr, flush=True)
    serve_snapshots(serving, listening, processes)


def _require_packages() -> None:
    missing = [name for name in ("starlette", "uvicorn", "httptools") if find_spec(name) is None]
    if missing:
        hint = "pip install 'citeproof[server]'"
        raise UsageError(
            f"needs packages that are not installed: {', '.join(missing)}", place="index serve", hint=hint
        )

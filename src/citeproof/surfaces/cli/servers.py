"""`citeproof serve`, `mcp` and `lsp`: a server of the REST API, for language models, for editors."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from socket import socket
from typing import TYPE_CHECKING

import click

from citeproof import settings
from citeproof.errors import AuditError, UsageError
from citeproof.plumbing.store_address import StoreAddress, is_postgres_url
from citeproof.service.exit_codes import Exit
from citeproof.settings.config_files import find_state_folder
from citeproof.surfaces.cli import command_options, first_snapshot

if TYPE_CHECKING:
    from citeproof.plumbing.stores.job_store import JobStore
    from citeproof.surfaces.rest.server_door import ServerOptions

PORT = 8707


@click.command(short_help="Serve the web page and the REST API.")
@command_options.add_options("serve")
def command(
    *,
    host: str,
    port: int,
    store: str | None,
    tokens: Path | None,
    new_token: str | None,
    scopes: tuple[str, ...],
    allow_anonymous: bool,
    hosts: tuple[str, ...],
    workers: int,
    max_jobs: int,
    rate: float,
    quiet: bool,
    explain_network: bool,
    **flags: object,
) -> int:
    """Serve the web page and the REST API: check, verify, ground and fix over HTTP, long work as jobs.

    Needs the extra `server`: pip install 'citeproof[server]'. On loopback no token is needed. To listen on
    another address, give --tokens FILE or --allow-anonymous. Jobs and runs survive a restart. See
    docs/server.md.

    \b
    citeproof serve
    citeproof serve --offline --snapshot works.snapshot
    citeproof serve --tokens tokens.txt --new-token ann --scope llm
    citeproof serve --host 0.0.0.0 --tokens tokens.txt
    """
    del explain_network  # the sources of every answer are in it
    require_packages("serve", "fastapi", "uvicorn", "python_multipart", "mcp")
    from citeproof.surfaces.rest.server_door import ServerOptions  # noqa: PLC0415 - takes its time

    if new_token is not None:
        return add_named_token(tokens, new_token, scopes)
    refuse_open_address(host, tokens, anonymous=allow_anonymous)
    chosen = settings.load(command_options.collect_given_flags(**flags))
    options = ServerOptions(
        workers=workers,
        most_waiting=max_jobs,
        token_rate=rate,
        token_burst=max(1, round(10 * rate)),
        allow_anonymous=allow_anonymous,
        hosts=hosts,
        proxies=chosen.trusted_proxies,
    )
    _run_server(chosen, options, (host, port), store, tokens, quiet=quiet)
    return Exit.CLEAN


def _run_server(
    chosen: settings.Settings,
    options: ServerOptions,
    address: tuple[str, int],
    store: str | None,
    tokens: Path | None,
    *,
    quiet: bool,
) -> None:
    """Serve until somebody ends it."""
    from citeproof.plumbing.clock import SystemClock  # noqa: PLC0415 - same
    from citeproof.plumbing.stores.job_store import JobStore  # noqa: PLC0415 - same
    from citeproof.surfaces.rest.access_tokens import read_tokens  # noqa: PLC0415 - same
    from citeproof.surfaces.rest.app import create_app  # noqa: PLC0415 - same
    from citeproof.surfaces.rest.server_door import ignore_entry, is_loopback, make_log_writer  # noqa: PLC0415 - same
    from citeproof.surfaces.rest.server_process import open_socket, serve_app  # noqa: PLC0415 - same

    host, port = address
    log = ignore_entry if quiet else make_log_writer(SystemClock())
    folder, shared = _choose_store(store)
    if shared and chosen.shared_store is None:  # servers that share jobs also share what they ask
        chosen = replace(chosen, shared_store=StoreAddress(shared))
    _try_store(JobStore(shared or folder))
    listening = open_socket(host, port)
    app = create_app(
        chosen,
        folder=folder,
        store=shared,
        options=options,
        tokens=read_tokens(tokens) if tokens else None,
        local=is_loopback(host),
        log=log,
    )
    pool = app.state.door.runner.pool
    pool.prepare()  # what is missing is reported before a client connects
    announce_address(host, listening)
    if refusal := pool.find_refusal():
        print(f"! claims and answers of models are refused: {refusal.message}", file=sys.stderr)
        print(f"  hint: {refusal.hint}", file=sys.stderr, flush=True)
    first_snapshot.print_starter_hint(chosen, int(chosen.offline), told=False)  # it could decide nothing
    serve_app(app, listening, log)


def announce_address(host: str, listening: socket) -> None:
    """Print where a server is."""
    shown, real = (f"[{host}]" if ":" in host else host), listening.getsockname()[1]
    print(f"citeproof serves http://{shown}:{real}/ (end with Ctrl-C)", file=sys.stderr, flush=True)


def refuse_open_address(host: str, tokens: Path | None, *, anonymous: bool) -> None:
    """Raise a UsageError if others than this machine would be served without being asked for a token."""
    from citeproof.surfaces.rest.server_door import is_loopback  # noqa: PLC0415 - same

    if not is_loopback(host) and tokens is None and not anonymous:
        hint = "make tokens with --tokens FILE --new-token NAME, or add --allow-anonymous"
        raise UsageError("a public address needs tokens", place=f"--host {host}", hint=hint)


def _try_store(store: JobStore) -> None:
    """Raise in words if the store of jobs cannot be used, before anybody connects."""
    try:
        store.list_waiting()
    except AuditError as error:
        raise UsageError(error.message, place=error.place, hint=error.hint) from error
    finally:
        store.close()


def add_named_token(tokens: Path | None, name: str, scopes: tuple[str, ...] = ()) -> int:
    """Print a new token, whose hash is in the file now; UsageError if no file is named."""
    from citeproof.surfaces.rest.access_tokens import add_token  # noqa: PLC0415 - same

    if tokens is None:
        hint = "name the file that holds the tokens, or is to hold them"
        raise UsageError("needs --tokens FILE", place="--new-token", hint=hint)
    print(add_token(tokens, name, scopes))
    return Exit.CLEAN


def _choose_store(named: str | None) -> tuple[Path, str]:
    """Return the folder of the server, and the address of the database for its jobs; empty: in the folder."""
    if named and is_postgres_url(named):
        return find_state_folder("server"), named
    return Path(named) if named else find_state_folder("server"), ""


def require_packages(command: str, *names: str) -> None:
    """Raise a UsageError if packages of the extra `server` are missing."""
    if missing := [name for name in names if find_spec(name) is None]:
        hint = "pip install 'citeproof[server]'"
        raise UsageError(
            f"needs packages that are not installed: {', '.join(missing)}", place=command, hint=hint
        )


@click.command("mcp", short_help="Serve the tools to a language model over MCP.")
@command_options.add_options("mcp")
def mcp_command(*, roots: tuple[Path, ...], strict_compat: bool, allow_llm: bool, **flags: object) -> int:
    """Serve the tools of citeproof over the Model Context Protocol, on standard input and output.

    A client such as an editor or a chat application starts this command itself; see docs/mcp.md for how to
    set it up there. It ends when the client closes its end.

    \b
    citeproof mcp
    citeproof mcp --offline --snapshot works.snapshot
    citeproof mcp --root ~/papers --contact you@example.org
    citeproof mcp --strict-compat --audit audit
    """
    chosen = settings.load(command_options.collect_given_flags(**flags))
    if allow_llm and not chosen.llm:
        raise UsageError("no language model is set", place="--allow-llm", hint="name one with --llm")
    _require_extra("mcp", "mcp")
    from citeproof.surfaces.mcp.tool_server import serve_stdio  # noqa: PLC0415 - the extra may be missing

    serve_stdio(chosen, roots, strict=strict_compat, allow_llm=allow_llm)
    return Exit.CLEAN


@click.command("lsp", short_help="Serve an editor over the Language Server Protocol.")
@command_options.add_options("lsp")
def lsp_command(*, stdio: bool, **flags: object) -> int:
    """Serve an editor over the Language Server Protocol, on standard input and output.

    An editor starts this command itself; docs/editors.md has the set-up for VS Code, Neovim and others. It
    checks .bib, .tex, .md and .rst files when they are opened and saved, in the background: problems, what
    was found next to what is claimed, the fixes of `citeproof fix`, and a way to ignore a problem.

    \b
    citeproof lsp
    citeproof lsp --offline --snapshot works.snapshot
    citeproof lsp --policy journal --ignore ~/.config/citeproof/ignore.toml
    """
    del stdio  # editors pass it to every server
    chosen = settings.load(command_options.collect_given_flags(**flags))
    _require_extra("lsp", "pygls")
    from citeproof.surfaces.lsp.language_server import serve_editor  # noqa: PLC0415 - the extra may be missing

    serve_editor(chosen)
    return Exit.CLEAN


def _require_extra(extra: str, package: str) -> None:
    if find_spec(package) is None:
        hint = f"pip install 'citeproof[{extra}]'"
        raise UsageError(f"the extra `{extra}` is not installed", place=f"citeproof {extra}", hint=hint)

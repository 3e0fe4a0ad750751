"""`citeproof mcp`: the tools of citeproof for language models, on standard input and output."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import click

from citeproof import settings
from citeproof.errors import UsageError
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import command_options


@click.command(short_help="Serve the tools to a language model over MCP.")
@command_options.add_options("mcp")
def command(*, roots: tuple[Path, ...], strict_compat: bool, allow_llm: bool, **flags: object) -> int:
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
    if find_spec("mcp") is None:
        hint = "pip install 'citeproof[mcp]'"
        raise UsageError("the extra `mcp` is not installed", place="citeproof mcp", hint=hint)
    from citeproof.surfaces.mcp.tool_server import serve_stdio  # noqa: PLC0415 - the extra may be missing

    serve_stdio(chosen, roots, strict=strict_compat, allow_llm=allow_llm)
    return Exit.CLEAN

"""`citeproof mcp`: the tools of citeproof for language models, on standard input and output."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import click

from citeproof import settings
from citeproof.errors import UsageError
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import setting_flags


@click.command(short_help="Serve the tools to a language model over MCP.")
@click.option(
    "--root",
    "roots",
    multiple=True,
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Let tools read files below this folder. Can be repeated; without it they read no file.",
)
@click.option(
    "--strict-compat",
    is_flag=True,
    help="Answer with the keys and verdicts that other servers of verifyCitation have, and no more.",
)
@click.option(
    "--allow-llm", is_flag=True, help="Let clients set screenWithLlm, which asks the model of --llm."
)
@setting_flags.make_setting_flag("snapshots", multiple=True, metavar="DIR", type=click.Path())
@setting_flags.make_setting_flag("offline", is_flag=True, flag_value=True)
@setting_flags.make_setting_flag("sources", metavar="A,B")
@setting_flags.make_setting_flag("memory", metavar="DIR", type=click.Path(path_type=Path))
@setting_flags.make_setting_flag("contact", metavar="EMAIL")
@setting_flags.make_setting_flag("texts", multiple=True, metavar="DIR", type=click.Path(path_type=Path))
@setting_flags.add_promise_flag
@setting_flags.add_model_flags
@setting_flags.make_setting_flag("lists_pin", metavar="FILE")
@setting_flags.add_audit_flags
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
    chosen = settings.load(setting_flags.collect_given_flags(**flags))
    if allow_llm and not chosen.llm:
        raise UsageError("no language model is set", place="--allow-llm", hint="name one with --llm")
    if find_spec("mcp") is None:
        hint = "pip install 'citeproof[mcp]'"
        raise UsageError("the extra `mcp` is not installed", place="citeproof mcp", hint=hint)
    from citeproof.surfaces.mcp.tool_server import serve_stdio  # noqa: PLC0415 - the extra may be missing

    serve_stdio(chosen, roots, strict=strict_compat, allow_llm=allow_llm)
    return Exit.CLEAN

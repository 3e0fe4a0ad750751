"""`citeproof lsp`: the language server for editors, on standard input and output."""

from __future__ import annotations

from importlib.util import find_spec

import click

from citeproof import settings
from citeproof.errors import UsageError
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import command_options


@click.command(short_help="Serve an editor over the Language Server Protocol.")
@command_options.add_options("lsp")
def command(*, stdio: bool, **flags: object) -> int:
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
    if find_spec("pygls") is None:
        hint = "pip install 'citeproof[lsp]'"
        raise UsageError("the extra `lsp` is not installed", place="citeproof lsp", hint=hint)
    from citeproof.surfaces.lsp.language_server import serve_editor  # noqa: PLC0415 - the extra may be missing

    serve_editor(chosen)
    return Exit.CLEAN

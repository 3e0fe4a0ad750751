"""`citeproof completion`: the Tab key completes commands, flags and files."""

from __future__ import annotations

from typing import Any

import click

from citeproof.answers.reporters.wording import show_line
from citeproof.errors import UsageError
from citeproof.service.exit_codes import Exit
from citeproof.service.shell_completion import install_completion
from citeproof.settings.user_folders import SHELLS, detect_shell, find_shell_files

_VARIABLE = "_CITEPROOF_COMPLETE"  # as click makes it of the program's name
_shell = click.argument("shell", type=click.Choice(SHELLS), required=False)


@click.group(short_help="Install completion with the Tab key in bash, zsh or fish.")
def command() -> None:
    """Complete commands, flags and files with the Tab key, in bash, zsh and fish.

    \b
    citeproof completion install         for the shell you are in
    citeproof completion install zsh
    """


@command.command()
@_shell
@click.pass_context
def install(context: click.Context, *, shell: str | None) -> int:
    """Install the completion for SHELL; without it, for the shell you are in.

    bash and zsh: writes a script to citeproof's data folder and loads it in ~/.bashrc or ~/.zshrc, in a
    marked block. fish: writes ~/.config/fish/completions/citeproof.fish. A second time changes nothing.
    """
    files = find_shell_files(_choose_shell(shell))
    done = list(install_completion(files, _make_script(context, files.shell)))
    for text in done:
        print(f"{files.shell}: {show_line(text)}")
    if not done:
        print(f"{files.shell}: already installed, nothing changed")
    elif files.start is not None:
        print(f"Open a new {files.shell}, or run: . {show_line(str(files.start))}")
    return Exit.CLEAN


def _choose_shell(named: str | None) -> str:
    shell = named or detect_shell()
    if shell is None:
        hint = f"name it: {', '.join(SHELLS)}"
        raise UsageError("cannot tell which shell you use", place="SHELL", hint=hint)
    return shell


def _make_script(context: click.Context, shell: str) -> str:
    from click.shell_completion import get_completion_class  # noqa: PLC0415 - --help does not need it

    make: Any = get_completion_class(shell)
    script: str = make(context.find_root().command, {}, "citeproof", _VARIABLE).source()
    return script

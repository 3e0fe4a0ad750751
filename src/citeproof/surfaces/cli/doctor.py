"""`citeproof doctor`: what works here, what is missing, and how to fix it; `completion`: the Tab key."""

from __future__ import annotations

from typing import Any, cast

import click

from citeproof import settings
from citeproof.answers.reporters.wording import format_count, show_line
from citeproof.errors import UsageError
from citeproof.plumbing.clock import SystemClock
from citeproof.service.exit_codes import Exit
from citeproof.service.installation_advice import list_advice
from citeproof.service.installation_check import examine_installation
from citeproof.service.shell_completion import install_completion
from citeproof.settings.user_folders import SHELLS, detect_shell, find_shell_files
from citeproof.surfaces.cli import command_options


@click.command(short_help="Diagnose the installation.")
@command_options.add_options("doctor")
def command(*, verbose: bool) -> int:
    """Check Python, packages, extras, the sandbox, settings, folders, snapshots and sources.

    The output begins with what would make the next run better, each with the command to run. Problems
    follow, each with a hint that says how to fix it. Exit code 1 if there is one.
    Opens no network connection. To test whether the sources answer, run `citeproof sources test`.
    """
    chosen = settings.load()
    rows = examine_installation(chosen)
    advice = list_advice(chosen, SystemClock())
    if advice:
        print("What would make the next run better:")
    for hint in advice:
        print(f"- {show_line(hint.what)}\n    {show_line(hint.command, 2000)}")
    width = max(len(row.name) for row in rows)
    for row in (row for row in rows if row.hint or verbose):
        print(f"{'!' if row.hint else ' '} {row.name:<{width}}  {show_line(row.value)}")
        if row.hint and not any(hint.command in row.hint for hint in advice):  # then it stands below
            print(f"  {'':<{width}}  hint: {show_line(row.hint)}")
    sick = sum(bool(row.hint) for row in rows)
    more = "" if verbose else " (-v shows what was looked at)"
    print(f"{format_count(sick, 'problem') if sick else 'no problem'} found{more}")
    return Exit.PROBLEMS if sick else Exit.CLEAN


_VARIABLE = "_CITEPROOF_COMPLETE"  # as click makes it of the program's name


@click.group("completion", short_help="Install completion with the Tab key in bash, zsh or fish.")
def completion_command() -> None:
    """Complete commands, flags and files with the Tab key, in bash, zsh and fish.

    \b
    citeproof completion install         for the shell you are in
    citeproof completion install zsh
    """


@completion_command.command()
@click.argument("shell", type=click.Choice(SHELLS), required=False)
@click.pass_context
def install(context: click.Context, *, shell: str | None) -> int:
    """Install the completion for SHELL; without it, for the shell you are in.

    bash and zsh: writes a script to citeproof's data folder and loads it in ~/.bashrc or ~/.zshrc, in a
    marked block. fish: writes ~/.config/fish/completions/citeproof.fish. A second time changes nothing.
    """
    from click.shell_completion import get_completion_class  # noqa: PLC0415 - --help does not need it

    named = shell or detect_shell()
    if named is None:
        hint = f"name it: {', '.join(SHELLS)}"
        raise UsageError("cannot tell which shell you use", place="SHELL", hint=hint)
    files, make = find_shell_files(named), cast("Any", get_completion_class(named))
    script = make(context.find_root().command, {}, "citeproof", _VARIABLE).source()
    done = list(install_completion(files, script))
    for text in done:
        print(f"{files.shell}: {show_line(text)}")
    if not done:
        print(f"{files.shell}: already installed, nothing changed")
    elif files.start is not None:
        print(f"Open a new {files.shell}, or run: . {show_line(str(files.start))}")
    return Exit.CLEAN

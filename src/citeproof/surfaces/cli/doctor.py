"""`citeproof doctor`: what works here, what is missing, and how to fix it."""

from __future__ import annotations

import click

from citeproof import settings
from citeproof.answers.reporters.wording import show_line
from citeproof.errors import format_count
from citeproof.plumbing.clock import SystemClock
from citeproof.service.exit_codes import Exit
from citeproof.service.installation_advice import list_advice
from citeproof.service.installation_check import examine_installation
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

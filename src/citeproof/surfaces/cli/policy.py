"""`citeproof policy`: the policies that are there, and their rules."""

from __future__ import annotations

import click

from citeproof.answers.reporters.wording import show_line
from citeproof.answers.serializers import dump_pretty
from citeproof.answers.serializers.report import build_policy_json
from citeproof.errors import UsageError
from citeproof.service.exit_codes import Exit
from citeproof.settings.policies.policy_reader import SHIPPED, list_policies, read_policy, read_policy_text
from citeproof.surfaces.cli import command_options


@click.group(short_help="List and show policies.")
def command() -> None:
    """List and show the policies that decide what fails a run.

    \b
    citeproof policy list
    citeproof policy show strict
    citeproof policy show journal --toml > ours.toml
    """


@command.command("list")
def list_command() -> int:
    """List the shipped policies."""
    width = max(map(len, SHIPPED))
    for policy in list_policies():
        print(f"{policy.name:<{width}}  {policy.title}")
    return Exit.CLEAN


@command.command("show")
@click.argument("named", metavar="NAME|FILE")
@command_options.add_options("policy show")
def show_command(named: str, *, toml: bool, form: str) -> int:
    """Show the rules of a policy, in the order in which they are asked."""
    policy = read_policy(named)
    if toml:
        if named not in SHIPPED:
            raise UsageError("is a file already", place=named, hint="name a shipped policy with --toml")
        print(read_policy_text(named), end="")
    elif form == "json":
        print(dump_pretty(build_policy_json(policy)))
    else:
        print(show_line(f"{policy.name} ({policy.digest}): {policy.title}", 2000))
        for n, rule in enumerate(policy.rules, 1):
            about = "; ".join(f"{name}: {', '.join(sorted(words))}" for name, words in rule.conditions)
            print(f"{n:>3}. {rule.gate:<5} {rule.id}  ({about})")
            print(f"     {show_line(rule.why, 2000)}")
    return Exit.CLEAN

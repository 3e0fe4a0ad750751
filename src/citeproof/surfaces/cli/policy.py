"""`citeproof policy`: the policies that are there, their rules, and a report under several of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from citeproof.answers.reporters.wording import show_line
from citeproof.answers.serializers import dump_pretty
from citeproof.answers.serializers.report import build_policy_json
from citeproof.errors import UsageError
from citeproof.service.exit_codes import Exit
from citeproof.settings.policies.policy_reader import SHIPPED, list_policies, read_policy, read_policy_text
from citeproof.surfaces.cli import command_options
from citeproof.vocabulary import NOT_READ

_WORST = (Exit.PROBLEMS, Exit.UNCHECKED, Exit.NOTHING)


@click.group(short_help="List and show policies, or apply them to a report.")
def command() -> None:
    """List and show the policies that decide what fails a run, or apply them to a report.

    \b
    citeproof policy list
    citeproof policy show strict
    citeproof policy show journal --toml > ours.toml
    citeproof policy apply report.json author journal strict
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


@command.command("apply")
@click.argument("report", type=click.Path(path_type=Path))
@click.argument("names", metavar="NAME|FILE…", nargs=-1, required=True)
@command_options.add_options("policy apply")
def apply_command(report: Path, names: Sequence[str], form: str) -> int:
    """Apply policies to a REPORT that was written before: evidence once, many gates.

    REPORT is what `check --format json` or `jsonl` wrote, or the results.jsonl of a batch. Nothing is checked
    again. The exit code is that of a check with the policy; with several, the worst one. JSON Lines do not
    say which places of the documents could not be read, so that a policy that fails on those ends with 4.
    """
    from citeproof.service.gated_reports import gate_report, read_report_file  # noqa: PLC0415 - takes its time

    policies = [read_policy(name) for name in names]
    written = read_report_file(report)
    gated = [gate_report(written, policy) for policy in policies]
    if form == "json":
        print(dump_pretty({"policies": [outcome.build_json() for outcome in gated]}))
    else:
        for outcome in gated:
            head, *lines = outcome.format_lines()
            print(f"{head}; exit code {int(outcome.exit_code)}")
            for line in lines:
                print(f"  {line}")
        if written.unread is None:
            print(f"note: a JSON Lines report does not say which places {NOT_READ}; a JSON report does")
    codes = {outcome.exit_code for outcome in gated}
    return next((code for code in _WORST if code in codes), Exit.CLEAN)

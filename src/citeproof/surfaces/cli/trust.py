"""`citeproof trust` and `init`: a project's settings file, trusted or begun; `policy`: what fails a run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import click

from citeproof import settings
from citeproof.answers.reporters.wording import show_line
from citeproof.answers.serializers import dump_pretty
from citeproof.answers.serializers.report import build_policy_json
from citeproof.errors import UsageError
from citeproof.plumbing.output_files import write_file
from citeproof.service.exit_codes import Exit
from citeproof.settings import ConfigFile
from citeproof.settings.policies.policy_reader import SHIPPED, list_policies, read_policy, read_policy_text
from citeproof.settings.setting_table import build_config_template
from citeproof.surfaces.cli import command_options


@click.command("trust", short_help="Trust a project's settings file.")
@click.argument(
    "folder", metavar="[FOLDER]", default=".", type=click.Path(path_type=Path, exists=True, file_okay=False)
)
@command_options.add_options("trust")
def trust_command(folder: Path, *, show: bool, revoke: bool, list_: bool) -> int:
    """Trust the project file of FOLDER (default: the current folder).

    Without trust, a project's file can only choose what is checked and which report is written, and set
    stricter rules. Addresses, judges, thresholds, snapshots, folders and limits need your trust. Trust is
    bound to the file's SHA-256: if the file changes, you must trust it again.

    \b
    citeproof trust --show
    citeproof trust
    citeproof trust path/to/project --revoke
    """
    if sum((show, revoke, list_)) > 1:
        raise UsageError(
            "--show, --revoke and --list cannot be used together", place="trust", hint="give one"
        )
    store = settings.open_trust_store()
    if list_:
        for path, digest in store.read().items():
            print(f"{show_line(path)}  {show_line(digest)}")
        return Exit.CLEAN
    file = settings.read_project(folder.resolve())
    if file is None:
        hint = "name the folder that holds citeproof.toml, or pyproject.toml with [tool.citeproof]"
        raise UsageError("no project file here or above", place=str(folder), hint=hint)
    if revoke:
        print(f"{show_line(str(file.path))} is {'no longer' if store.remove(file.path) else 'not'} trusted")
        return Exit.CLEAN
    refused = settings.list_refused(file)
    _print_refused(file, refused)
    if refused and not show:
        digest = store.add(file.path, file.data)
        print(f"trusted as it is now (SHA-256 {digest[:16]}…); a change to the file ends this")
        print("note: files that it names, such as thresholds or snapshots, are not bound to this")
    return Exit.CLEAN


def _print_refused(file: ConfigFile, refused: Mapping[str, object]) -> None:
    if not refused:
        print(f"{show_line(str(file.path))} sets nothing that needs trust")
        return
    print(f"{show_line(str(file.path))} sets what only a trusted file may set:")
    for name in refused:
        shown = str(settings.to_plain_value(file.values[name]))
        print(f"  {name} = {show_line(shown, 10 * len(shown) + 10)}")  # whole: this is what is agreed to


NAME = "citeproof.toml"


@click.command("init", short_help="Write a commented settings file for a project.")
@click.argument(
    "folder", metavar="[FOLDER]", default=".", type=click.Path(path_type=Path, exists=True, file_okay=False)
)
@command_options.add_options("init")
def init_command(folder: Path, *, force: bool) -> int:
    """Write citeproof.toml to FOLDER (default: the current folder).

    The file has every setting with its default and one line of help, all commented out: it changes nothing
    until you remove the "# " of a line.

    \b
    citeproof init
    citeproof init path/to/project --force
    """
    path = folder / NAME
    if os.path.lexists(path) and not force:
        raise UsageError(
            "is there already", place=str(path), hint="edit it, or replace it with citeproof init --force"
        )
    write_file(path, build_config_template().encode())
    print(f"written: {show_line(str(path))}")
    return Exit.CLEAN


@click.group(short_help="List and show policies.")
def policy_command() -> None:
    """List and show the policies that decide what fails a run.

    \b
    citeproof policy list
    citeproof policy show strict
    citeproof policy show journal --toml > ours.toml
    """


@policy_command.command("list")
def list_command() -> int:
    """List the shipped policies."""
    width = max(map(len, SHIPPED))
    for policy in list_policies():
        print(f"{policy.name:<{width}}  {policy.title}")
    return Exit.CLEAN


@policy_command.command("show")
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

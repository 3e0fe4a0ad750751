"""Flags that several commands share, made from the one table of settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from citeproof.errors import UsageError
from citeproof.service.input_kinds import CLIPBOARD
from citeproof.settings import TABLE

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
_ROWS = {row.name: row for row in TABLE}


def make_setting_flag(name: str, **more: Any) -> Callable[[Decorated], Decorated]:  # noqa: ANN401 - click.option's own keywords
    """Return the flag of setting `name`, with the help text and variable of the table."""
    row = _ROWS[name]
    return click.option(row.flag, name, help=f"{row.help} [{row.env}]", default=None, **more)


def add_flags(command: Decorated, *flags: Callable[[Decorated], Decorated]) -> Decorated:
    """Return `command` with flags, in the order of its help."""
    for flag in reversed(flags):
        command = flag(command)
    return command


def add_evidence_flags(command: Decorated) -> Decorated:
    """Return `command` with the flags that say what to check against, and what may leave the machine."""
    return add_flags(
        command,
        make_setting_flag("snapshots", multiple=True, metavar="DIR", type=click.Path()),
        make_setting_flag("offline", is_flag=True, flag_value=True),
        make_setting_flag("sources", metavar="A,B"),
        make_setting_flag("route", type=click.Choice(["registries-first", "web-first"])),
        make_setting_flag("memory", metavar="DIR"),
        make_setting_flag("contact", metavar="EMAIL"),
        click.option(
            "--explain-network", is_flag=True, help="Print on standard error what was sent over the network."
        ),
    )


def add_audit_flags(command: Decorated) -> Decorated:
    """Return `command` with the flags of the audit log."""
    return add_flags(
        command,
        make_setting_flag("audit_dir", metavar="DIR"),  # as text: an empty one is not a folder
        make_setting_flag("audit_run", metavar="NAME"),
        make_setting_flag("audit_anchors", metavar="A,B"),
    )


def add_model_flags(command: Decorated) -> Decorated:
    """Return `command` with the flags of a language model."""
    return add_flags(
        command,
        make_setting_flag("llm", metavar="PROVIDER:MODEL"),
        make_setting_flag("llm_max_dollars", metavar="DOLLARS"),
        make_setting_flag("llm_search", is_flag=True, flag_value=True),
    )


def add_promise_flag(command: Decorated) -> Decorated:
    """Return `command` with the flag that bounds how many real references may be called wrong."""
    return make_setting_flag("max_false_accusations", metavar="SHARE")(command)


def make_format_flag(
    *formats: str, about: str = "", default: str = "text"
) -> Callable[[Decorated], Decorated]:
    """Return `--format`, which is passed as `form`."""
    kinds = click.Choice(formats)
    return click.option(
        "--format", "form", type=kinds, default=default, show_default=True, help=about or None
    )


def make_output_flag(what: str) -> Callable[[Decorated], Decorated]:
    """Return `-o OUT`, the file that `what` is written to."""
    about = f"Write {what} to this file."
    return click.option("-o", "--output", type=click.Path(path_type=Path), metavar="OUT", help=about)


def collect_given_flags(**flags: object) -> dict[str, object]:
    """Return the flags for `settings.load`: those that were not given are None."""
    return {name: None if value == () else value for name, value in flags.items()}


def refuse_together(place: str, flags: Mapping[str, object]) -> None:
    """Raise a UsageError if more than one of some flags is given."""
    given = [name for name, value in flags.items() if value]
    if len(given) > 1:
        message = f"{' and '.join(given)} cannot be used together"
        raise UsageError(message, place=place, hint="give one of them")


def refuse_alone(name: str, value: object, owner: str, owned: object) -> None:
    """Raise a UsageError if a flag is given without the one that it belongs to."""
    if value and not owned:
        raise UsageError(f"needs {owner}", place=name, hint=f"leave it out, or add {owner}")


def add_inputs(function: Callable[..., int]) -> Callable[..., int]:
    """Give a command INPUT… and --clipboard; it gets all of them as `files`."""

    @click.argument("files", nargs=-1, metavar="INPUT…", type=click.Path())
    @click.option(
        "--clipboard", is_flag=True, help="Read the text on the clipboard, such as a chat's answer."
    )
    @wraps(function)
    def with_inputs(files: Sequence[str], *, clipboard: bool, **flags: Any) -> int:  # noqa: ANN401 - the command's
        if not files and not clipboard:
            raise click.UsageError("Missing argument 'INPUT…'.", click.get_current_context())
        return function((*files, CLIPBOARD) if clipboard else files, **flags)

    return with_inputs

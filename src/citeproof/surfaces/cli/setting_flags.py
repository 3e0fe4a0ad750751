"""Flags that several commands share, made from the one table of settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from citeproof.settings import TABLE

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
_ROWS = {row.name: row for row in TABLE}


def make_setting_flag(name: str, **more: Any) -> Callable[[Decorated], Decorated]:  # noqa: ANN401 - click.option's own keywords
    """Return the flag of setting `name`, with the help text and variable of the table."""
    row = _ROWS[name]
    return click.option(row.flag, name, help=f"{row.help} [{row.env}]", default=None, **more)


def add_evidence_flags(command: Decorated) -> Decorated:
    """Return `command` with the flags that say what to check against, and what may leave the machine."""
    flags = (
        make_setting_flag("snapshots", multiple=True, metavar="DIR", type=click.Path(path_type=Path)),
        make_setting_flag("offline", is_flag=True, flag_value=True),
        make_setting_flag("sources", metavar="A,B"),
        make_setting_flag("contact", metavar="EMAIL"),
        click.option(
            "--explain-network", is_flag=True, help="Print on standard error what was sent over the network."
        ),
    )
    for flag in reversed(flags):
        command = flag(command)
    return command


def add_audit_flags(command: Decorated) -> Decorated:
    """Return `command` with the flags of the audit log."""
    flags = (
        make_setting_flag("audit_dir", metavar="DIR"),  # as text: an empty one is not a folder
        make_setting_flag("audit_run", metavar="NAME"),
        make_setting_flag("audit_anchors", metavar="A,B"),
    )
    for flag in reversed(flags):
        command = flag(command)
    return command


def add_promise_flag(command: Decorated) -> Decorated:
    """Return `command` with the flag that bounds how many real references may be called wrong."""
    return make_setting_flag("max_false_accusations", metavar="SHARE")(command)


def collect_given_flags(**flags: object) -> dict[str, object]:
    """Return the flags for `settings.load`: those that were not given are None."""
    return {name: None if value == () else value for name, value in flags.items()}

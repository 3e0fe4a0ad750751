"""Flags that several commands share, made from the one table of settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from citeproof.settings import TABLE

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
_ROWS = {row.name: row for row in TABLE}


def setting(name: str, **more: Any) -> Callable[[Decorated], Decorated]:  # noqa: ANN401 - click.option's own keywords
    """Return the flag of setting `name`, with the help text and variable of the table."""
    row = _ROWS[name]
    return click.option(row.flag, name, help=f"{row.help} [{row.env}]", default=None, **more)


def evidence(command: Decorated) -> Decorated:
    """Return `command` with the flags that say what to check against, and what may leave the machine."""
    flags = (
        setting("snapshots", multiple=True, metavar="DIR", type=click.Path(path_type=Path)),
        setting("offline", is_flag=True, flag_value=True),
        setting("sources", metavar="A,B"),
        setting("contact", metavar="EMAIL"),
        click.option("--explain-network", is_flag=True, help="Say on standard error what left the machine."),
    )
    for flag in reversed(flags):
        command = flag(command)
    return command


def audited(command: Decorated) -> Decorated:
    """Return `command` with the flags of the audit log."""
    flags = (
        setting("audit_dir", metavar="DIR"),  # as text: an empty one is no folder
        setting("audit_run", metavar="NAME"),
        setting("audit_anchors", metavar="A,B"),
    )
    for flag in reversed(flags):
        command = flag(command)
    return command


def promise(command: Decorated) -> Decorated:
    """Return `command` with the flag that bounds how many real references may be called wrong."""
    return setting("max_false_accusations", metavar="SHARE")(command)


def given(**flags: object) -> dict[str, object]:
    """Return the flags for `settings.load`: those that were not given are None."""
    return {name: None if value == () else value for name, value in flags.items()}

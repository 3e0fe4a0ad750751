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
    """Return `command` with the flags that say what to check against."""
    snapshot = setting("snapshots", multiple=True, metavar="DIR", type=click.Path(path_type=Path))
    offline = setting("offline", is_flag=True, flag_value=True)
    return snapshot(offline(setting("sources", metavar="A,B")(command)))


def given(**flags: object) -> dict[str, object]:
    """Return the flags for `settings.load`: those that were not given are None."""
    return {name: None if value == () else value for name, value in flags.items()}

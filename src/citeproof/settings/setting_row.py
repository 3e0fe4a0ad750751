"""One row of the table of settings, and the field that it is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from citeproof.settings.project_rules import ProjectRule


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the table: its name, how it is set, and what it means."""

    name: str
    read: Callable[[object, Path], object]  # (value, the folder relative paths start from)
    env: str
    flag: str
    help: str
    project: ProjectRule | None = None  # what a project's file may set it to; None: nothing


def make_row(
    default: object,
    read: Callable[[object, Path], object],
    help_: str,
    project: ProjectRule | None = None,
    *,
    env: str = "",
    flag: str = "",
) -> Any:  # noqa: ANN401 - like dataclasses.field, which it wraps
    """Return the field of a setting; `default` is its value or makes it, `env` an odd variable."""
    told = {"read": read, "env": env, "flag": flag, "help": help_, "project": project}
    make = default if callable(default) else lambda: default
    return field(default_factory=make, metadata=told)

"""What a project's file may set: a short allow-list, because the project may be a stranger's.

A project chooses which report is written, which further folders its corpus has, and how strict the check is.
Nothing that it sets takes something out of a run, or makes one laxer. It names no path outside itself, no
address, judge, cache, log, proxy, key or limit: those come from the user's own file, the environment, flags,
or from a project file that the user trusts (`citeproof trust`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath, PureWindowsPath
from typing import Any

from citeproof.vocabulary import CHECK_NAMES, EXCEPT


@dataclass(frozen=True, slots=True)
class ProjectRule:
    """Which values a project's file may give to a setting."""

    allows: Callable[[Any, Any], bool]  # (its value, the value of the user), both of the setting's type
    help: str


def _is_stricter(value: tuple[str, ...], own: tuple[str, ...]) -> bool:
    """Return whether a run fails on all that the user wants it to fail on.

    Noted implies minor, minor major, findings every check; an exception that the user did not make is weaker.
    """
    words, wanted = set(value), {word for word in own if not word.startswith(EXCEPT)}
    words |= {"minor"} if "noted" in words else set()
    words |= {"major"} if "minor" in words else set()
    words |= set(CHECK_NAMES) if "findings" in words else set()
    exceptions = {word for word in words if word.startswith(EXCEPT)}
    return words >= wanted and exceptions <= set(own)


def _is_longer(value: tuple[str, ...], own: tuple[str, ...]) -> bool:
    """Return whether nothing of the user's list is left out, and all that is added is below the project."""
    for path in {*value} - {*own}:
        rooted = path.startswith(("~", "\\")) or bool(PureWindowsPath(path).drive)
        if rooted or PurePath(path).is_absolute() or ".." in PurePath(path).parts:
            return False
    return {*own} <= {*value}


ANY_VALUE = ProjectRule(lambda _value, _own: True, "any value")
LOWER = ProjectRule(lambda value, own: value <= own, "the user's value or lower")
LONGER = ProjectRule(_is_longer, "the user's list or a longer one, with paths inside the project")
SHORTER = ProjectRule(lambda value, own: {*value} <= {*own}, "the user's list or a shorter one")
STRICTER = ProjectRule(_is_stricter, "the user's list or a longer one")

"""What a project's file may set: a short allow-list, because the project may be a stranger's.

A project chooses what is checked, which report is written, and how strict the check is, and only stricter.
It names no path outside itself, no address, judge, cache, log, proxy, key or limit: those come from the
user's own file, the environment or flags, or from a project file that the user trusts (`citeproof trust`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath, PureWindowsPath

from citeproof.vocabulary import CHECK_NAMES, EXCEPT


@dataclass(frozen=True, slots=True)
class ProjectRule:
    """Which values a project's file may give to a setting."""

    allows: Callable[[object, object], bool]  # (its value, the value of the user)
    help: str


def _is_inside(value: object, _: object) -> bool:
    """Return whether every path leads from the project's folder to below it."""
    paths = value if isinstance(value, tuple) else (value,)
    return all(_is_below(str(path)) for path in paths)


def _is_below(path: str) -> bool:
    rooted = path.startswith(("~", "\\")) or bool(PureWindowsPath(path).drive)
    return not rooted and not PurePath(path).is_absolute() and ".." not in PurePath(path).parts


def _is_lower(value: object, own: object) -> bool:
    return isinstance(value, int | float) and isinstance(own, int | float) and value <= own


def _is_stricter(value: object, own: object) -> bool:
    """Return whether a run fails on all that the user wants it to fail on.

    Noted implies minor, minor major, findings every check; an exception that the user did not make is weaker.
    """
    if not isinstance(value, tuple) or not isinstance(own, tuple):
        return False
    words, wanted = set(value), {word for word in own if not word.startswith(EXCEPT)}
    words |= {"minor"} if "noted" in words else set()
    words |= {"major"} if "minor" in words else set()
    words |= set(CHECK_NAMES) if "findings" in words else set()
    exceptions = {word for word in words if word.startswith(EXCEPT)}
    return words >= wanted and exceptions <= set(own)


ANY_VALUE = ProjectRule(lambda _value, _own: True, "any value")
ONLY_TRUE = ProjectRule(lambda value, _own: value is True, "only true")
LOWER = ProjectRule(_is_lower, "the user's value or lower")
STRICTER = ProjectRule(_is_stricter, "the user's list or a longer one")
INSIDE = ProjectRule(_is_inside, "paths inside the project")

"""The room of reporters: one output format a file, and the folder is the registry.

A reporter turns a run and its checked references into chunks of text, escaped for its medium.
`text` and `md` are the short words of the command line for terminal.py and markdown.py.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module
from types import ModuleType
from typing import Any

from citeproof import reporters
from citeproof.errors import UsageError
from citeproof.vocabulary import Reporter

SHORT = {"terminal": "text", "markdown": "md"}
NOT_FORMATS = frozenset({"base", "word_differences", "wording"})


def list_formats() -> tuple[str, ...]:
    """Return the words that name a reporter, one for each file of the room."""
    return list_room_formats(reporters, NOT_FORMATS)


def get_reporter(name: str) -> Reporter:
    """Return the reporter for a format word; only its own file is loaded."""
    made: Reporter = make_reporter(reporters, NOT_FORMATS, name)
    return made


def list_room_formats(room: ModuleType, others: frozenset[str]) -> tuple[str, ...]:
    """Return the words for the files of a room of reporters, but for `others`."""
    files = sorted(m.name for m in pkgutil.iter_modules(room.__path__))
    return tuple(SHORT.get(name, name) for name in files if name not in others)


def make_reporter(room: ModuleType, others: frozenset[str], name: str) -> Any:  # noqa: ANN401 - each room has its Protocol
    """Return the reporter of a room for a format word."""
    known = list_room_formats(room, others)
    if name not in known:
        mend = f"known formats: {', '.join(known)}"
        raise UsageError(f"no such format: {name!r}", place="--format", mend=mend)
    file = next((long for long, short in SHORT.items() if short == name), name)
    return import_module(f"{room.__name__}.{file}").make()

"""The room of reporters: one output format a file, and the folder is the registry.

A reporter turns a run and its checked references into chunks of text, escaped for its medium.
`text` and `md` are the short words of the command line for terminal.py and markdown.py.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module

from citeproof import reporters
from citeproof.errors import UsageError
from citeproof.vocabulary import Reporter

SHORT = {"terminal": "text", "markdown": "md"}
NOT_FORMATS = frozenset({"base", "sides", "words"})


def formats() -> tuple[str, ...]:
    """Return the words that name a reporter, one for each file of the room."""
    files = sorted(m.name for m in pkgutil.iter_modules(reporters.__path__))
    return tuple(SHORT.get(name, name) for name in files if name not in NOT_FORMATS)


def get(name: str) -> Reporter:
    """Return the reporter for a format word; only its own file is loaded."""
    if name not in formats():
        known = ", ".join(formats())
        raise UsageError(f"no such format: {name!r}", place="--format", mend=f"known formats: {known}")
    file = next((long for long, short in SHORT.items() if short == name), name)
    made: Reporter = import_module(f"citeproof.reporters.{file}").make()
    return made

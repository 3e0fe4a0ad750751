"""The room of reporters: one output format a file, and the folder is the registry.

A reporter turns a report, whatever it is about, into chunks of text, escaped for its medium.
`SHORT` has the words of the command line for files that have longer names.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from typing import ClassVar, Protocol

from citeproof import reporters
from citeproof.errors import UsageError
from citeproof.reporters.report_model import ReportModel

SHORT = {"terminal": "text", "markdown": "md", "github_annotations": "github", "job_summary": "summary"}
NOT_FORMATS = frozenset({
    "base", "gate_words", "reference_report", "report_model", "word_differences", "wording",
})  # fmt: skip


class Reporter(Protocol):
    """One output format. Chunks are text; the caller writes them where they belong."""

    name: ClassVar[str]
    lists_only: ClassVar[frozenset[str]] = frozenset()  # kinds of report whose problems it has no place for

    def report(self, report: ReportModel) -> Iterator[str]: ...


def list_formats() -> tuple[str, ...]:
    """Return the words that name a reporter, one for each file of the room."""
    files = sorted(module.name for module in pkgutil.iter_modules(reporters.__path__))
    return tuple(SHORT.get(name, name) for name in files if name not in NOT_FORMATS)


def get_reporter(name: str) -> Reporter:
    """Return the reporter for a format word; only its own file is loaded."""
    known = list_formats()
    if name not in known:
        hint = f"known formats: {', '.join(known)}"
        raise UsageError(f"no such format: {name!r}", place="--format", hint=hint)
    file = next((long for long, short in SHORT.items() if short == name), name)
    made: Reporter = import_module(f"{reporters.__name__}.{file}").make()
    return made

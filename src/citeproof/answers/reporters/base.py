"""The room of reporters: one output format a file, and the folder is the registry.

A reporter turns a report, whatever it is about, into chunks of text, escaped for its medium.
`SHORT` has the words of the command line for files that have longer names.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from typing import ClassVar, Protocol

from citeproof.answers import reporters
from citeproof.answers.reporters.report_model import ReportModel
from citeproof.errors import UsageError

SHORT = {"terminal": "text", "markdown": "md", "github_annotations": "github", "job_summary": "summary"}
NOT_FORMATS = frozenset({
    "base", "gate_words", "reference_report", "report_model", "templates", "wording",
})  # fmt: skip


class Reporter(Protocol):
    """One output format. Chunks are text; the caller writes them where they belong."""

    name: ClassVar[str]
    media_type: ClassVar[str] = "text/plain"
    suffixes: ClassVar[tuple[str, ...]] = ()  # of file names, the one to write first; empty: the word
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


def list_downloads() -> tuple[str, ...]:
    """Return the formats that have a media type of their own: files for other programs, not for a log."""
    return tuple(form for form in list_formats() if get_reporter(form).media_type != Reporter.media_type)


def get_suffix(form: str) -> str:
    """Return how the name of a file in a format ends."""
    return (*get_reporter(form).suffixes, form)[0]


def guess_format(suffix: str) -> str:
    """Return the format of a file whose name ends so; `text` for any other."""
    if not suffix or suffix in list_formats():
        return suffix or "text"
    return next((form for form in list_formats() if suffix in get_reporter(form).suffixes), "text")

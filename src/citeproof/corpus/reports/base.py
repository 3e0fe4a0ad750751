"""The room of corpus reports: one output format a file, and the folder is the registry.

A reporter turns what is known of a run and its results into chunks of text, escaped for its medium. Valid
citations pass through: what grows with a report is its issues. `text` and `md` are the short words of the
command line for terminal.py and markdown.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Protocol

from citeproof.corpus import reports
from citeproof.corpus.reports.corpus_report import CorpusReport
from citeproof.errors import UsageError
from citeproof.reporters import base as common
from citeproof.reporters.base import list_room_formats, make_reporter

NOT_FORMATS = frozenset(
    {
        "advice",
        "base",
        "citation_cells",
        "code_block",
        "corpus_report",
        "figures",
        "json_objects",
        "report_file",
    }
)


MOVED: tuple[str, ...] = (
    "csv",
    "html",
    "json",
    "jsonl",
    "junit",
    "md",
    "sarif",
)  # formats that serve every kind of report


class CorpusReporter(Protocol):
    name: ClassVar[str]

    def report(self, report: CorpusReport) -> Iterator[str]: ...


def list_formats() -> tuple[str, ...]:
    """Return the words that name a reporter, one for each file of the room."""
    return tuple(sorted({*MOVED, *list_room_formats(reports, NOT_FORMATS)}))


def get_reporter(name: str) -> CorpusReporter:
    """Return the reporter for a format word; only its own file is loaded."""
    if name in MOVED:
        return common.get_reporter(name)
    if name not in list_formats():
        mend = f"known formats: {', '.join(list_formats())}"
        raise UsageError(f"no such format: {name!r}", place="--format", mend=mend)
    made: CorpusReporter = make_reporter(reports, NOT_FORMATS, name)
    return made

"""The room of corpus reports: one output format a file, and the folder is the registry.

A reporter turns what is known of a run and its results into chunks of text, escaped for its medium. Valid
citations pass through: what grows with a report is its issues. `text` and `md` are the short words of the
command line for terminal.py and markdown.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Protocol

from citeproof.corpus import reports
from citeproof.corpus.nouns import Counts, DocumentResult
from citeproof.reporters.base import list_room_formats, make_reporter

NOT_FORMATS = frozenset({"advice", "base", "code_block", "figures", "json_objects", "report_file"})


@dataclass(frozen=True, slots=True)
class CorpusReportHead:
    """What is known before the first result."""

    date: str  # ISO timestamp
    root: str  # as shown
    files: int  # documents to come
    mode: str  # "all", "corpus-only" or "rlm"
    strict: bool
    version: str
    troubles: tuple[str, ...] = ()  # problems of the corpus itself, one line each
    fixed: tuple[tuple[str, int], ...] = ()  # (file, changes) that --fix made before this report
    prefix: str = ""  # from the root to the working folder, like "docs/": documents are named from there


class CorpusReporter(Protocol):
    name: ClassVar[str]
    citations: ClassVar[bool]  # whether it shows also those that are as they should be

    def report(self, head: CorpusReportHead, results: Iterable[DocumentResult]) -> Iterator[str]: ...


def list_formats() -> tuple[str, ...]:
    """Return the words that name a reporter, one for each file of the room."""
    return list_room_formats(reports, NOT_FORMATS)


def get_reporter(name: str) -> CorpusReporter:
    """Return the reporter for a format word; only its own file is loaded."""
    made: CorpusReporter = make_reporter(reports, NOT_FORMATS, name)
    return made


def has_failed(counts: Counts) -> bool:
    """Return whether the documents fail: one error is enough."""
    return counts.errors > 0

"""One citation a row, for spreadsheets; what is wrong with it stands in the row. No cell can be a formula.

An issue that concerns no citation has a row of its own, as has a document that could not be read.
`CorpusCsv(raw=True)` leaves cells as they are: safe only for programs.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from citeproof.corpus.nouns import CorpusCitation, DocumentResult, Issue, Level
from citeproof.corpus.reports.corpus_report import CorpusReport
from citeproof.reporters import wording
from citeproof.reporters.csv import defuse_formula

COLUMNS = (
    "file", "line", "column", "end_line", "pattern", "raw", "target", "status", "verdict", "reason", "detail",
    "source", "grade", "hash", "lines", "current_hash", "drift",
    "level", "severity", "rule", "claim", "issue", "fix",
)  # fmt: skip
_CELL = 30_000  # characters; spreadsheets cut at 32,767
_WORST = tuple(Level)  # from error to info


@dataclass(frozen=True, slots=True)
class CorpusCsv:
    """A heading row, then the rows of one document after the other."""

    raw: bool = False

    name: ClassVar[str] = "csv"

    def report(self, report: CorpusReport) -> Iterator[str]:
        """Yield the rows of a document as soon as it is known; sums are a spreadsheet's own business."""
        results = report.load(True)
        yield _format_rows([COLUMNS])
        for result in results:
            yield _format_rows(
                [_format_cell(value, raw=self.raw) for value in row] for row in _make_rows(result)
            )


def _make_rows(result: DocumentResult) -> Iterator[Sequence[object]]:
    if result.trouble:
        blank = [""] * (COLUMNS.index("level") - 1)
        yield (result.file, *blank, Level.WARNING, "", "", "", result.trouble, "")
    about: dict[int | None, list[Issue]] = {}
    for issue in result.issues:
        about.setdefault(issue.cited, []).append(issue)
    for n, citation in enumerate(result.citations):
        yield (*_make_citation_cells(result.file, citation), *_make_issue_cells(about.pop(n, ())))
    # What is left concerns no citation, or one that was not loaded.
    for issue in (issue for issues in about.values() for issue in issues):
        blank = [""] * (COLUMNS.index("source") - 4)
        place = (result.file, issue.line, issue.column, issue.end_line)
        yield (*place, *blank, issue.source, "", "", "", "", "", *_make_issue_cells((issue,)))


def _make_citation_cells(file: str, one: CorpusCitation) -> tuple[object, ...]:
    drift = "" if one.drift is None else one.drift.change
    return (
        file, one.line, one.column, one.end_line, one.pattern, one.raw, one.target, one.status, one.verdict,
        one.reason, one.detail, one.source, one.grade, one.hash, one.lines, one.current, drift,
    )  # fmt: skip


def _make_issue_cells(issues: Sequence[Issue]) -> tuple[object, ...]:
    """Return the cells about issues: the worst level, and each thing said once."""
    if not issues:
        return ("",) * 6
    level = min((issue.level for issue in issues), key=_WORST.index)
    told = ((i.severity, i.rule, i.claim, i.message, i.fix) for i in issues)
    return (
        level,
        *("; ".join(dict.fromkeys(part for part in parts if part)) for parts in zip(*told, strict=True)),
    )


def _format_cell(value: object, *, raw: bool) -> str:
    if not value:  # most cells of most rows
        return ""
    text = str(value)
    if not (text.isascii() and text.isprintable() and len(text) < _CELL):
        text = wording.show_line(text, _CELL)
    return text if raw or text[:1].isalnum() else defuse_formula(text)


def _format_rows(rows: Iterable[Iterable[str]]) -> str:
    made = io.StringIO()
    csv.writer(made, quoting=csv.QUOTE_ALL, lineterminator="\r\n").writerows(rows)
    return made.getvalue()


make = CorpusCsv

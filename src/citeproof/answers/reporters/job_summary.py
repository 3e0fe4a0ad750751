"""A short Markdown page for the summary of a CI job: the counts, the problems, and why the rest is open.

GitHub takes 1 MiB for a step, so that the lists are cut; the other reports have everything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from citeproof.answers.reporters.base import Reporter
from citeproof.answers.reporters.markdown import escape_markdown
from citeproof.answers.reporters.report_model import ReportModel, ReportRow, RowLevel, RowTally
from citeproof.errors import format_count
from citeproof.vocabulary import CHECKED_AGAINST, NOT_CHECKED

MOST_ROWS = 200  # of each list
_WIDEST = 400  # characters of a cell
_SIGNS = {RowLevel.ERROR: "✗", RowLevel.WARNING: "~", RowLevel.NOTE: "?", RowLevel.HINT: "≈"}


class JobSummary(Reporter):
    """One table of documents, one of problems, one of what could not be checked."""

    name: ClassVar[str] = "job_summary"
    suffixes: ClassVar[tuple[str, ...]] = ("summary.md",)

    def report(self, report: ReportModel) -> Iterator[str]:
        """Yield the page once all is known, because its heading counts the problems."""
        counted = RowTally()
        documents = [
            _count_document(report.locate_file(group.name) if not group.about else group.name, group.rows)
            for group in map(counted.add, report.generate_documents())
        ]
        problems = [row for document in documents for row in document.problems]
        yield f"## citeproof: {counted.qualify(_describe_problems(problems), len(problems))}\n"
        yield from (
            f"\n**{escape_markdown(text, 2000)}**\n" for text in (*report.overrides, *(report.troubles or ()))
        )
        if against := report.describe_sources():
            yield f"\n{CHECKED_AGAINST.capitalize()}: {escape_markdown(against, 2000)}\n"
        if documents:
            yield "\n| document | problems | not checked or noted | accepted | all |\n"
            yield "| --- | --- | --- | --- | --- |\n"
            yield from map(_format_document, documents[:MOST_ROWS])
            yield _describe_rest(len(documents), "document")
        if problems:
            yield "\n|  | place | problem |\n| --- | --- | --- |\n"
            yield from (_format_row(row, report) for row in problems[:MOST_ROWS])
            yield _describe_rest(len(problems), "problem")
        if quiet := [row for document in documents for row in document.quiet]:
            yield f"\n<details><summary>{len(quiet):,} {NOT_CHECKED} or only noted</summary>\n"
            yield "\n|  | place | why |\n| --- | --- | --- |\n"
            yield from (_format_row(row, report) for row in quiet[:MOST_ROWS])
            yield f"{_describe_rest(len(quiet), 'item')}\n</details>\n"


@dataclass(slots=True)
class _DocumentCount:
    """The rows of one document by what they tell."""

    name: str
    items: int = 0
    accepted: int = 0
    problems: list[ReportRow] = field(default_factory=list)
    quiet: list[ReportRow] = field(default_factory=list)


def _count_document(name: str, rows: Sequence[ReportRow]) -> _DocumentCount:
    count = _DocumentCount(name, items=sum(not row.aside for row in rows))
    for row in rows:
        if row.accepted:
            count.accepted += 1
        elif row.level in (RowLevel.ERROR, RowLevel.WARNING):
            count.problems.append(row)
        elif row.level is not RowLevel.NONE:
            count.quiet.append(row)
    return count


def _describe_problems(problems: Sequence[ReportRow]) -> str:
    if not problems:
        return "no problems"
    failing = sum(row.fails for row in problems)
    qualified = "" if failing == len(problems) else f", {failing:,} of which fail the run"
    signs = sum("signs" in row.properties and row.severity != "" for row in problems)
    qualified += f"; {signs:,} with signs of invention" if signs else ""
    return f"{format_count(len(problems), 'problem')}{qualified}"


def _format_document(count: _DocumentCount) -> str:
    counts = (len(count.problems), len(count.quiet), count.accepted, count.items)
    return f"| {escape_markdown(count.name, _WIDEST)} | {' | '.join(f'{n:,}' for n in counts)} |\n"


def _format_row(row: ReportRow, report: ReportModel) -> str:
    parts = [report.locate_file(row.place.file), *([str(row.place.line)] if row.place.line else [])]
    place = ":".join(part for part in parts if part)
    cells = (escape_markdown(text, _WIDEST) for text in (_SIGNS[row.level], place, row.message))
    return f"| {' | '.join(cells)} |\n"


def _describe_rest(count: int, word: str) -> str:
    rest = count - MOST_ROWS
    return f"\n{format_count(rest, f'more {word}')}: see the full report.\n" if rest > 0 else ""


make = JobSummary

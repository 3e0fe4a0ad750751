"""Workflow commands, as GitHub Actions turns them into annotations on the lines of a pull request.

A problem and what could not be read is an annotation each, unless its owner accepts it; what could not be
checked is one notice a document, because GitHub shows ten annotations of a kind in a step and drops the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from citeproof.answers.reporters import wording
from citeproof.answers.reporters.base import Reporter
from citeproof.answers.reporters.report_model import ReportModel, ReportRow, RowLevel, RowTally
from citeproof.errors import format_count
from citeproof.vocabulary import CHECKED_AGAINST, NOT_CHECKED

_COMMANDS = {RowLevel.ERROR: "error", RowLevel.WARNING: "warning", RowLevel.NOTE: "notice"}
_MESSAGE = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = {**_MESSAGE, ":": "%3A", ",": "%2C"}


class Github(Reporter):
    """One line a problem, in document order."""

    name: ClassVar[str] = "github_annotations"
    suffixes: ClassVar[tuple[str, ...]] = ("github.txt",)

    def report(self, report: ReportModel) -> Iterator[str]:
        """Yield the lines of each document as soon as it is known, then how many problems there are."""
        problems = accepted = 0
        counted = RowTally()
        for text in (*report.overrides, *(report.troubles or ())):
            yield _format_command("warning", {"title": "citeproof"}, text)
        for group in map(counted.add, report.generate_documents()):
            quiet = 0
            for row in group.rows:
                if row.accepted:
                    accepted += 1
                elif row.level in (RowLevel.ERROR, RowLevel.WARNING):
                    problems += row.fails
                    yield _format_annotation(row, report.locate_file(row.place.file))
                elif row.level in (RowLevel.NOTE, RowLevel.HINT) and not group.about:
                    quiet += 1
            if quiet:
                count = format_count(quiet, "item")
                summary = f"{count} {NOT_CHECKED} or only noted, see the report"
                yield _format_command("notice", {"file": report.locate_file(group.name)}, summary)
        known = f", {format_count(accepted, 'accepted one')}" if accepted else ""
        summary = f"{counted.qualify(format_count(problems, 'problem'), problems)}{known}"
        against = f"; {CHECKED_AGAINST} {known}" if (known := report.describe_sources()) else ""
        yield _format_command("notice", {"title": "citeproof"}, f"{summary}{against}")


def _format_annotation(row: ReportRow, file: str) -> str:
    place = row.place
    properties = {
        "file": file,
        "line": str(place.line or ""),
        "endLine": str(place.end_line or ""),
        "col": str(place.column or "") if place.end_line in (None, place.line) else "",
        "title": f"citeproof: {row.rule}",
    }
    return _format_command(_COMMANDS[row.level], properties, row.message)


def _format_command(name: str, properties: dict[str, str], message: str) -> str:
    given = ",".join(
        f"{key}={_escape_value(wording.show_line(value, 4_096), _PROPERTY)}"
        for key, value in properties.items()
        if value
    )
    escaped = _escape_value(wording.show_line(message, 2_000), _MESSAGE)
    return f"::{name}{' ' + given if given else ''}::{escaped}\n"


def _escape_value(text: str, table: dict[str, str]) -> str:
    """Return the text so that a workflow command ends where ours does."""
    return "".join(table.get(char, char) for char in text)


make = Github

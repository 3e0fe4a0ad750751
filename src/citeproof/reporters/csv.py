"""One reference a row, for spreadsheets. A cell can be no formula (RFC 4180, all cells quoted).

A cell that begins like a formula gets an apostrophe before it, which spreadsheets do not show.
`Csv(raw=True)` (`--csv-raw`) leaves cells as they are: safe only for programs.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from citeproof import serial
from citeproof.reporters import wording
from citeproof.reporters.base import Reporter
from citeproof.reporters.reference_report import get_references
from citeproof.reporters.report_model import Report
from citeproof.vocabulary import Checked

COLUMNS = (
    "file", "line", "column", "page", "key", "verdict", "label", "score", "confidence", "band", "type",
    "title", "authors", "year", "venue", "doi", "found_title", "found_authors", "found_year", "found_doi",
    "source", "differences", "findings", "correction", "explanation", "raw",
)  # fmt: skip
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
_CELL = 30_000  # characters; spreadsheets cut at 32,767


@dataclass(frozen=True, slots=True)
class Csv(Reporter):
    """A heading row, then one row a reference, as soon as it is known."""

    raw: bool = False

    name: ClassVar[str] = "csv"
    lists_only: ClassVar[frozenset[str]] = frozenset({"corpus", "references"})

    def report(self, report: Report) -> Iterator[str]:
        """Yield the rows. What could not be read in the documents is told elsewhere."""
        run, checked = get_references(report)
        replaced = (
            [" ".join(wording.describe_overrides(run))] if run.overrides else []
        )  # a column where there are any
        yield _format_csv_row((*COLUMNS, "overrides") if replaced else COLUMNS)
        for one in checked:
            cells = _make_cells(one) + replaced
            yield _format_csv_row(cells if self.raw else [defuse_formula(cell) for cell in cells])


def defuse_formula(cell: str) -> str:
    """Return the cell so that no spreadsheet takes it for a formula."""
    return f"'{cell}" if cell.lstrip().startswith(_FORMULA) else cell


def _format_csv_row(cells: Iterable[str]) -> str:
    line = io.StringIO()
    csv.writer(line, quoting=csv.QUOTE_ALL, lineterminator="\r\n").writerow(cells)
    return line.getvalue()


def _make_cells(checked: Checked) -> list[str]:
    return [
        wording.show_line(_format_csv_value(cell), _CELL) for cell in serial.build_flat_row(checked).values()
    ]


def _format_csv_value(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return "" if value is None else str(value)


make = Csv

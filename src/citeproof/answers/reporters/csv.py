"""One reference or citation a row, for spreadsheets. A cell can be no formula (RFC 4180, all cells quoted).

A cell that begins like a formula gets an apostrophe before it, which spreadsheets do not show.
`Csv(raw=True)` (`--csv-raw`) leaves cells as they are: safe only for programs.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from typing import ClassVar

from citeproof.answers.reporters import wording
from citeproof.answers.reporters.base import Reporter
from citeproof.answers.reporters.report_model import ReportModel
from citeproof.vocabulary.quick_dataclass import dataclass

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
_CELL = 30_000  # characters; spreadsheets cut at 32,767


@dataclass(frozen=True, slots=True)
class Csv(Reporter):
    """A heading row, then one row after the other, as soon as it is known."""

    raw: bool = False

    name: ClassVar[str] = "csv"
    media_type: ClassVar[str] = "text/csv"
    lists_only: ClassVar[frozenset[str]] = frozenset({"corpus", "references"})

    def report(self, report: ReportModel) -> Iterator[str]:
        """Yield the rows; sums are a spreadsheet's own business."""
        yield format_table_row(report.list_columns())
        for cells in report.generate_cells():
            yield format_table_row(cells, raw=self.raw)


def defuse_formula(cell: str) -> str:
    """Return the cell so that no spreadsheet takes it for a formula."""
    return f"'{cell}" if cell.lstrip().startswith(_FORMULA) else cell


def format_table_row(cells: Iterable[object], *, raw: bool = False) -> str:
    """Return values as a row; one that is `raw` may be taken for a formula."""
    line = io.StringIO()
    made = (_format_cell(value, raw=raw) for value in cells)
    csv.writer(line, quoting=csv.QUOTE_ALL, lineterminator="\r\n").writerow(made)
    return line.getvalue()


def _format_cell(value: object, *, raw: bool) -> str:
    if value is None or value == "":  # most cells of most rows
        return ""
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    plain = text.isascii() and text.isprintable() and "  " not in text and text[0] != " " != text[-1]
    if not plain or len(text) >= _CELL:  # cleaning costs more than writing, and few need it
        text = wording.show_line(text, _CELL)
    return text if raw or text[:1].isalnum() else defuse_formula(text)


make = Csv

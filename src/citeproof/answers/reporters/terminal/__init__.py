"""A report for a person at a terminal: what is wrong first, then what could not be checked, then counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from citeproof.answers.reporters.base import Reporter
from citeproof.answers.reporters.reference_report import require_references
from citeproof.answers.reporters.report_model import DocumentReport, ReportModel, Selection
from citeproof.answers.reporters.terminal.document_text import DocumentText
from citeproof.answers.reporters.terminal.reference_text import ReferenceText
from citeproof.answers.reporters.terminal.screen_text import ScreenText
from citeproof.vocabulary.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Terminal(Reporter):
    """Blocks of text that fit the screen."""

    colour: bool = False
    width: int = 100
    selection: Selection = Selection.BRIEF
    verbose: bool = False

    name: ClassVar[str] = "terminal"
    suffixes: ClassVar[tuple[str, ...]] = ("txt",)

    def report(self, report: ReportModel) -> Iterator[str]:
        """Yield one block a reference or issue as soon as it is known, then what concerns the whole run."""
        screen = ScreenText(self.colour, self.width)
        if isinstance(report, DocumentReport):
            return DocumentText(screen).format_documents(report)
        text = ReferenceText(screen, self.selection, verbose=self.verbose)
        return text.format_references(require_references(report))


make = Terminal

"""One self-contained page for people: a table of the papers, and what was claimed next to what was found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from citeproof.answers.reporters.base import Reporter
from citeproof.answers.reporters.html.document_page import format_document_page
from citeproof.answers.reporters.html.reference_page import format_reference_page
from citeproof.answers.reporters.reference_report import require_references
from citeproof.answers.reporters.report_model import DocumentReport, ReportModel


class Html(Reporter):
    """The page, once all is known, because its counts stand first."""

    name: ClassVar[str] = "html"
    media_type: ClassVar[str] = "text/html"
    suffixes: ClassVar[tuple[str, ...]] = ("html", "htm")

    def report(self, report: ReportModel) -> Iterator[str]:
        """Yield the page of a corpus or of references."""
        if isinstance(report, DocumentReport):
            return format_document_page(report)
        return format_reference_page(require_references(report))


make = Html

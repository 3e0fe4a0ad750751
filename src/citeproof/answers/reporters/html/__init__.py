"""One self-contained page for people: a table of the papers, and what was claimed next to what was found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from citeproof.answers.reporters.base import Reporter
from citeproof.answers.reporters.html.page_parts import write_page
from citeproof.answers.reporters.html.reference_page import format_reference_page
from citeproof.answers.reporters.reference_report import require_references
from citeproof.answers.reporters.report_model import (
    DocumentReport,
    FlaggedCitation,
    ReportDocument,
    ReportModel,
)

_CLASSES = {"error": "major", "warning": "minor", "note": "open"}  # of the levels of issues


class Html(Reporter):
    """The page, once all is known, because its counts stand first."""

    name: ClassVar[str] = "html"
    media_type: ClassVar[str] = "text/html"
    suffixes: ClassVar[tuple[str, ...]] = ("html", "htm")

    def report(self, report: ReportModel) -> Iterator[str]:
        """Yield the page of a corpus or of references."""
        if isinstance(report, DocumentReport):
            return _format_document_page(report)
        return format_reference_page(require_references(report))


def _format_document_page(report: DocumentReport) -> Iterator[str]:
    """Yield summary, filter, documents with issues, code citations, the documents without issues."""
    shown, clean, flagged = list[ReportDocument](), list[tuple[str, str, int]](), list[FlaggedCitation]()
    for document in report.generate_documents():
        flagged += document.list_flagged()
        if document.issues or document.trouble:
            shown.append(document)
        else:  # most are: little is held of each
            clean.append((document.name, document.status, document.citations))
    summary, head = report.make_summary(), report.head
    facts = (
        ("root", head.root), ("files", f"{summary.files:,}"), ("date", head.date),
        ("checked", head.checked), ("citeproof", head.version),
    )  # fmt: skip
    filters = [("all", f"all {sum(summary.levels.values()):,}")]
    filters += [(_CLASSES[level], f"{level}s {count:,}") for level, count in summary.levels.items()]
    yield from write_page(
        "documents.html", summary.status, "Citation Verification Report", "documents.css",
        head=head, summary=summary, shown=shown, clean=clean, flagged=[*map(_split_remarks, flagged)],
        facts=[fact for fact in facts if fact[1]], filters=filters, classes=_CLASSES,
    )  # fmt: skip


def _split_remarks(citation: FlaggedCitation) -> tuple[FlaggedCitation, list[str], str]:
    """Return a code citation, what is said of it, and the lines of the difference."""
    remarks = [row for row in citation.remarks if row != citation.verdict]
    difference = "\n".join(row.removeprefix("  ") for row in remarks if row.startswith(" "))
    return citation, [row for row in remarks if not row.startswith(" ")], difference


make = Html

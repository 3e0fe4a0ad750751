"""The page about the documents of a corpus: summary, filter, documents with issues, code citations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from citeproof.answers.reporters.html.page_parts import (
    CLOSING,
    escape_text,
    format_article,
    format_facts,
    format_filters,
    format_list,
    open_page,
)
from citeproof.answers.reporters.report_model import (
    CorpusReportHead,
    DocumentReport,
    FlaggedCitation,
    ReportDocument,
    ReportRow,
    ReportSummary,
    RowLevel,
)
from citeproof.answers.reporters.wording import format_count
from citeproof.vocabulary import NOT_CHECKED, NOT_READ

_LEVEL_CLASSES = {RowLevel.ERROR: "major", RowLevel.WARNING: "minor", RowLevel.NOTE: "open"}
_LEVEL_SIGNS = {RowLevel.ERROR: "✗", RowLevel.WARNING: "⚠", RowLevel.NOTE: "ⓘ"}


def format_document_page(report: DocumentReport) -> Iterator[str]:
    """Yield summary, filter, documents with issues, code citations, the documents without issues."""
    sections, clean, flagged = list[str](), list[str](), list[FlaggedCitation]()
    for document in report.generate_documents():
        flagged += document.list_flagged()
        if document.issues or document.trouble:
            sections.append(_format_section(document))
        else:
            status = f"{document.status}, {format_count(document.citations, 'citation')}"
            clean.append(f"<li>{escape_text(document.name)} <span class='dim'>{status}</span></li>")
    summary = report.make_summary()
    yield _format_documents_head(report.head, summary)
    yield from sections or ("<p>No issues.</p>\n",)
    yield format_list(NOT_CHECKED.capitalize(), map(escape_text, summary.unchecked))
    yield _format_code_table(summary, flagged)
    yield format_list("Recommendations", map(escape_text, summary.advice))
    if clean:
        words = f"<summary>{format_count(len(clean), 'file')} without issues</summary>"
        yield f"<details>{words}<ul>{''.join(clean)}</ul></details>\n"
    yield CLOSING


def _format_documents_head(head: CorpusReportHead, summary: ReportSummary) -> str:
    rows = (
        ("root", head.root), ("files", f"{summary.files:,}"), ("date", head.date),
        ("checked", head.checked), ("citeproof", head.version),
    )  # fmt: skip
    facts = format_facts((name, value) for name, value in rows if value)
    cells = "".join(f"<li><b>{count:,}</b><span>{name}</span></li>" for name, count in summary.figures)
    fixed = (
        f"<code>{escape_text(file)}</code>: {format_count(changes, 'change')}" for file, changes in head.fixed
    )
    filters = [("all", f"all {sum(summary.levels.values()):,}")]
    filters += [(_LEVEL_CLASSES[level], f"{level}s {count:,}") for level, count in summary.levels.items()]
    return (
        f"{open_page(summary.status, 'Citation Verification Report', 'documents.css')}"
        f'<p class="status {"fail" if summary.failed else "pass"}">Status: {summary.status}</p>\n'
        f'<dl>{facts}</dl>\n<ul class="figures">{cells}</ul>\n{format_list("Fixed", fixed)}'
        f"{format_list('Corpus', map(escape_text, head.troubles))}"
        f"{format_filters('issues', filters)}</header>\n<main>\n"
    )


def _format_section(document: ReportDocument) -> str:
    """Return one document: its name and status, then its issues."""
    status = f"{document.status} · {format_count(document.citations, 'citation')}"
    inside = "".join(_format_issue(row) for row in document.issues)
    if document.trouble:
        trouble = f"<b>? {NOT_READ}</b>{escape_text(document.trouble)}"
        inside = f'<article class="open"><details><summary>{trouble}</summary></details></article>\n'
    return (
        f'<section class="file">\n<h2>{escape_text(document.name)} <span class="dim">{status}</span></h2>\n'
        f"{inside}</section>\n"
    )


def _format_issue(row: ReportRow) -> str:
    head = (
        f"<b>{_LEVEL_SIGNS[row.level]} {row.severity} - {escape_text(row.kind)} (line {row.place.line})</b>"
        f'<span class="dim">{escape_text(dict(row.evidence).get("Source", ""), 120)}</span>'
    )
    inside = f"<dl>{format_facts(row.evidence)}</dl>"
    return format_article(_LEVEL_CLASSES[row.level], head, inside, shown=row.level is RowLevel.ERROR)


def _format_code_table(summary: ReportSummary, flagged: Sequence[FlaggedCitation]) -> str:
    if not summary.code:
        return ""
    first, *rest = summary.code
    head = f"<section>\n<h2>{first}</h2>\n<p>{' · '.join(rest)}</p>\n"
    rows = "".join(_format_code_row(citation) for citation in flagged)
    columns = "<tr><th>citation</th><th>verdict</th><th>what is known</th></tr>"
    table = f'<table class="code"><thead>{columns}</thead><tbody>{rows}</tbody></table>\n' if rows else ""
    return f"{head}{table}</section>\n"


def _format_code_row(citation: FlaggedCitation) -> str:
    remarks = [row for row in citation.remarks if row != citation.verdict]
    said = "".join(f"<p>{escape_text(row)}</p>" for row in remarks if not row.startswith(" "))
    diff = "\n".join(escape(row.removeprefix("  ")) for row in remarks if row.startswith(" "))
    cited = f"<code>{escape_text(citation.shown, 1_200)}</code>"
    return (
        f'<tr><td>{cited}<br><span class="dim">{escape_text(citation.place)}</span></td>'
        f'<td><span class="verdict {citation.section}">{escape_text(citation.verdict)}</span></td>'
        f"<td>{said}{f'<pre>{diff}</pre>' if diff else ''}</td></tr>\n"
    )

"""A report to paste into a review or a pull request. Document text can form no markup in it.

Text of corpus documents is in code spans and fences, so that verifying a report finds no citation in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar
from urllib.parse import quote

from citeproof.answers.reporters import wording
from citeproof.answers.reporters.base import Reporter
from citeproof.answers.reporters.gate_words import GateTally, describe_gates
from citeproof.answers.reporters.reference_report import ReferenceReport, require_references
from citeproof.answers.reporters.report_model import (
    CorpusReportHead,
    DocumentReport,
    ReportDocument,
    ReportModel,
    ReportSummary,
    RowLevel,
    format_flagged_lists,
)
from citeproof.answers.reporters.wording import format_count
from citeproof.vocabulary import (
    CHECKED_AGAINST,
    NOT_CHECKED,
    NOT_READ,
    Checked,
    Finding,
    FindingState,
    Label,
    Run,
    SetFinding,
)

_PLAIN = re.compile(r"(?:[A-Za-z0-9./-]|(?<=[A-Za-z0-9])_(?=[A-Za-z0-9])){1,300}")
_TICKS = re.compile("`+")
_MARKUP = re.compile(r"([\\`*_\[\]|~#$!])")
_BLOCK = re.compile(r"^(\d{1,9}(?=[.)])|(?=[-+=]))([.)+=-])(?=[\s=-]|$)")  # begins a list or a rule
_BARE_LINK = re.compile(r"(://|\bwww\.|@)", re.IGNORECASE)  # what readers turn into links by themselves


class Markdown(Reporter):
    """A table of references, then a section for each that is not EXACT; or a block for each document."""

    name: ClassVar[str] = "markdown"
    media_type: ClassVar[str] = "text/markdown"

    def report(self, report: ReportModel) -> Iterator[str]:
        """Yield the report."""
        if isinstance(report, DocumentReport):
            return _format_documents(report)
        return _format_references(require_references(report))


def _format_references(report: ReferenceReport) -> Iterator[str]:
    """Yield the table as results come, the details after it."""
    tally, gates, details = wording.VerdictTally(), GateTally(report.policy, report.lost), []
    yield _format_report_head(report.run)
    for checked in report.checked:
        tally.add(checked)
        gates.add(checked)
        yield _format_table_row(checked)
        if checked.judgement.label is not Label.EXACT or wording.list_findings(checked):
            details.append(format_section(checked))
    yield f"\n{escape_markdown(tally.sentence())}.  \n"
    yield f"{CHECKED_AGAINST.capitalize()}: {escape_markdown(report.describe_sources(), 2000)}\n"
    yield from details
    yield _format_set_findings(report.list_set_findings())
    yield _format_gates(gates, report.list_set_findings())
    yield _format_problems(report.run)


def _format_gates(gates: GateTally, set_findings: Sequence[SetFinding]) -> str:
    """Return what the policy decided, rule by rule; empty without a policy."""
    for set_finding in set_findings:
        gates.add_set_finding(set_finding)
    lines = [escape_markdown(line, 2000) for line in gates.format_lines()]
    return "".join(("\n## Policy\n\n", *(f"- {line}\n" for line in lines))) if lines else ""


def escape_markdown(text: str, limit: int = wording.SHOWN) -> str:
    """Return `text` as one line that Markdown shows as it is: no markup, no HTML, no link."""
    text = _BARE_LINK.sub(_break_bare_link, wording.show_line(text, limit).replace("&", "\0"))
    text = _MARKUP.sub(r"\\\1", text).replace("<", "&lt;").replace(">", "&gt;")
    text = _BLOCK.sub(r"\1\\\2", text)
    return text.replace("\0", "&amp;").replace("\1", "&#").replace("\2", ";")


def _break_bare_link(match: re.Match[str]) -> str:
    # As character references: a backslash stops some readers from linking, these stop all.
    return "".join(f"\1{ord(c)}\2" if c in ":.@" else c for c in match[0])


def format_link(text: str, url: str) -> str:
    """Return a link when `url` is http or https, else only the text."""
    if not url.startswith(("https://", "http://")) or re.search(r"[\s<>\\\"()\[\]|`]", url):
        return escape_markdown(text)
    return f"[{escape_markdown(text)}]({url})"


def _format_report_head(run: Run) -> str:
    against = f"Snapshots: {escape_markdown(', '.join(run.snapshots))}  \n" if run.snapshots else ""
    replaced = "".join(f"**{escape_markdown(text, 2000)}**\n\n" for text in wording.describe_overrides(run))
    return (
        f"# Citation report\n\nDocuments: {escape_markdown(', '.join(run.documents))}  \n"
        f"{against}Started: {escape_markdown(run.started)}\n\n"
        f"{replaced}"
        "| key | place | result | score | title |\n| --- | --- | --- | --- | --- |\n"
    )


def _format_table_row(checked: Checked) -> str:
    judgement = checked.judgement
    score = "" if judgement.score is None else f"{judgement.score:.1f}"
    cells = (
        checked.reference.key,
        wording.format_place(checked.reference.place),
        wording.format_headline(checked),
    )
    return (
        f"| {' | '.join(escape_markdown(cell) for cell in cells)} | {score} | "
        f"{escape_markdown(wording.format_title(checked))} |\n"
    )


def format_section(checked: Checked) -> str:
    """Return everything about one reference, below a heading; every text in it is escaped."""
    judgement = checked.judgement
    score = wording.format_score(checked)
    parts = [
        (
            f"\n## {escape_markdown(checked.reference.key)}: "
            f"{escape_markdown(wording.format_headline(checked))}\n"
        )
    ]
    summary = (escape_markdown(wording.format_summary(checked), 2000), f"({score})" if score else "")
    parts.append(f"{' '.join(filter(None, summary))}\n")
    notes = filter(None, (wording.describe_acceptance(checked), describe_gates(checked)))
    parts += [f"{escape_markdown(line, 2000)}\n" for line in notes]
    if differences := wording.list_differences(judgement):
        parts.append("| field | claimed | found | reason |\n| --- | --- | --- | --- |")
        for m in differences:
            cells = (m.field, m.claimed, m.resolved, wording.describe_reason(m))
            parts.append(f"| {' | '.join(escape_markdown(cell) for cell in cells)} |")
        parts.append("")
    parts.append(f"Evidence: {_format_evidence(checked)}\n")
    if nearest := wording.describe_nearest(checked):
        parts.append(f"Nearest: {escape_markdown(nearest)}\n")
    if findings := wording.list_findings(checked):
        parts += ["Findings:\n", *map(_format_finding, findings), ""]
    return "\n".join(parts)


def _format_finding(finding: Finding) -> str:
    """Return a finding as an item of a list, what it rests on below it."""
    lines = [f"- {escape_markdown(wording.describe_finding(finding), 2000)}"]
    return "\n".join([*lines, *(f"  - {escape_markdown(line, 2000)}" for line in finding.evidence)])


def _format_set_findings(set_findings: Sequence[SetFinding]) -> str:
    shown = [each for each in set_findings if each.finding.state is FindingState.FINDING]
    if not shown:
        return ""
    parts = ["\n## The references together\n"]
    for file in dict.fromkeys(each.place.file for each in shown):
        parts.append(f"{escape_markdown(file)}\n")
        parts += [_format_finding(each.finding) for each in shown if each.place.file == file]
        parts.append("")
    return "\n".join(parts)


def _format_evidence(checked: Checked) -> str:
    matched = checked.judgement.matched
    if matched is None:
        return escape_markdown(wording.describe_evidence(checked))
    doi = matched.record.ids.first("doi")
    named = escape_markdown(f"{matched.record.source} {matched.record.id}")
    return (
        f"{named}, {format_link('doi:' + doi, 'https://doi.org/' + quote(doi, safe='/:;.'))}"
        if doi
        else named
    )


def _format_problems(run: Run) -> str:
    if not wording.describe_completeness(run):
        return ""
    lines = [f"\n## Reading the documents\n\n{escape_markdown(wording.describe_completeness(run))}.\n"]
    for problem in run.problems:
        if problem.finding:
            continue  # it is with the findings
        hint = f" Hint: {escape_markdown(problem.hint)}" if problem.hint else ""
        lines.append(
            f"- {'Note: ' if problem.note else ''}{escape_markdown(wording.format_place(problem.place))}: "
            f"{escape_markdown(problem.message)}.{hint}"
        )
    return "\n".join(lines) + "\n"


def _format_documents(report: DocumentReport) -> Iterator[str]:
    """Yield one block for one document; for several, one for all, then one for each that has issues."""
    head, blocks, clean = report.head, [], []
    for document in report.generate_documents():
        if head.files == 1 or document.issues or document.trouble:
            blocks.append(wording.join_lines(_format_document(head, document)))
        else:
            count = format_count(document.citations, "citation")
            clean.append(f"- {format_code_span(document.name)}: {document.status}, {count}")
    if head.files != 1:
        yield wording.join_lines(_format_overview(head, report.make_summary()))
    for n, block in enumerate(blocks):
        yield f"\n{block}" if n or head.files != 1 else block
    if clean:
        yield wording.join_lines(("", "### Files without issues", "", *clean))


def _format_document(head: CorpusReportHead, document: ReportDocument) -> Iterator[str]:
    summary = document.make_summary()
    yield from _format_opening(format_file_name(document.name), head, summary, document.status)
    yield from _format_notices(head) if head.files == 1 else ()
    if document.trouble:
        sentence = f"This document {NOT_READ}: {format_code_span(document.trouble)}"
        yield from ("", "### Issues", "", sentence)
    elif document.issues:
        yield from ("", "### Issues", "")
        for n, row in enumerate(document.issues, 1):
            level = "" if row.level is RowLevel.ERROR else f" ({row.level})"
            yield f"{n}. **{row.severity} - {remove_markup(row.kind)} (line {row.place.line})**{level}"
            margin = " " * len(f"{n}. ")
            yield from (f"{margin}- {label}: {format_code_span(text)}" for label, text in row.evidence)
    yield from _format_list(NOT_CHECKED.capitalize(), map(format_code_span, summary.unchecked))
    if summary.code:
        block = [*summary.code, *format_flagged_lists(document.list_flagged(), places=False)]
        yield from ("", *fence_rows(block))
    yield from _format_list("Recommendations", map(remove_markup, summary.advice))


def _format_overview(head: CorpusReportHead, summary: ReportSummary) -> Iterator[str]:
    yield from _format_opening(format_count(summary.files, "file"), head, summary, summary.status)
    yield from _format_notices(head)
    yield from _format_list(NOT_CHECKED.capitalize(), map(format_code_span, summary.unchecked))
    if summary.code:
        yield from ("", *fence_rows(summary.code))
    yield from _format_list("Recommendations", map(remove_markup, summary.advice))


def _format_opening(file: str, head: CorpusReportHead, summary: ReportSummary, status: str) -> Iterator[str]:
    yield "## Citation Verification Report"
    yield ""
    yield f"**File:** {file}  "  # two blanks: each of these on a line of its own
    yield f"**Date:** {remove_markup(head.date)}  "
    if head.checked:
        yield f"**Checked:** {head.checked}  "
    yield f"**Status:** {status}"
    yield from ("", "### Summary", "", "| Metric | Count |", "| --- | --- |")
    yield from (f"| {name} | {count} |" for name, count in summary.figures)


def _format_notices(head: CorpusReportHead) -> Iterator[str]:
    fixed = (f"{format_code_span(file)}: {format_count(changes, 'change')}" for file, changes in head.fixed)
    yield from _format_list("Fixed", fixed)
    yield from _format_list("Corpus", map(format_code_span, head.troubles))


def _format_list(heading: str, items: Iterable[str]) -> Iterator[str]:
    """Yield a heading and a list of what is Markdown already, or nothing."""
    for n, item in enumerate(items):
        yield from ("", f"### {heading}", "") if n == 0 else ()
        yield f"- {item}"


def format_code_span(text: str) -> str:
    """Return `text` on one line as a code span that nothing in it can end."""
    shown = wording.show_line(text)
    fence = "`" * (max(map(len, _TICKS.findall(shown)), default=0) + 1)
    pad = " " if not shown or shown[0] == "`" or shown[-1] == "`" else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def format_file_name(file: str) -> str:
    """Return a file's name, as it is where Markdown and we can read nothing in it."""
    return file if _PLAIN.fullmatch(file) else format_code_span(file)


def fence_rows(rows: Sequence[str]) -> Iterator[str]:
    """Yield `rows` as a block of plain text that none of them can end."""
    longest = max((len(run) for row in rows for run in _TICKS.findall(row)), default=0)
    fence = "`" * max(3, longest + 1)
    yield from (f"{fence}text", *rows, fence)


def remove_markup(text: str) -> str:
    """Return our own words; they hold no markup, and what is not ours in them becomes none."""
    return re.sub(r"[^\w\s.,;:?!()/@-]", "", wording.show_line(text))


make = Markdown

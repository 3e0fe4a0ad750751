"""The report to keep beside the documents, or to paste into a review.

All text of documents stands in code spans and fences: Markdown reads nothing in them, so that it forms
no markup, and verifying a report finds no citation in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import ClassVar

from citeproof.corpus.nouns import Counts, DocumentResult, Issue, Level
from citeproof.corpus.reports import code_block, figures
from citeproof.corpus.reports.advice import list_recommendations
from citeproof.corpus.reports.corpus_report import LEVELS, CorpusReport
from citeproof.corpus.reports.figures import CorpusTally
from citeproof.reporters import wording
from citeproof.reporters.report_model import CorpusReportHead
from citeproof.reporters.wording import format_count

_PLAIN = re.compile(r"(?:[A-Za-z0-9./-]|(?<=[A-Za-z0-9])_(?=[A-Za-z0-9])){1,300}")
_TICKS = re.compile("`+")


class CorpusMarkdown:
    """One block for one document; for several, one for all, then one for each that has issues."""

    name: ClassVar[str] = "markdown"

    def report(self, report: CorpusReport) -> Iterator[str]:
        """Yield the report once all is known, because its counts stand first."""
        head, results = report.head, report.load(False)
        tally, blocks, clean = CorpusTally(), [], []
        for result in results:
            tally.add(result)
            if head.files == 1 or result.issues or result.trouble:
                blocks.append(_join_lines(_format_document(head, result, alone=head.files == 1)))
            else:
                clean.append(f"- {_format_clean_line(result)}")
        if head.files != 1:
            yield _join_lines(_format_overview(head, tally))
        for n, block in enumerate(blocks):
            yield f"\n{block}" if n or head.files != 1 else block
        if clean:
            yield _join_lines(("", "### Files without issues", "", *clean))


def _format_document(head: CorpusReportHead, result: DocumentResult, *, alone: bool) -> Iterator[str]:
    tally = CorpusTally()
    tally.add(result)
    yield from _format_opening(
        format_file_name(result.file), head, tally.counts, figures.format_file_status(result)
    )
    yield from _format_notices(head) if alone else ()
    if result.trouble:
        yield from (
            "",
            "### Issues",
            "",
            f"This document could not be read: {format_code_span(result.trouble)}",
        )
    elif result.issues:
        yield from ("", "### Issues", "")
        for n, issue in enumerate(result.issues, 1):
            yield from _format_issue_item(n, issue)
    yield from _format_unchecked(tally)
    if result.counts.code:
        block = [
            *code_block.format_totals(result.counts),
            *wording.format_flagged_lists(code_block.list_flagged_citations(result), places=False),
        ]
        yield from ("", *fence_rows(block))
    yield from _format_closing(tally)


def _format_overview(head: CorpusReportHead, tally: CorpusTally) -> Iterator[str]:
    status = figures.format_status(tally.counts, tally.unread)
    yield from _format_opening(format_count(tally.files, "file"), head, tally.counts, status)
    yield from _format_notices(head)
    yield from _format_unchecked(tally)
    if tally.counts.code:
        yield from ("", *fence_rows(code_block.format_totals(tally.counts)))
    yield from _format_closing(tally)


def _format_opening(file: str, head: CorpusReportHead, counts: Counts, status: str) -> Iterator[str]:
    yield "## Citation Verification Report"
    yield ""
    yield f"**File:** {file}  "  # two blanks: each of these on a line of its own
    yield f"**Date:** {remove_markup(head.date)}  "
    if checked := head.checked:
        yield f"**Checked:** {checked}  "
    yield f"**Status:** {status}"
    yield from ("", "### Summary", "", "| Metric | Count |", "| --- | --- |")
    yield from (f"| {name} | {count} |" for name, count in figures.list_summary_rows(counts))


def _format_notices(head: CorpusReportHead) -> Iterator[str]:
    if head.fixed:
        yield from ("", "### Fixed", "")
        yield from (
            f"- {format_code_span(file)}: {format_count(changes, 'change')}" for file, changes in head.fixed
        )
    if head.troubles:
        yield from ("", "### Corpus", "", *(f"- {format_code_span(trouble)}" for trouble in head.troubles))


def _format_unchecked(tally: CorpusTally) -> Iterator[str]:
    if tally.unchecked:
        yield from (
            "",
            "### Could not be checked",
            "",
            *(f"- {format_code_span(row)}" for row in tally.list_unchecked()),
        )


def _format_issue_item(n: int, issue: Issue) -> Iterator[str]:
    level = "" if issue.level is Level.ERROR else f" ({LEVELS[issue.level]})"
    yield f"{n}. **{issue.severity} - {remove_markup(issue.kind)} (line {issue.line})**{level}"
    margin = " " * len(f"{n}. ")
    told = (("Claim", issue.claim), ("Source", issue.source), ("Issue", issue.message), ("Fix", issue.fix))
    yield from (f"{margin}- {name}: {format_code_span(value)}" for name, value in told if value)


def _format_closing(tally: CorpusTally) -> Iterator[str]:
    yield from ("", "### Recommendations", "")
    yield from (f"- {remove_markup(sentence)}" for sentence in list_recommendations(tally))


def _format_clean_line(result: DocumentResult) -> str:
    return (
        f"{format_code_span(result.file)}: {figures.format_status(result.counts)}, "
        f"{format_count(result.counts.citations, 'citation')}"
    )


def format_code_span(text: str) -> str:
    """Return `text` on one line as a code span that nothing in it can end."""
    shown = wording.show_line(text)
    fence = "`" * (max(map(len, _TICKS.findall(shown)), default=0) + 1)
    pad = " " if not shown or shown[0] == "`" or shown[-1] == "`" else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def format_file_name(file: str) -> str:
    """Return a file's name, as it is where Markdown and we can read nothing in it."""
    return file if _PLAIN.fullmatch(file) else format_code_span(file)


def fence_rows(rows: list[str]) -> Iterator[str]:
    """Yield `rows` as a block of plain text that none of them can end."""
    longest = max((len(run) for row in rows for run in _TICKS.findall(row)), default=0)
    fence = "`" * max(3, longest + 1)
    yield from (f"{fence}text", *rows, fence)


def remove_markup(text: str) -> str:
    """Return our own words; they hold no markup, and what is not ours in them becomes none."""
    return re.sub(r"[^\w\s.,;:?!()/@-]", "", wording.show_line(text))


def _join_lines(rows: Iterable[str]) -> str:
    return "".join(f"{row}\n" for row in rows)


make = CorpusMarkdown

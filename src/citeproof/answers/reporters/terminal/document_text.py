"""The report on the documents of a corpus, for a terminal: a frame an issue, then the summary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from citeproof.answers.reporters import wording
from citeproof.answers.reporters.report_model import (
    CorpusReportHead,
    DocumentReport,
    FlaggedCitation,
    ReportSummary,
    RowLevel,
    format_flagged_lists,
)
from citeproof.answers.reporters.terminal.screen_text import ScreenText
from citeproof.errors import format_count
from citeproof.vocabulary import NOT_CHECKED, NOT_READ

HEADS = {RowLevel.ERROR: "BLOCKED", RowLevel.WARNING: "WARNING", RowLevel.NOTE: "NOTE"}
LEVEL_STYLES = {RowLevel.ERROR: "bold red", RowLevel.WARNING: "yellow", RowLevel.NOTE: "cyan"}
TITLE = "Citation Audit Report"
RULE = 60
NOTES = 20  # more of them would bury what matters, so that they are counted only


class DocumentText:
    """Frames in document order, then the figures."""

    def __init__(self, screen: ScreenText) -> None:
        self._screen = screen

    def format_documents(self, report: DocumentReport) -> Iterator[str]:
        flagged, notes = list[FlaggedCitation](), list[str]()
        yield wording.join_lines(self._format_opening(report.head))
        for document in report.generate_documents():
            flagged += document.list_flagged()
            if document.trouble:
                about = (("File", document.name), ("Issue", document.trouble))
                yield wording.join_lines(
                    self._format_frame(RowLevel.WARNING, f"Document {NOT_READ.title()}", about)
                )
            for row in document.issues:
                facts = (("File", wording.format_place(row.place)), *row.evidence)
                block = wording.join_lines(self._format_frame(row.level, row.kind, facts))
                if row.level is not RowLevel.NOTE:
                    yield block
                elif len(notes) <= NOTES:
                    notes.append(block)
        summary = report.make_summary()
        yield "".join(notes) if len(notes) <= NOTES else wording.join_lines(self._count_notes(summary))
        yield wording.join_lines(self._format_summary(summary, flagged, places=report.head.files != 1))

    def _format_opening(self, head: CorpusReportHead) -> Iterator[str]:
        yield from (self._screen.paint(TITLE, "bold"), "=" * len(TITLE), "")
        yield from self._screen.format_labelled("Root", head.root)
        yield from self._screen.format_labelled("Date", head.date)
        yield from self._screen.format_labelled("Files", f"{head.files:,}")
        yield from self._screen.format_labelled("Checked", head.checked)
        for file, changes in head.fixed:
            yield from self._screen.format_labelled(
                "Fixed", f"{wording.show_line(file)}: {format_count(changes, 'change')}"
            )
        for trouble in head.troubles:
            yield from self._screen.format_labelled("Corpus", trouble, "yellow")
        yield from ("", self._screen.paint("Results:", "bold"), "")

    def _format_frame(self, level: RowLevel, kind: str, facts: Iterable[tuple[str, str]]) -> Iterator[str]:
        rule = self._screen.paint("=" * min(RULE, self._screen.width), LEVEL_STYLES[level])
        yield rule
        yield from self._screen.wrap(
            f"{HEADS[level]}: {wording.show_line(kind)}", LEVEL_STYLES[level], indent=0
        )
        yield rule
        for label, text in facts:
            yield from self._screen.format_labelled(label, text, "green" if label == "Fix" else "")
        yield ""

    def _count_notes(self, summary: ReportSummary) -> Iterator[str]:
        notes = format_count(summary.levels[RowLevel.NOTE], "note")
        text = f"{notes}, counted but not shown; --format md and json show them."
        yield from self._screen.wrap(text, "cyan", indent=0)
        yield ""

    def _format_summary(
        self, summary: ReportSummary, flagged: list[FlaggedCitation], *, places: bool
    ) -> Iterator[str]:
        if not (any(summary.levels.values()) or summary.unread):
            yield from ("No issues.", "")
        if summary.code:
            yield from summary.code
            for row in format_flagged_lists(flagged, places=places):
                yield from self._screen.format_hanging(row)
            yield ""
        if summary.unchecked:
            yield self._screen.paint(f"{NOT_CHECKED.capitalize()}:", "yellow")
            for row in summary.unchecked:
                yield from self._screen.format_hanging(f"- {row}")
            yield ""
        yield self._screen.paint("Summary:", "bold")
        every = (("Files", summary.files), *summary.figures)
        across = max(len(name) for name, _ in every)
        digits = max(len(f"{count:,}") for _, count in every)
        yield from (f"  {name:<{across}}  {count:>{digits},}" for name, count in every)
        yield ""
        style = "bold red" if summary.failed else "yellow" if summary.unread else "bold green"
        yield self._screen.paint(f"Status: {summary.status}", style)

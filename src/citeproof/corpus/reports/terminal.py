"""A report for a person at a terminal: a framed block an issue, then code citations, counts and status.

Colour repeats what the words already say. Text of documents comes on one line with its controls spelled
out, is wrapped, and stands behind its label, so that it can forge no frame and no heading.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from rich.color import ColorSystem
from rich.style import Style

from citeproof.corpus.nouns import DocumentResult, Issue, Level
from citeproof.corpus.reports import code_block, figures
from citeproof.corpus.reports.corpus_report import CorpusReport
from citeproof.corpus.reports.figures import CorpusTally, has_failed
from citeproof.reporters import wording
from citeproof.reporters.report_model import CorpusReportHead, FlaggedCitation
from citeproof.reporters.terminal import wrap_text
from citeproof.reporters.wording import format_count

TITLE = "Citation Audit Report"
HEADS = {Level.ERROR: "BLOCKED", Level.WARNING: "WARNING", Level.INFO: "NOTE"}
STYLES = {Level.ERROR: "bold red", Level.WARNING: "yellow", Level.INFO: "cyan"}
RULE = 60
NOTES = 20  # more of them would bury what matters, so that they are counted only
NARROWEST = 30


@dataclass(frozen=True, slots=True)
class CorpusTerminal:
    """Blocks in document order, the notes behind them."""

    colour: bool = False
    width: int = 100

    name: ClassVar[str] = "terminal"

    def report(self, report: CorpusReport) -> Iterator[str]:
        """Yield each issue as soon as it is known, then what concerns all documents."""
        head, results = report.head, report.load(False)
        tally, told, notes = CorpusTally(), list[FlaggedCitation](), list[str]()
        yield _join_lines(self._opening(head))
        for result in results:
            tally.add(result)
            told += code_block.list_flagged_citations(result)
            if result.trouble:
                yield _join_lines(self._unread(result))
            for issue in result.issues:
                block = _join_lines(self._issue(result.file, issue))
                if issue.level is not Level.INFO:
                    yield block
                elif len(notes) <= NOTES:
                    notes.append(block)
        yield "".join(notes) if len(notes) <= NOTES else _join_lines(self._uncounted(tally))
        yield _join_lines(self._close(head, tally, told))

    def _opening(self, head: CorpusReportHead) -> Iterator[str]:
        yield from (self._paint_text(TITLE, "bold"), "=" * len(TITLE), "")
        yield from self._labelled("Root", head.root)
        yield from self._labelled("Date", head.date)
        yield from self._labelled("Files", f"{head.files:,}")
        yield from self._labelled("Checked", head.checked)
        for file, changes in head.fixed:
            yield from self._labelled(
                "Fixed", f"{wording.show_line(file)}: {format_count(changes, 'change')}"
            )
        for trouble in head.troubles:
            yield from self._labelled("Corpus", trouble, "yellow")
        yield from ("", self._paint_text("Results:", "bold"), "")

    def _issue(self, file: str, issue: Issue) -> Iterator[str]:
        yield from self._frame(f"{HEADS[issue.level]}: {wording.show_line(issue.kind)}", STYLES[issue.level])
        yield from self._labelled("File", f"{wording.show_line(file)}:{issue.line}:{issue.column}")
        yield from self._labelled("Claim", issue.claim)
        yield from self._labelled("Source", issue.source)
        yield from self._labelled("Issue", issue.message)
        yield from self._labelled("Fix", issue.fix, "green")
        yield ""

    def _unread(self, result: DocumentResult) -> Iterator[str]:
        yield from self._frame("WARNING: Document Could Not Be Read", STYLES[Level.WARNING])
        yield from self._labelled("File", result.file)
        yield from self._labelled("Issue", result.trouble)
        yield ""

    def _uncounted(self, tally: CorpusTally) -> Iterator[str]:
        text = (
            f"{format_count(tally.counts.infos, 'note')}, counted but not shown; --format md and "
            "json show them."
        )
        yield from self._text(text, "cyan")
        yield ""

    def _close(
        self, head: CorpusReportHead, tally: CorpusTally, told: list[FlaggedCitation]
    ) -> Iterator[str]:
        counts = tally.counts
        if not (tally.kinds or tally.unread):
            yield from ("No issues.", "")
        if counts.code:
            yield from code_block.format_totals(counts)
            for row in wording.format_flagged_lists(told, places=head.files != 1):
                yield from self._hanging(row)
            yield ""
        if tally.unchecked:
            yield self._paint_text("Could not be checked:", "yellow")
            for row in tally.list_unchecked():
                yield from self._hanging(f"- {row}")
            yield ""
        yield self._paint_text("Summary:", "bold")
        every = (("Files", tally.files), *figures.list_summary_rows(counts))
        across = max(len(name) for name, _ in every)
        digits = max(len(f"{count:,}") for _, count in every)
        yield from (f"  {name:<{across}}  {count:>{digits},}" for name, count in every)
        yield ""
        status = f"Status: {figures.format_status(counts, tally.unread)}"
        yield self._paint_text(
            status, "bold red" if has_failed(counts) else "yellow" if tally.unread else "bold green"
        )

    def _frame(self, text: str, style: str) -> Iterator[str]:
        rule = self._paint_text("=" * min(RULE, self.width), style)
        yield rule
        yield from self._text(text, style)
        yield rule

    def _labelled(self, label: str, text: str, style: str = "") -> Iterator[str]:
        """Yield `label: text`, where there is a text; further lines stand under its first."""
        shown = wording.show_line(text)
        yield from self._text(shown, style, head=f"{label}: ") if shown else ()

    def _hanging(self, row: str) -> Iterator[str]:
        """Yield a row of the block of code citations; what does not fit stands further in than it."""
        first = len(row) - len(row.lstrip())
        for n, line in enumerate(wrap_text(row.lstrip(), max(NARROWEST, self.width - first - 4))):
            yield " " * (first + 4 * bool(n)) + line

    def _text(self, text: str, style: str = "", *, head: str = "") -> Iterator[str]:
        for n, line in enumerate(wrap_text(text, max(NARROWEST, self.width - len(head)))):
            yield (" " * len(head) if n else head) + self._paint_text(line, style)

    def _paint_text(self, text: str, style: str) -> str:
        if not self.colour or not style:
            return text
        return Style.parse(style).render(text, color_system=ColorSystem.STANDARD)


def _join_lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


make = CorpusTerminal

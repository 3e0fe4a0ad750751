"""A report for a person at a terminal: one line for what is right, a block for what is not.

Document text is shown as it is, never read as markup, and its control characters are spelled out; wrapped
behind its label it can forge no frame. Colour repeats what symbols and words already say, so nothing is lost
without it.

rich knows widths and colours here; its tables and padding are left alone, because laying out a
block with them took longer (3.3 ms) than verifying the reference.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from rich.cells import cell_len, chop_cells
from rich.color import ColorSystem
from rich.style import Style

from citeproof.reporters import wording
from citeproof.reporters.base import Reporter
from citeproof.reporters.reference_report import get_references
from citeproof.reporters.report_model import (
    CorpusReportHead,
    DocumentReport,
    FlaggedCitation,
    ReportModel,
    ReportSummary,
    RowLevel,
    format_flagged_lists,
)
from citeproof.reporters.wording import format_count
from citeproof.vocabulary import Checked, Finding, FindingState, Label, Mismatch, Run

SYMBOLS = {Label.EXACT: "✓", Label.MINOR: "~", Label.MAJOR: "✗", None: "?"}
STYLES = {Label.EXACT: "green", Label.MINOR: "yellow", Label.MAJOR: "bold red", None: "cyan"}
INDENT = 4
NARROWEST = 30


HEADS = {RowLevel.ERROR: "BLOCKED", RowLevel.WARNING: "WARNING", RowLevel.NOTE: "NOTE"}
LEVEL_STYLES = {RowLevel.ERROR: "bold red", RowLevel.WARNING: "yellow", RowLevel.NOTE: "cyan"}
TITLE = "Citation Audit Report"
RULE = 60
NOTES = 20  # more of them would bury what matters, so that they are counted only


@dataclass(frozen=True, slots=True)
class Terminal(Reporter):
    """Blocks of text in document order, then the counts."""

    colour: bool = False
    width: int = 100

    name: ClassVar[str] = "terminal"

    def report(self, report: ReportModel) -> Iterator[str]:
        """Yield one block a reference or issue as soon as it is known, then what concerns the whole run."""
        if isinstance(report, DocumentReport):
            return self._format_documents(report)
        return self._format_references(*get_references(report))

    def _format_references(self, run: Run, checked: Iterable[Checked]) -> Iterator[str]:
        tally, spaced = wording.VerdictTally(), False
        for text in wording.describe_overrides(run):
            yield _join_lines(self._text(text, "yellow", head="! ", indent=0))
        for one in checked:
            tally.add(one)
            lines = list(self._block(one))
            spaced = lines[-1] == ""
            yield _join_lines(lines)
        yield _join_lines(self._close(run, tally, spaced=spaced))

    def _block(self, checked: Checked) -> Iterator[str]:
        judgement = checked.judgement
        findings = [f for f in checked.findings if f.state is FindingState.FINDING]
        yield self._head(checked)
        if judgement.label is not Label.EXACT:
            yield from self._text(
                f"{wording.format_place(checked.reference.place)}  {wording.format_title(checked)}".strip(),
                "dim",
            )
            yield from self._text(wording.format_score(checked), "dim")
            yield from self._text(wording.show_line(judgement.explanation, 2000))
            yield from self._differences(judgement.mismatches)
            yield from self._text(f"evidence: {wording.describe_evidence(checked)}", "dim")
            if nearest := wording.describe_nearest(checked):
                yield from self._text(f"nearest: {nearest}", "dim")
        for finding in findings:
            yield from self._text(_format_finding(finding), "magenta")
        if judgement.label is not Label.EXACT or findings:
            yield ""

    def _head(self, checked: Checked) -> str:
        label = checked.judgement.label
        sign, key = (
            f"{SYMBOLS[label]} {wording.format_headline(checked)}",
            wording.show_line(checked.reference.key, 80),
        )
        head = f"{self._paint_text(sign, STYLES[label])}  {self._paint_text(key, 'bold')}"
        if label is not Label.EXACT:
            return head
        left = max(NARROWEST, self.width - cell_len(sign) - cell_len(key) - 4)
        return f"{head}  {_cut_to_width(wording.format_title(checked), left)}"

    def _differences(self, mismatches: tuple[Mismatch, ...]) -> Iterator[str]:
        field_width = max((len(wording.show_line(m.field)) for m in mismatches), default=0)
        for m in mismatches:
            rows = (("claimed", m.claimed), ("found", m.resolved), ("reason", m.reason))
            for n, (word, value) in enumerate(rows):
                head = f"{wording.show_line(m.field) if n == 0 else '':<{field_width}}  {word:<7}  "
                yield from self._text(wording.show_line(value) or "(nothing)", head=head)

    def _close(self, run: Run, tally: wording.VerdictTally, *, spaced: bool) -> Iterator[str]:
        for problem in run.problems:
            place, message = wording.format_place(problem.place), wording.show_line(problem.message)
            style, head = ("dim", "note: ") if problem.note else ("yellow", "! ")
            yield from self._text(f"{place}: {message}", style, head=head, indent=0)
            yield from self._text(f"hint: {wording.show_line(problem.hint)}" if problem.hint else "")
        if run.problems or not spaced:
            yield ""
        yield from self._text(tally.sentence(), "bold", indent=0)
        yield from self._text(wording.describe_completeness(run), "yellow", indent=0)
        against = wording.show_line(wording.describe_sources(run))
        yield from self._text(f"checked against: {against}", "dim", indent=0)

    def _format_documents(self, report: DocumentReport) -> Iterator[str]:
        flagged, notes = list[FlaggedCitation](), list[str]()
        yield _join_lines(self._format_opening(report.head))
        for document in report.generate_documents():
            flagged += document.list_flagged()
            if document.trouble:
                about = (("File", document.name), ("Issue", document.trouble))
                yield _join_lines(self._format_frame(RowLevel.WARNING, "Document Could Not Be Read", about))
            for row in document.issues:
                told = (("File", wording.format_place(row.place)), *row.evidence)
                block = _join_lines(self._format_frame(row.level, row.kind, told))
                if row.level is not RowLevel.NOTE:
                    yield block
                elif len(notes) <= NOTES:
                    notes.append(block)
        summary = report.make_summary()
        yield "".join(notes) if len(notes) <= NOTES else _join_lines(self._count_notes(summary))
        yield _join_lines(self._format_summary(summary, flagged, places=report.head.files != 1))

    def _format_opening(self, head: CorpusReportHead) -> Iterator[str]:
        yield from (self._paint_text(TITLE, "bold"), "=" * len(TITLE), "")
        yield from self._format_labelled("Root", head.root)
        yield from self._format_labelled("Date", head.date)
        yield from self._format_labelled("Files", f"{head.files:,}")
        yield from self._format_labelled("Checked", head.checked)
        for file, changes in head.fixed:
            yield from self._format_labelled(
                "Fixed", f"{wording.show_line(file)}: {format_count(changes, 'change')}"
            )
        for trouble in head.troubles:
            yield from self._format_labelled("Corpus", trouble, "yellow")
        yield from ("", self._paint_text("Results:", "bold"), "")

    def _format_frame(self, level: RowLevel, kind: str, told: Iterable[tuple[str, str]]) -> Iterator[str]:
        rule = self._paint_text("=" * min(RULE, self.width), LEVEL_STYLES[level])
        yield rule
        yield from self._text(f"{HEADS[level]}: {wording.show_line(kind)}", LEVEL_STYLES[level], indent=0)
        yield rule
        for label, text in told:
            yield from self._format_labelled(label, text, "green" if label == "Fix" else "")
        yield ""

    def _count_notes(self, summary: ReportSummary) -> Iterator[str]:
        notes = format_count(summary.levels[RowLevel.NOTE], "note")
        text = f"{notes}, counted but not shown; --format md and json show them."
        yield from self._text(text, "cyan", indent=0)
        yield ""

    def _format_summary(
        self, summary: ReportSummary, flagged: list[FlaggedCitation], *, places: bool
    ) -> Iterator[str]:
        if not (any(summary.levels.values()) or summary.unread):
            yield from ("No issues.", "")
        if summary.code:
            yield from summary.code
            for row in format_flagged_lists(flagged, places=places):
                yield from self._format_hanging(row)
            yield ""
        if summary.unchecked:
            yield self._paint_text("Could not be checked:", "yellow")
            for row in summary.unchecked:
                yield from self._format_hanging(f"- {row}")
            yield ""
        yield self._paint_text("Summary:", "bold")
        every = (("Files", summary.files), *summary.figures)
        across = max(len(name) for name, _ in every)
        digits = max(len(f"{count:,}") for _, count in every)
        yield from (f"  {name:<{across}}  {count:>{digits},}" for name, count in every)
        yield ""
        style = "bold red" if summary.failed else "yellow" if summary.unread else "bold green"
        yield self._paint_text(f"Status: {summary.status}", style)

    def _format_labelled(self, label: str, text: str, style: str = "") -> Iterator[str]:
        """Yield `label: text`, where there is a text; further lines stand under its first."""
        return self._text(wording.show_line(text), style, head=f"{label}: ", indent=0)

    def _format_hanging(self, row: str) -> Iterator[str]:
        """Yield a row of the block of code citations; what does not fit stands further in than it."""
        first = len(row) - len(row.lstrip())
        for n, line in enumerate(wrap_text(row.lstrip(), max(NARROWEST, self.width - first - 4))):
            yield " " * (first + 4 * bool(n)) + line

    def _text(self, text: str, style: str = "", *, head: str = "", indent: int = INDENT) -> Iterator[str]:
        """Yield `text` in lines that fit; the first begins with `head`, the others stand under it."""
        margin = indent + len(head)
        for n, line in enumerate(wrap_text(text, max(NARROWEST, self.width - margin)) if text else ()):
            before = " " * indent + head if n == 0 else " " * margin
            yield before + self._paint_text(line, style)

    def _paint_text(self, text: str, style: str) -> str:
        if not self.colour or not style:
            return text
        return Style.parse(style).render(text, color_system=ColorSystem.STANDARD)


def _join_lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def wrap_text(text: str, width: int) -> list[str]:
    """Return `text` in lines of at most `width` columns; wide scripts count two a character."""
    if 0 < len(text) <= width and text.isascii() and text.isprintable() and text[0] != " " != text[-1]:
        return [text]  # most are short, and wrapping them costs more than all else in a report
    if cell_len(text) == len(text):
        return list(_wrap_narrow(text, width))
    return [line.strip() for line in _wrap_wide(text.split(), width)]


@lru_cache(maxsize=256)  # thousands of references may all say why they could not be checked
def _wrap_narrow(text: str, width: int) -> tuple[str, ...]:
    return tuple(textwrap.wrap(text, width, break_on_hyphens=False))


def _wrap_wide(parts: list[str], width: int) -> Iterator[str]:
    line = ""
    for part in (piece for word in parts for piece in chop_cells(word, width)):
        if line and cell_len(line) + 1 + cell_len(part) > width:
            yield line
            line = part
        else:
            line = f"{line} {part}" if line else part
    yield line


def _cut_to_width(text: str, width: int) -> str:
    return text if cell_len(text) <= width else f"{chop_cells(text, width - 1)[0]}…"


def _format_finding(finding: Finding) -> str:
    said = f"{finding.name}: {finding.detail}" if finding.detail else finding.name
    return wording.show_line(f"finding: {said} ({finding.source})" if finding.source else f"finding: {said}")


make = Terminal

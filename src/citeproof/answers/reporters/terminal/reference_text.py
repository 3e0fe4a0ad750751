"""The report on references, for a terminal: what is wrong comes first, the rest is counted.

files that could not be read
a block for each problem, as soon as it is known
one line for each cause why references could not be checked, with their keys
the counts
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

from rich.cells import cell_len

from citeproof.answers.reporters import wording
from citeproof.answers.reporters.gate_words import GateTally, describe_gates
from citeproof.answers.reporters.reference_report import ReferenceReport
from citeproof.answers.reporters.report_model import Selection
from citeproof.answers.reporters.terminal.screen_text import (
    INDENT,
    NARROWEST,
    ScreenText,
    cut_front_to_width,
    cut_to_width,
)
from citeproof.answers.reporters.terminal.waiting_references import (
    WaitingReference,
    WaitingReferences,
    format_waiting,
    list_keys,
)
from citeproof.answers.serializers.judgements import identify_judgement, make_fingerprint
from citeproof.errors import format_count
from citeproof.vocabulary import (
    CHECKED_AGAINST,
    Checked,
    Finding,
    FindingLevel,
    FindingState,
    Label,
    Mismatch,
    Problem,
    Run,
    SetFinding,
    Unchecked,
    Verdict,
)

SYMBOLS = {Label.EXACT: "✓", Label.NOTED: "≈", Label.MINOR: "~", Label.MAJOR: "✗", None: "?"}
STYLES = {
    Label.EXACT: "green", Label.NOTED: "green", Label.MINOR: "yellow", Label.MAJOR: "bold red", None: "cyan",
}  # fmt: skip
_MOST_ALIKE = 3  # findings of one check about references together
_MOST_EVIDENCE = 5  # lines below a finding
_MOST_TROUBLES = 10  # places that could not be read, of those that are shown


_SHOWN = {
    Selection.BRIEF: (Label.MAJOR, Label.MINOR),
    Selection.NOTES: (Label.MAJOR, Label.MINOR, Label.NOTED),
    Selection.PROBLEMS: (Label.MAJOR, Label.MINOR),
    Selection.QUIET: (Label.MAJOR, Label.MINOR),
    Selection.UNCHECKED: (None,),
    Selection.ALL: (*Label, None),
    Selection.SUMMARY: (),
}
_BRIEF = (Selection.BRIEF, Selection.NOTES)  # the rest is counted, with its keys
_WITH_FINDINGS = (*_BRIEF, Selection.PROBLEMS, Selection.ALL)  # also those of exact references


class ReferenceText:
    """Blocks of text; `verbose` adds scores, reasons, and the ids of records."""

    def __init__(self, screen: ScreenText, selection: Selection, *, verbose: bool) -> None:
        self._screen, self._selection, self._verbose = screen, selection, verbose

    def format_references(self, report: ReferenceReport) -> Iterator[str]:
        """Yield what is known before the first answer, each block as soon as it is known, then the rest."""
        run = report.run
        tally, waiting, spaced = wording.VerdictTally(), WaitingReferences(), True
        gates = GateTally(report.policy, report.lost)
        noted: dict[str, list[WaitingReference]] = {}  # the names of notes, and whose they are
        quiet = self._selection is Selection.QUIET
        yield wording.join_lines(self._format_opening(run, quiet=quiet))
        for checked in report.checked:
            tally.add(checked)
            gates.add(checked)
            if checked.accepted and self._selection is not Selection.ALL and self._hides(checked):
                continue
            findings = wording.list_findings(checked) if self._selection in _WITH_FINDINGS else []
            if quiet:
                findings = [finding for finding in checked.findings if finding.blocks]
            if self._selection in _BRIEF and checked.judgement.label not in _SHOWN[self._selection]:
                findings = _set_notes_aside(checked, findings, noted)
            shown = _SHOWN[self._selection]
            fails = checked.label is Label.NOTED and Label.MINOR in shown and report.is_failing(checked)
            if checked.label in shown or findings or fails:
                lines = list(self._format_block(checked))
                spaced = lines[-1] == ""
                yield wording.join_lines(lines)
            elif checked.label is None:
                waiting.add(checked)
            else:
                waiting.noted += checked.label is Label.NOTED
        if self._selection in _WITH_FINDINGS:
            lines = list(self._format_set_findings(report.list_set_findings(), spaced=spaced))
            lines += self._format_notes(noted, run, spaced=spaced or bool(lines))
            spaced = spaced or bool(lines)
            yield wording.join_lines(lines)
        if not quiet:
            yield wording.join_lines(self._format_closing(report, tally, waiting, spaced=spaced))
            yield wording.join_lines(self._format_gates(gates, report.list_set_findings()))

    @staticmethod
    def _hides(checked: Checked) -> bool:
        """Return whether every problem of a reference is accepted: then it is only counted."""
        findings = sum(finding.state is FindingState.FINDING for finding in checked.findings)
        known, label = wording.is_accepted(checked), checked.judgement.label
        return len(checked.accepted) == findings + known and (known or (label is not None and label.passes))

    def _format_opening(self, run: Run, *, quiet: bool) -> Iterator[str]:
        """Yield what is not as shipped, and the files that could not be read."""
        overrides = [] if quiet else wording.describe_overrides(run)
        unread = [problem for problem in run.problems if problem.whole]
        for text in overrides:
            yield from self._screen.wrap(text, "yellow", head="! ", indent=0)
        yield from self._format_problems(unread, "bold red")
        if overrides or unread:
            yield ""

    def _format_block(self, checked: Checked) -> Iterator[str]:
        judgement, wrap = checked.judgement, self._screen.wrap
        findings, exact = wording.list_findings(checked), judgement.label is Label.EXACT
        yield from self._format_headline(checked)
        if not exact:
            titled = not wording.has_title_difference(judgement)
            yield from wrap(wording.format_title(checked) if titled else "", "dim")
            if self._verbose:
                yield from wrap(wording.format_score(checked), "dim")
        if not exact or wording.has_open_id(checked):
            yield from wrap(wording.format_summary(checked))
        yield from self._format_differences(wording.list_differences(judgement))
        for note in judgement.notes if self._verbose and judgement.label is not Label.NOTED else ():
            yield from wrap(f"note: {wording.describe_note(note)}", "dim")
        if not exact:
            yield from wrap(self._describe_evidence(checked), "dim")
            if nearest := wording.describe_nearest(checked, ids=self._verbose):
                yield from wrap(f"nearest: {nearest}", "dim")
        for finding in findings:
            yield from wrap(_format_finding(finding), "magenta")
            for line in finding.evidence if self._verbose else finding.evidence[:_MOST_EVIDENCE]:
                yield from wrap(wording.show_line(line), "dim")
        yield from wrap(wording.describe_acceptance(checked), "dim")
        yield from wrap(describe_gates(checked), "dim")
        if self._verbose and (not exact or findings):
            yield from wrap(f"fingerprint: {make_fingerprint(identify_judgement(checked))}", "dim")
        if not exact or findings:
            yield ""

    def _format_set_findings(self, about: Sequence[SetFinding], *, spaced: bool) -> Iterator[str]:
        """Yield what was found about the references of each document together."""
        shown_findings = [e for e in about if e.finding.state is FindingState.FINDING and not e.accepted]
        if shown_findings and not spaced:
            yield ""
        for name in dict.fromkeys(each.finding.name for each in shown_findings):
            same = [each for each in shown_findings if each.finding.name == name]
            shown = same if self._verbose else same[:_MOST_ALIKE]
            for set_finding in shown:
                yield from self._format_set_finding(set_finding)
            if more := len(same) - len(shown):
                rest = f"{more:,} more like {'this' if len(shown) == 1 else 'these'}: -v shows them"
                yield from self._screen.wrap(rest, "magenta", head="! ", indent=0)
                yield ""

    def _format_set_finding(self, about: SetFinding) -> Iterator[str]:
        head, text = wording.format_place(about.place), wording.describe_finding(about.finding)
        yield from self._screen.wrap(f"{head}: {text}" if head else text, "magenta", head="! ", indent=0)
        shown = about.finding.evidence if self._verbose else about.finding.evidence[:_MOST_EVIDENCE]
        for line in shown:
            yield from self._screen.wrap(wording.show_line(line), "dim")
        if more := len(about.finding.evidence) - len(shown):
            yield from self._screen.wrap(f"{more:,} more: -v shows them", "dim")
        yield ""

    def _format_notes(
        self, noted: Mapping[str, Sequence[WaitingReference]], run: Run, *, spaced: bool
    ) -> Iterator[str]:
        """Yield a line for each kind of note about references that are in order, with their keys."""
        if noted and not spaced:
            yield ""
        for name, some in noted.items():
            head = f"{name.replace('_', ' ')}: {format_count(len(some), 'reference')}"
            yield from self._screen.wrap(head, "cyan", head="· ", indent=0)
            yield from self._screen.wrap(list_keys(some, places=len(run.documents) > 1), "dim")
        if noted:
            yield from self._screen.wrap("-v shows what is noted about each", "dim")
            yield ""

    def _format_headline(self, checked: Checked) -> Iterator[str]:
        label = checked.judgement.label
        sign = f"{SYMBOLS[label]} {wording.format_headline(checked)}"
        key = wording.show_line(checked.reference.key, 80)
        head = f"{self._screen.paint(sign, STYLES[label])}  {self._screen.paint(key, 'bold')}"
        left = self._screen.width - cell_len(sign) - cell_len(key) - 4
        place = wording.format_place(checked.reference.place)
        if label is Label.EXACT:
            yield f"{head}  {cut_to_width(wording.format_title(checked), max(NARROWEST, left))}"
        elif cell_len(place) <= left or left >= NARROWEST:
            yield f"{head}  {self._screen.paint(cut_front_to_width(place, left), 'dim')}".rstrip()
        else:
            yield head
            place = cut_front_to_width(place, max(NARROWEST, self._screen.width - INDENT))
            yield " " * INDENT + self._screen.paint(place, "dim")

    def _format_differences(self, mismatches: Sequence[Mismatch]) -> Iterator[str]:
        field_width = max((len(wording.show_line(m.field)) for m in mismatches), default=0)
        for m in mismatches:
            rows = [("claimed", m.claimed), ("found", m.resolved)]
            rows += [("reason", wording.describe_reason(m))] if self._verbose else []
            for n, (word, value) in enumerate(rows):
                head = f"{wording.show_line(m.field) if n == 0 else '':<{field_width}}  {word:<7}  "
                yield from self._screen.wrap(wording.show_line(value) or "(nothing)", head=head)

    def _describe_evidence(self, checked: Checked) -> str:
        """Return the record, else the sources that were asked, else why none could answer."""
        if checked.judgement.matched:
            return f"record: {wording.describe_record(checked, ids=self._verbose)}"
        if checked.judgement.verdict is Verdict.UNCHECKED:
            return f"why: {wording.describe_causes(checked)}"
        if self._verbose:
            return f"asked: {wording.describe_answers(checked)}"
        answers = [lookup for lookup in checked.retrieved.lookups if not isinstance(lookup, Unchecked)]
        return f"asked: {', '.join(dict.fromkeys(wording.show_line(answer.source) for answer in answers))}"

    def _format_problems(self, problems: Sequence[Problem], style: str = "yellow") -> Iterator[str]:
        """Yield each problem; a hint that several in a row share is below the last of them."""
        for problem, after in zip_longest(problems, problems[1:]):
            place = problem.place.file if problem.whole else wording.format_place(problem.place)
            text = f"{wording.show_line(place)}: {wording.show_line(problem.message)}"
            look, head = ("dim", "note: ") if problem.note else (style, "! ")
            yield from self._screen.wrap(text, look, head=head, indent=0)
            if problem.hint and (after is None or after.hint != problem.hint):
                yield from self._screen.wrap(f"hint: {wording.show_line(problem.hint)}")

    def _format_closing(
        self,
        report: ReferenceReport,
        tally: wording.VerdictTally,
        waiting: WaitingReferences,
        *,
        spaced: bool,
    ) -> Iterator[str]:
        run, wrap = report.run, self._screen.wrap
        if not spaced:
            yield ""
        if self._selection in _BRIEF:
            several = len(run.documents) > 1
            yield from format_waiting(waiting, self._screen, places=several, offline=run.offline)
        if self._selection is Selection.BRIEF and waiting.noted:
            them = "it" if waiting.noted == 1 else "them"
            yield from wrap(
                f"{waiting.noted:,} matched with a note: --notes shows {them}", head="≈ ", indent=0
            )
            yield ""
        listed = self._selection is not Selection.SUMMARY  # each fact once
        if listed:
            yield from self._format_troubles(run)
        if tally.labels:  # else there is nothing to count
            yield from wrap(tally.sentence(), "bold", indent=0)
        flagged = tuple(problem for problem in run.problems if problem.finding)
        missing = wording.describe_completeness(
            replace(run, problems=flagged) if listed else run, keys=not listed
        )
        yield from wrap(missing, "yellow", indent=0)
        if tally.labels:
            yield from wrap(f"{CHECKED_AGAINST}: {report.describe_sources()}", "dim", indent=0)
        if tally.labels and self._verbose and run.snapshots:
            yield from wrap(f"snapshots: {wording.list_names(run.snapshots)}", "dim", indent=0)

    def _format_gates(self, gates: GateTally, set_findings: Sequence[SetFinding]) -> Iterator[str]:
        """Yield what the policy decided, rule by rule."""
        for set_finding in set_findings:
            gates.add_set_finding(set_finding)
        for n, line in enumerate(gates.format_lines()):
            yield from self._screen.wrap(line, "dim" if n else "", indent=INDENT if n else 0)

    def _format_troubles(self, run: Run) -> Iterator[str]:
        """Yield the places that could not be read, the notes only where all is shown."""
        own = [problem for problem in run.problems if not problem.whole and not problem.finding]
        problems = [problem for problem in own if not problem.note]
        shown = own if self._verbose else problems[:_MOST_TROUBLES]
        yield from self._format_problems(shown)
        more, notes = len(problems) - len(shown), len(own) - len(problems)
        left = [format_count(more, "more problem")] if more > 0 else []
        left += [format_count(notes, "note")] if notes and not self._verbose else []
        if left:
            text = f"! {' and '.join(left)} on reading: -v shows {'them' if more + notes > 1 else 'it'}"
            yield from self._screen.wrap(text, indent=0)
        if own:
            yield ""


def _set_notes_aside(
    checked: Checked, findings: list[Finding], noted: dict[str, list[WaitingReference]]
) -> list[Finding]:
    """Return the findings; if all are notes, none: they go to `noted`, and the reference is in order."""
    if any(finding.level is not FindingLevel.NOTE for finding in findings):
        return findings
    open_ = ["identifier not confirmed"] if wording.has_open_id(checked) else []
    for name in (*(finding.name for finding in findings), *open_):
        noted.setdefault(name, []).append(WaitingReference.of(checked))
    return []


def _format_finding(finding: Finding) -> str:
    said = f"{finding.name}: {finding.detail}" if finding.detail else finding.name
    return wording.show_line(f"finding: {said} ({finding.source})" if finding.source else f"finding: {said}")

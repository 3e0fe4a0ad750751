"""The report on references, for a terminal: what is wrong comes first, the rest is counted.

files that could not be read
a block for each problem, as soon as it is known
one line for each cause why references could not be checked, with their keys
the counts
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.cells import cell_len

from citeproof.reporters import wording
from citeproof.reporters.report_model import Selection
from citeproof.reporters.terminal.screen_text import NARROWEST, ScreenText, cut_to_width
from citeproof.reporters.wording import format_count
from citeproof.serializers.fingerprints import identify_judgement, make_fingerprint
from citeproof.vocabulary import (
    Checked,
    Finding,
    FindingState,
    Label,
    Mismatch,
    Problem,
    Run,
    Verdict,
)

SYMBOLS = {Label.EXACT: "✓", Label.MINOR: "~", Label.MAJOR: "✗", None: "?"}
STYLES = {Label.EXACT: "green", Label.MINOR: "yellow", Label.MAJOR: "bold red", None: "cyan"}
_MOST_KEYS = 400  # characters of keys that one cause lists
_MOST_CAUSES = 12
_MOST_TROUBLES = 10  # places that could not be read, of those that are shown


_SHOWN = {
    Selection.BRIEF: (Label.MAJOR, Label.MINOR),
    Selection.PROBLEMS: (Label.MAJOR, Label.MINOR),
    Selection.QUIET: (Label.MAJOR, Label.MINOR),
    Selection.UNCHECKED: (None,),
    Selection.ALL: (Label.MAJOR, Label.MINOR, None, Label.EXACT),
    Selection.SUMMARY: (),
}


class ReferenceText:
    """Blocks of text; `verbose` adds scores, reasons, and the ids of records."""

    def __init__(self, screen: ScreenText, selection: Selection, *, verbose: bool) -> None:
        self._screen, self._selection, self._verbose = screen, selection, verbose

    def format_references(self, run: Run, checked: Iterable[Checked]) -> Iterator[str]:
        """Yield what is known before the first answer, each block as soon as it is known, then the rest."""
        tally, waiting, spaced = wording.VerdictTally(), _WaitingReferences(), True
        quiet = self._selection is Selection.QUIET
        if not quiet:
            yield wording.join_lines(self._format_opening(run))
        for one in checked:
            tally.add(one)
            if one.accepted and self._selection is not Selection.ALL and self._hides(one):
                continue
            found = any(f.state is FindingState.FINDING for f in one.findings)
            if one.judgement.label in _SHOWN[self._selection] or (found and not quiet):
                lines = list(self._format_block(one))
                spaced = lines[-1] == ""
                yield wording.join_lines(lines)
            elif one.judgement.label is None:
                waiting.add(one)
        if not quiet:
            yield wording.join_lines(self._format_closing(run, tally, waiting, spaced=spaced))

    @staticmethod
    def _hides(checked: Checked) -> bool:
        """Return whether every problem of a reference is accepted: then it is only counted."""
        findings = sum(one.state is FindingState.FINDING for one in checked.findings)
        return len(checked.accepted) == findings + (checked.judgement.label is not Label.EXACT)

    def _format_opening(self, run: Run) -> Iterator[str]:
        """Yield what is not as shipped, and the files that could not be read."""
        for text in wording.describe_overrides(run):
            yield from self._screen.wrap(text, "yellow", head="! ", indent=0)
        for problem in run.problems:
            if problem.whole:
                yield from self._format_trouble(problem, "bold red")

    def _format_block(self, checked: Checked) -> Iterator[str]:
        judgement, wrap = checked.judgement, self._screen.wrap
        findings = [f for f in checked.findings if f.state is FindingState.FINDING]
        yield self._format_headline(checked)
        if judgement.label is not Label.EXACT:
            titled = not wording.has_title_difference(judgement)
            yield from wrap(wording.format_title(checked) if titled else "", "dim")
            if self._verbose:
                yield from wrap(wording.format_score(checked), "dim")
            yield from wrap(wording.format_summary(checked))
            yield from self._format_differences(wording.list_differences(judgement))
            yield from wrap(self._describe_evidence(checked), "dim")
            if nearest := wording.describe_nearest(checked):
                yield from wrap(f"nearest: {nearest}", "dim")
        for finding in findings:
            yield from wrap(_format_finding(finding), "magenta")
        yield from wrap(wording.describe_acceptance(checked), "dim")
        if self._verbose and (judgement.label is not Label.EXACT or findings):
            yield from wrap(f"fingerprint: {make_fingerprint(identify_judgement(checked))}", "dim")
        if judgement.label is not Label.EXACT or findings:
            yield ""

    def _format_headline(self, checked: Checked) -> str:
        label = checked.judgement.label
        sign = f"{SYMBOLS[label]} {wording.format_headline(checked)}"
        key = wording.show_line(checked.reference.key, 80)
        head = f"{self._screen.paint(sign, STYLES[label])}  {self._screen.paint(key, 'bold')}"
        left = max(NARROWEST, self._screen.width - cell_len(sign) - cell_len(key) - 4)
        if label is Label.EXACT:
            return f"{head}  {cut_to_width(wording.format_title(checked), left)}"
        place = wording.format_place(checked.reference.place)
        return f"{head}  {self._screen.paint(cut_to_width(place, left), 'dim')}".rstrip()

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
        return f"asked: {wording.describe_answers(checked)}"

    def _format_trouble(self, problem: Problem, style: str = "yellow") -> Iterator[str]:
        place, message = wording.format_place(problem.place), wording.show_line(problem.message)
        yield from self._screen.wrap(f"{place}: {message}", style, head="! ", indent=0)
        yield from self._screen.wrap(f"hint: {wording.show_line(problem.hint)}" if problem.hint else "")

    def _format_closing(
        self, run: Run, tally: wording.VerdictTally, waiting: _WaitingReferences, *, spaced: bool
    ) -> Iterator[str]:
        wrap = self._screen.wrap
        if not spaced:
            yield ""
        if self._selection is Selection.BRIEF:
            yield from self._format_waiting(waiting)
        if self._selection is not Selection.SUMMARY:
            yield from self._format_troubles(run)
        yield from wrap(tally.sentence(), "bold", indent=0)
        yield from wrap(wording.describe_completeness(run), "yellow", indent=0)
        yield from wrap(f"checked against: {wording.describe_sources(run)}", "dim", indent=0)

    def _format_waiting(self, waiting: _WaitingReferences) -> Iterator[str]:
        """Yield a line for each cause why references could not be checked, with their keys."""
        if not waiting.keys:
            return
        causes = sorted(waiting.keys.items(), key=lambda one: -len(one[1]))
        for cause, keys in causes[:_MOST_CAUSES]:
            head = f"? {len(keys):,} could not be checked: "
            yield from self._screen.wrap(cause, "cyan", head=head, indent=0)
            yield from self._screen.wrap(_list_keys(keys), "dim")
        if rest := sum(len(keys) for _, keys in causes[_MOST_CAUSES:]):
            yield from self._screen.wrap(f"? {rest:,} more could not be checked, for other causes", indent=0)
        yield from self._screen.wrap("-v shows each of them", "dim")
        yield ""

    def _format_troubles(self, run: Run) -> Iterator[str]:
        """Yield the places that could not be read, the notes only where all is shown."""
        told = [one for one in run.problems if not one.whole]
        shown = told if self._verbose else [one for one in told if not one.note][:_MOST_TROUBLES]
        for problem in shown:
            yield from self._format_trouble(problem)
        if left := len(told) - len(shown):
            yield from self._screen.wrap(f"! {format_count(left, 'more note')} on reading: see -v", indent=0)
        if told:
            yield ""


class _WaitingReferences:
    """References that could not be checked, by the cause."""

    def __init__(self) -> None:
        self.keys: dict[str, list[str]] = {}

    def add(self, checked: Checked) -> None:
        self.keys.setdefault(wording.name_causes(checked), []).append(checked.reference.key)


def _list_keys(keys: Sequence[str]) -> str:
    """Return as many keys as fit into a few lines, and how many there are beyond."""
    shown, length = list[str](), 0
    for key in keys:
        shown.append(wording.show_line(key, 80))
        length += len(shown[-1]) + 2
        if length > _MOST_KEYS:
            break
    more = len(keys) - len(shown)
    return ", ".join(shown) + (f" and {more:,} more" if more else "")


def _format_finding(finding: Finding) -> str:
    said = f"{finding.name}: {finding.detail}" if finding.detail else finding.name
    return wording.show_line(f"finding: {said} ({finding.source})" if finding.source else f"finding: {said}")

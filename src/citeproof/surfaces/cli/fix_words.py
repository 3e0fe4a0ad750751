"""What `citeproof fix` shows: one block for each reference, and the line that sums it up.

hochreiter1997  refs.bib:3:1
    Long Short-Term Memory
    pages  1737-1780  →  1735-1780
    according to crossref, record 10.1162/neco.1997.9.8.1735: Hochreiter et al. 1997
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TextIO

import click
from rich.cells import cell_len

from citeproof.answers.fix.corrected_files import CorrectedFile, FixStep
from citeproof.answers.fix.fix_results import format_fix_summary
from citeproof.answers.fix.formats.base import WantedChange
from citeproof.answers.reporters import wording
from citeproof.answers.reporters.terminal.screen_text import INDENT, NARROWEST, ScreenText, cut_to_width
from citeproof.errors import format_count
from citeproof.judgement.judge.explanation import cite_briefly
from citeproof.service.fix_session import FixDecisions, identify_change
from citeproof.surfaces.cli.report_output import choose_screen
from citeproof.vocabulary import Checked, Label, Record

_SHORT = 40  # columns of a value up to which old and new stand on one line
_MOST_KEYS = 20


def print_lines(lines: Iterable[str], to: TextIO) -> None:
    """Print lines; what the terminal has no letter for is spelled out."""
    encoding = to.encoding or "utf-8"
    to.write(wording.join_lines(lines).encode(encoding, "backslashreplace").decode(encoding))
    to.flush()


def print_fix_report(files: Sequence[CorrectedFile], *, to: TextIO) -> None:
    """Print every reference with its changes, then those that have a problem and no change."""
    text = FixText(choose_screen(to))
    for group in group_steps(files):
        print_lines([*text.format_reference(group), ""], to)
    print_lines(text.format_uncorrected(files), to)


def print_fix_summary(files: Sequence[CorrectedFile], *, written: bool, to: TextIO | None = None) -> None:
    """Print the one line that sums it up."""
    print_lines([format_fix_summary(files, written=written)], to or sys.stdout)


def group_steps(files: Sequence[CorrectedFile]) -> list[list[FixStep]]:
    """Return the changes by reference, in document order."""
    groups: dict[int, list[FixStep]] = {}
    for step in (step for file in files for step in file.steps if step.counts):
        groups.setdefault(id(step.checked), []).append(step)
    return list(groups.values())


class FixText:
    """Blocks of text for references with changes."""

    def __init__(self, screen: ScreenText) -> None:
        self._screen = screen

    def format_reference(self, steps: Sequence[FixStep], head: str = "") -> Iterator[str]:
        """Yield the block of one reference: what it is, its changes, who says so, and what is left."""
        checked = steps[0].checked
        yield self._format_headline(checked, head)
        if all(step.change.field != "title" for step in steps):
            yield from self._screen.wrap(wording.format_title(checked), "dim")
        wide = max(cell_len(wording.show_line(step.change.field)) for step in steps)
        yield from self._format_changes([step for step in steps if step.done], wide)
        for why in dict.fromkeys(step.why for step in steps if not step.done):
            yield from self._screen.wrap(f"not changed ({wording.show_line(why, 200)}):", "yellow")
            yield from self._format_changes([s for s in steps if not s.done and s.why == why], wide)
        records = {(s.wanted.record.source, s.wanted.record.id): s.wanted.record for s in steps}
        for named, record in records.items():
            changed = [s.change.field for s in steps if (s.wanted.record.source, s.wanted.record.id) == named]
            fields = f"{', '.join(map(wording.show_line, changed))} " if len(records) > 1 else ""
            shown = any(step.change.resolved == record.ids.first("doi") for step in steps)
            source = _describe_source(checked, record, doi=not shown)
            yield from self._screen.wrap(f"{fields}according to {source}", "dim")

    def format_uncorrected(self, files: Sequence[CorrectedFile]) -> Iterator[str]:
        """Yield a line about the references with problems that no record can correct."""
        changed = {id(step.checked) for file in files for step in file.steps}
        left = [checked for file in files for checked in file.checked if id(checked) not in changed]
        wrong = [checked for checked in left if checked.label in (Label.MAJOR, Label.MINOR)]
        unchecked = [checked for checked in left if checked.label is None]
        for some, what in ((wrong, "with problems, but no sure correction"), (unchecked, "not checked")):
            if some:
                keys = ", ".join(wording.show_line(c.reference.key, 80) for c in some[:_MOST_KEYS])
                more = f" and {len(some) - _MOST_KEYS} more" if len(some) > _MOST_KEYS else ""
                count = format_count(len(some), "reference")
                yield from self._screen.wrap(f"{count} {what}: {keys}{more}", "yellow", indent=0)
        if wrong or unchecked:
            yield from self._screen.wrap("`citeproof check` says why", "dim")

    def _format_headline(self, checked: Checked, head: str) -> str:
        key = wording.show_line(checked.reference.key, 80)
        left = max(NARROWEST, self._screen.width - cell_len(head) - cell_len(key) - 2)
        place = cut_to_width(wording.format_place(checked.reference.place), left)
        return f"{head}{self._screen.paint(key, 'bold')}  {self._screen.paint(place, 'dim')}".rstrip()

    def _format_changes(self, steps: Sequence[FixStep], wide: int) -> Iterator[str]:
        """Yield the changes; short values stand side by side, long ones one above the other."""
        rows = [_ChangeRow(step, self._screen.width - INDENT - wide - 2) for step in steps]
        across = max((cell_len(row.old) for row in rows if row.short), default=0)
        for row in rows:
            head = f"{row.field}{' ' * (wide - cell_len(row.field))}  "
            if row.short:
                pad = " " * (across - cell_len(row.old))
                old, new = self._screen.paint(row.old, "red"), self._screen.paint(row.new, "green")
                yield f"{' ' * INDENT}{head}{old}{pad}  →  {new}{row.aside}"
            else:
                margin = " " * (wide + 2)
                yield from self._screen.wrap(row.old, "red", head=f"{head}- ")
                yield from self._screen.wrap(row.new + row.aside, "green", head=f"{margin}+ ")
                if row.detail:
                    yield from self._screen.wrap(row.detail, "dim", head=f"{margin}  ")
            if row.note:
                yield from self._screen.wrap(row.note, "yellow", head=" " * (wide + 2))


class _ChangeRow:
    """One change as it is shown."""

    def __init__(self, step: FixStep, width: int) -> None:
        change = step.change
        self.field = wording.show_line(change.field, 30)
        self.old = wording.show_line(change.claimed) or "(none)"
        self.new = wording.show_line(change.resolved) or "(removed)"
        self.aside = "  (please check)" if step.done and not change.safe else ""
        both = (cell_len(self.old), cell_len(self.new))
        self.short = max(both) <= _SHORT and sum(both) + len(f"  →  {self.aside}") <= width
        self.note = wording.show_line(step.made.note, 200) if step.done else ""
        long = len(change.claimed) + len(change.resolved) > wording.LONG_LISTS
        details = (
            m.detail for m in step.checked.judgement.mismatches if m.field == change.field and m.detail
        )
        self.detail = wording.show_line(next(details, "")) if long else ""


def _describe_source(checked: Checked, record: Record, *, doi: bool) -> str:
    """Return which record of which source is the evidence, and which other sources have the work."""
    source = wording.show_line(record.source.partition(":")[0], 80)
    brief = wording.show_line(cite_briefly(record), 160)
    named = f"{source}, record {wording.show_line(record.id, 120)}: {brief}"
    value = record.ids.first("doi") if doi else None
    named += f", doi:{wording.show_line(value, 200)}" if value and value not in record.id else ""
    registries = next((compared.registries for compared in checked.compared if compared.record == record), ())
    others = dict.fromkeys(wording.show_line(registry.partition(":")[0], 80) for registry in registries)
    others.pop(source, None)
    return f"{named}; also in {', '.join(others)}" if others else named


REFUSED, OPEN = "you said no", "not decided yet"
_ANSWERS = {
    "y": "yes: make the changes of this reference",
    "n": "no: leave this reference as it is",
    "e": "each: decide about each change of this reference by itself",
    "a": "all: make the changes of this reference and of all that follow",
    "q": "quit: leave this reference and all that follow undecided; run the same command again to continue",
    "?": "show this help",
}


class FixInterview:
    """Asks about the changes of files, and knows the answers afterwards."""

    def __init__(self, files: Sequence[CorrectedFile], cache: Path) -> None:
        """Take files with every change that could be made; answers are stored in the cache folder."""
        self._files = {file.name: (file, FixDecisions(cache, file.data)) for file in files}
        self._text = FixText(choose_screen(sys.stderr))
        self._answers: dict[str, bool] = {}
        self._asked = {_identify_step(step) for file in files for step in file.steps if step.done}
        self._all = False

    def ask_all(self) -> None:
        """Ask about every reference with changes; KeyboardInterrupt says what is stored."""
        try:
            for file, decisions in self._files.values():
                groups = [[s for s in group if s.done] for group in group_steps([file])]
                groups = [group for group in groups if group]
                self._offer_earlier_answers(file, decisions, groups)
                if not self._ask_groups(groups, decisions):
                    print_lines(
                        ["", "the answers are saved; run the same command again to continue"], sys.stderr
                    )
                    break
        except (click.Abort, KeyboardInterrupt):
            click.echo(err=True)  # the terminal shows ^C and stays on that line
            count = format_count(len(self._answers), "answer")
            raise KeyboardInterrupt(
                f"interrupted: nothing was written; {count} kept, run the same command again to continue"
            ) from None

    def find_objection(self, checked: Checked, wanted: WantedChange) -> str:
        """Return why a change is not to be made; empty: it is, or it was not asked about."""
        change = identify_change(checked, wanted.change)
        if change in self._answers:
            return "" if self._answers[change] else REFUSED
        return OPEN if change in self._asked else ""

    def keep_refusals(self) -> None:
        """Once the files are written: keep the noes for what they hold now."""
        for file, decisions in self._files.values():
            if file.path is not None and (data := file.path.read_bytes()) != file.data:
                decisions.move_refusals(data)

    def _offer_earlier_answers(
        self, file: CorrectedFile, decisions: FixDecisions, groups: Sequence[Sequence[FixStep]]
    ) -> None:
        known = [step for group in groups for step in group if _identify_step(step) in decisions.answers]
        if not known:
            return
        yes = sum(decisions.answers[_identify_step(step)] for step in known)
        total = sum(map(len, groups))
        counts = f"{len(known)} of {total} changes were decided before: {yes} yes, {len(known) - yes} no"
        print_lines([f"{wording.show_line(file.name)}: {counts}"], sys.stderr)
        answers = {"y": "keep these answers and continue", "n": "forget them and ask again"}
        if self._read_answer("Continue from there?", answers) == "n":
            decisions.forget()
        self._answers |= decisions.answers

    def _ask_groups(self, groups: Sequence[Sequence[FixStep]], decisions: FixDecisions) -> bool:
        """Ask about each reference; return whether to go on."""
        for number, group in enumerate(groups, 1):
            steps = [step for step in group if _identify_step(step) not in self._answers]
            if not steps:
                continue
            if self._all:
                self._keep(steps, decisions, wanted=True)
                continue
            head = f"[{number} of {len(groups)}] "
            print_lines(["", *self._text.format_reference(steps, head)], sys.stderr)
            kinds = {key: meaning for key, meaning in _ANSWERS.items() if key != "e" or len(steps) > 1}
            match self._read_answer("    Change it?", kinds):
                case "q":
                    return False
                case "e":
                    self._ask_each(steps, decisions)
                case answer:
                    self._all = answer == "a"
                    self._keep(steps, decisions, wanted=answer != "n")
        return True

    def _ask_each(self, steps: Sequence[FixStep], decisions: FixDecisions) -> None:
        answers = {"y": "yes: make this change", "n": "no: leave it"}
        for step in steps:
            answer = self._read_answer(f"    {wording.format_change(step.change)}?", answers)
            self._keep([step], decisions, wanted=answer == "y")

    def _keep(self, steps: Sequence[FixStep], decisions: FixDecisions, *, wanted: bool) -> None:
        for step in steps:
            self._answers[_identify_step(step)] = wanted
            decisions.keep(_identify_step(step), wanted=wanted)

    def _read_answer(self, question: str, kinds: dict[str, str]) -> str:
        """Return the letter of an answer; help is shown until there is one."""
        read: Callable[[], str] = lambda: click.prompt(  # noqa: E731 - asked in a loop
            f"{question} [{','.join(kinds)}]", prompt_suffix=" ", err=True, show_default=False
        )
        while (answer := read().strip().lower()[:1]) not in kinds or answer == "?":
            print_lines([f"      {key}  {meaning}" for key, meaning in kinds.items()], sys.stderr)
        return answer


def _identify_step(step: FixStep) -> str:
    return identify_change(step.checked, step.change)

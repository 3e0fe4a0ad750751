"""The questions of `citeproof fix --interactive`: one reference after the other, answers stored at once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from citeproof.answers.fix.corrected_files import CorrectedFile, FixStep
from citeproof.answers.fix.formats.base import WantedChange
from citeproof.answers.reporters import wording
from citeproof.service.fix_session import FixDecisions, identify_change
from citeproof.surfaces.cli.fix_words import FixText, group_steps, print_lines
from citeproof.surfaces.cli.report_output import choose_screen
from citeproof.vocabulary import Checked

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
                        ["", "the answers are kept; run the same command again to continue"], sys.stderr
                    )
                    break
        except (click.Abort, KeyboardInterrupt):
            click.echo(err=True)  # the terminal shows ^C and stays on that line
            count = wording.format_count(len(self._answers), "answer")
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

"""What `citeproof fix` says: the questions, and what was left and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

import click

from citeproof.fix.corrected_files import CorrectedFile, FixStep
from citeproof.fix.fix_summary import format_fix_summary
from citeproof.fix.formats.base import WantedChange
from citeproof.reporters import wording
from citeproof.vocabulary import Checked

_ANSWERS = ("y", "n", "a", "q")


def print_fix_summary(files: Sequence[CorrectedFile], *, written: bool, to: TextIO) -> None:
    """Print what was left and why, then the one line that sums it up."""
    for file in files:
        for step in file.steps:
            if step.counts and (not step.done or step.made.note):
                print(_describe_step(step), file=to)
    print(format_fix_summary(files, written=written), file=to)


def _describe_step(step: FixStep) -> str:
    """Return one line about a change: where, what, and why it was left or what else it did."""
    place, key = (
        wording.format_place(step.checked.reference.place),
        wording.show_line(step.checked.reference.key, 80),
    )
    note = step.made.note if step.done else step.why
    left = "" if step.done else "left: "
    return f"{place}: {key}: {left}{wording.format_change(step.change)} ({wording.show_line(note, 200)})"


class ChangePrompt:
    """Asks about every change on the terminal; after "all" or "quit" it does not ask any more."""

    def __init__(self) -> None:
        self._all: bool | None = None

    def __call__(self, checked: Checked, wanted: WantedChange) -> bool:
        """Return whether the change is to be made."""
        if self._all is not None:
            return self._all
        place, key = (
            wording.format_place(checked.reference.place),
            wording.show_line(checked.reference.key, 80),
        )
        level = "safe" if wanted.change.safe else "please check"
        source = f"{wording.show_line(wanted.record.source)} {wording.show_line(wanted.record.id, 120)}"
        click.echo(f"{place}: {key}", err=True)
        click.echo(f"  {wording.format_change(wanted.change)}", err=True)
        click.echo(f"  {level}; according to {source}", err=True)
        answer = click.prompt("  change it? [y]es, [n]o, [a]ll, [q]uit", type=click.Choice(_ANSWERS),
                              show_choices=False, prompt_suffix=" ", err=True)  # fmt: skip
        if answer in "aq":
            self._all = answer == "a"
        return answer in "ya"

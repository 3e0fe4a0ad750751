"""What `citeproof fix` says: the diff, the questions, the summary."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TextIO

import click

from citeproof import serial
from citeproof.fix.corrected_files import CorrectedFile, FixStep
from citeproof.fix.formats.base import WantedChange
from citeproof.reporters import wording
from citeproof.vocabulary import Checked

_ANSWERS = ("y", "n", "a", "q")


def show_diff(file: CorrectedFile) -> None:
    """Print the changes of one file as a unified diff."""
    sys.stdout.writelines(file.diff())


def print_fix_summary(files: Sequence[CorrectedFile], *, written: bool, to: TextIO) -> None:
    """Print what was left and why, then the one line that sums it up."""
    for file in files:
        for step in file.steps:
            if step.counts and (not step.done or step.made.note):
                print(_describe_step(step), file=to)
    print(format_fix_summary(files, written=written), file=to)


def build_fix_json(files: Sequence[CorrectedFile], *, written: bool) -> serial.Json:
    """Return what was done and left, for programs."""
    return {
        "files": [
            {
                "file": file.name,
                "changed": file.changed,
                "written": written and file.changed,
                "diff": "".join(file.diff()),
                "changes": [_build_change_json(step) for step in file.steps if step.counts],
            }
            for file in files
        ],
        "summary": format_fix_summary(files, written=written),
    }


def _build_change_json(step: FixStep) -> serial.Json:
    reference, change = step.checked.reference, step.change
    return {
        "key": reference.key,
        "line": reference.place.line,
        "field": change.field,
        "claimed": change.claimed,
        "resolved": change.resolved,
        "level": "safe" if change.safe else "unsafe",
        "source": step.wanted.record.source,
        "record": step.wanted.record.id,
        "made": step.done,
        "note": (step.made.note if step.done else step.why) or None,
    }


def format_fix_summary(files: Sequence[CorrectedFile], *, written: bool) -> str:
    """Return the counts in words: `3 changes in 2 entries (2 safe, 1 unsafe not applied: --unsafe)`."""
    steps = [step for file in files for step in file.steps if step.counts]
    done = [step for step in steps if step.done]
    entries = len({id(step.checked) for step in done})
    safe = sum(step.change.safe for step in done)
    parts = [f"{safe} safe"] if safe else []
    parts += [f"{len(done) - safe} unsafe"] if len(done) > safe else []
    held = sum(step.why.startswith("unsafe") for step in steps)
    parts += [f"{held} unsafe not applied: --unsafe"] if held else []
    other = len(steps) - len(done) - held
    parts += [f"{other} left"] if other else []
    if not steps:
        return "nothing to change"
    how = "" if written or not done else " to be made with --write"
    return (
        f"{_format_plural(len(done), 'change')} in {_format_plural(entries, 'entry')}{how} ("
        f"{', '.join(parts)})"
    )


def _format_plural(number: int, word: str) -> str:
    plural = f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"
    return f"{number} {word if number == 1 else plural}"


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
        level = "safe" if wanted.change.safe else "look twice"
        source = f"{wording.show_line(wanted.record.source)} {wording.show_line(wanted.record.id, 120)}"
        click.echo(f"{place}: {key}", err=True)
        click.echo(f"  {wording.format_change(wanted.change)}", err=True)
        click.echo(f"  {level}; on the word of {source}", err=True)
        answer = click.prompt("  change it? [y]es, [n]o, [a]ll, [q]uit", type=click.Choice(_ANSWERS),
                              show_choices=False, prompt_suffix=" ", err=True)  # fmt: skip
        if answer in "aq":
            self._all = answer == "a"
        return answer in "ya"

"""What was changed and what was left: in one line for people, in one object for programs."""

from __future__ import annotations

from collections.abc import Sequence

from citeproof.answers.fix.corrected_files import CorrectedFile, FixStep
from citeproof.answers.serializers import Json


def build_fix_json(files: Sequence[CorrectedFile], *, written: bool) -> Json:
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


def _build_change_json(step: FixStep) -> Json:
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
    where = "--bibliography" if any(step.listed for step in done) else "--write"
    how = "" if written or not done else f" to be made with {where}"
    return (
        f"{_format_plural(len(done), 'change')} in {_format_plural(entries, 'entry')}{how} ("
        f"{', '.join(parts)})"
    )


def _format_plural(number: int, word: str) -> str:
    plural = f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"
    return f"{number} {word if number == 1 else plural}"

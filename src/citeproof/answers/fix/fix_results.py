"""What was changed and what was left: the corrected references, a line for people, an object for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from citeproof.answers.fix.corrected_files import CorrectedFile, FixStep
from citeproof.answers.fix.formats.base import WantedChange
from citeproof.answers.serializers import Json
from citeproof.errors import format_count
from citeproof.vocabulary import Checked, Claimed, Correction, Ids, Kind

_TOGETHER = {"authors": ("authors", "et_al")}  # fields that go with a change
_FIELDS = frozenset(("title", "authors", "year", "venue", "volume", "issue", "pages"))


def list_corrected_references(files: Sequence[CorrectedFile]) -> Iterator[Checked]:
    """Yield every reference of the files, corrected where a change is made."""
    for file in files:
        steps: dict[int, list[FixStep]] = {}
        for step in file.steps:
            if step.done:
                steps.setdefault(id(step.checked), []).append(step)
        for checked in file.checked:
            yield _correct_reference(checked, steps.get(id(checked), []))


def _correct_reference(checked: Checked, steps: Sequence[FixStep]) -> Checked:
    """Return the reference with the correction that `steps` make, and no other."""
    if not steps:
        return replace(checked, correction=None)
    reference, fields = checked.reference, checked.reference.claimed
    for step in steps:
        fields = _apply_change(fields, step.wanted)
    if any(step.change.field == "type" for step in steps):  # it was a preprint and is none any more
        reference = replace(reference, kind=Kind.ARTICLE)
    changes = tuple(step.change for step in steps if step.change.field != "type")
    held = tuple((step.change.field, step.wanted.record) for step in steps)
    correction = Correction(fields, changes, steps[0].wanted.record, held_by=held)
    return replace(checked, reference=reference, correction=correction)


def _apply_change(fields: Claimed, wanted: WantedChange) -> Claimed:
    name = wanted.change.field
    if name == "type":
        return fields
    if name in _FIELDS:
        changed = {field: getattr(wanted.fixed, field) for field in _TOGETHER.get(name, (name,))}
        return replace(fields, **changed)
    wrong = {(name, value) for value in wanted.list_wrong_ids()}
    kept = [pair for pair in fields.ids.pairs if pair not in wrong]
    return replace(fields, ids=Ids((*kept, *((name, value) for value in wanted.list_new_ids()))))


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
        f"{format_count(len(done), 'change')} in {format_count(entries, 'entry', 'entries')}{how} ("
        f"{', '.join(parts)})"
    )

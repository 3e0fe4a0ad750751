"""Checked references with only those changes that were accepted: what a corrected bibliography holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from citeproof.answers.fix.corrected_files import CorrectedFile, FixStep
from citeproof.answers.fix.formats.base import WantedChange
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

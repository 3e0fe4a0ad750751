"""Mutants: verified references, each spoiled in one way, and the copies that nothing was done to."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from citeproof.measure.makers.items import Edit
from citeproof.measure.makers.mutations import WAYS, Around, Way
from citeproof.measure.rows import Question
from citeproof.measure.selftest.subjects import Subject

PER_WAY = 50


@dataclass(frozen=True, slots=True)
class Mutant:
    """One reference spoiled in one way; its question is what is checked."""

    way: Way
    subject: Subject
    edits: tuple[Edit, ...]
    question: Question


@dataclass(slots=True)
class Made:
    """The mutants, and of each way how many references it could not be done to."""

    mutants: list[Mutant] = field(default_factory=list)
    impossible: Counter[str] = field(default_factory=Counter)


def control(subject: Subject, at: int) -> Question:
    """Return the plain copy: printed like the mutants, with nothing changed."""
    return Question(f"control/{at}", subject.form, subject.printed(subject.truth.cited), str(at))


def mutants(subjects: Sequence[Subject], pool: Around, *, seed: int, most: int = PER_WAY) -> Made:
    """Return up to `most` mutants of each way; the same subjects, pool and seed give the same."""
    made = Made()
    for way in WAYS:
        rng = random.Random(f"{seed}/{way.name}")  # noqa: S311 - repeatable, no secret
        count = 0
        for at in rng.sample(range(len(subjects)), len(subjects)):
            if count == most:
                break
            mutant = _mutant(way, subjects[at], at, pool, seed)
            if mutant is None:
                made.impossible[way.name] += 1
            else:
                made.mutants.append(mutant)
                count += 1
    return made


def _mutant(way: Way, subject: Subject, at: int, pool: Around, seed: int) -> Mutant | None:
    rng = random.Random(f"{seed}/{way.name}/{subject.truth.cited.work}")  # noqa: S311 - same
    found = way.made(subject.truth, pool, rng)
    if found is None:
        return None
    text = subject.printed(found.cited)
    if not text or text == subject.printed(subject.truth.cited):  # a change that no reader would see
        return None
    return Mutant(way, subject, found.edits, Question(f"{way.name}/{at}", subject.form, text, str(at)))

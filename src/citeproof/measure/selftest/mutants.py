"""Mutants: verified references, each spoiled in one way, and the copies that nothing was done to."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from citeproof.measure.benchmark_rows import BenchmarkQuestion
from citeproof.measure.makers.benchmark_items import BenchmarkEdit
from citeproof.measure.makers.mutations import WAYS, MutationPool, MutationWay
from citeproof.measure.selftest.selftest_subjects import SelftestSubject

PER_WAY = 50


@dataclass(frozen=True, slots=True)
class Mutant:
    """One reference spoiled in one way; its question is what is checked."""

    way: MutationWay
    subject: SelftestSubject
    edits: tuple[BenchmarkEdit, ...]
    question: BenchmarkQuestion


@dataclass(slots=True)
class MutantSet:
    """The mutants, and of each way how many references it could not be done to."""

    mutants: list[Mutant] = field(default_factory=list)
    impossible: Counter[str] = field(default_factory=Counter)


def make_control(subject: SelftestSubject, at: int) -> BenchmarkQuestion:
    """Return the plain copy: printed like the mutants, with nothing changed."""
    return BenchmarkQuestion(
        f"control/{at}", subject.form, subject.print_reference(subject.truth.cited), str(at)
    )


def make_mutants(
    subjects: Sequence[SelftestSubject], pool: MutationPool, *, seed: int, most: int = PER_WAY
) -> MutantSet:
    """Return up to `most` mutants of each way; the same subjects, pool and seed give the same."""
    made = MutantSet()
    for way in WAYS:
        rng = random.Random(f"{seed}/{way.name}")  # noqa: S311 - repeatable, no secret
        count = 0
        for at in rng.sample(range(len(subjects)), len(subjects)):
            if count == most:
                break
            mutant = _make_mutant(way, subjects[at], at, pool, seed)
            if mutant is None:
                made.impossible[way.name] += 1
            else:
                made.mutants.append(mutant)
                count += 1
    return made


def _make_mutant(
    way: MutationWay, subject: SelftestSubject, at: int, pool: MutationPool, seed: int
) -> Mutant | None:
    rng = random.Random(f"{seed}/{way.name}/{subject.truth.cited.work}")  # noqa: S311 - same
    found = way.spoil_reference(subject.truth, pool, rng)
    if found is None:
        return None
    text = subject.print_reference(found.cited)
    if not text or text == subject.print_reference(subject.truth.cited):  # a change that no reader would see
        return None
    return Mutant(
        way, subject, found.edits, BenchmarkQuestion(f"{way.name}/{at}", subject.form, text, str(at))
    )

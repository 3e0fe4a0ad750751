"""Mutants: verified references, each spoiled in one way. What was caught, with intervals, and what missed."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bench.selftest.mutations import WAYS, MutationPool, MutationWay
from bench.selftest.selftest_subjects import SelftestSubject

from citeproof.laboratory.measure.benchmark_rows import BenchmarkQuestion, OutcomeRow, SystemAnswer
from citeproof.laboratory.measure.makers.benchmark_items import BenchmarkEdit
from citeproof.laboratory.measure.metrics import (
    NAN,
    Figures,
    Interval,
    ScoredColumns,
    bootstrap_intervals,
    compute_wilson_interval,
)

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


CheckedMutants = Sequence[tuple[Mutant, SystemAnswer]]


@dataclass(frozen=True, slots=True)
class CaughtShare:
    """Of some mutants: how many were flagged, passed as right, and could not be checked."""

    name: str
    tier: int
    made: int
    flagged: int
    unchecked: int
    impossible: int
    interval: Interval

    @property
    def missed(self) -> int:
        return self.made - self.flagged - self.unchecked

    @property
    def recall(self) -> float:
        """Return the share that was flagged; one that could not be checked was not."""
        return self.flagged / self.made if self.made else NAN


@dataclass(frozen=True, slots=True)
class SelftestTally:
    """The outcome of a self-test. `found`, `verified`, `usable`: references of the documents."""

    found: int
    verified: int
    usable: int
    seed: int
    ways: tuple[CaughtShare, ...]
    tiers: tuple[CaughtShare, ...]
    overall: CaughtShare
    missed: tuple[tuple[Mutant, SystemAnswer], ...]
    unchecked: tuple[tuple[Mutant, SystemAnswer], ...]


def tally_selftest(
    counts: tuple[int, int, int], made: MutantSet, said: Mapping[str, SystemAnswer], *, seed: int, draws: int
) -> SelftestTally:
    """Return the figures; `counts` are the references found, verified and usable."""
    rows = [(mutant, said[mutant.question.key]) for mutant in made.mutants]
    ways = tuple(
        _measure_share(
            way.name,
            way.tier,
            [row for row in rows if row[0].way.name == way.name],
            impossible=made.impossible[way.name],
        )
        for way in WAYS
    )
    tiers = tuple(
        _measure_share(f"tier {tier}", tier, [row for row in rows if row[0].way.tier == tier], draws)
        for tier in (1, 2, 3)
    )
    return SelftestTally(
        *counts, seed, ways, tiers, _measure_share("all", 0, rows, draws),
        tuple(row for row in rows if row[1].flagged is False),
        tuple(row for row in rows if row[1].flagged is None),
    )  # fmt: skip


def _measure_share(
    name: str, tier: int, rows: CheckedMutants, draws: int | None = None, impossible: int = 0
) -> CaughtShare:
    """Return what was caught; with `draws` the interval is over the references, not over the mutants."""
    flagged = sum(answer.flagged is True for _, answer in rows)
    unsure = sum(answer.flagged is None for _, answer in rows)
    wilson = compute_wilson_interval(flagged, len(rows))
    interval = wilson if draws is None else _compute_share_interval(rows, flagged, draws)
    return CaughtShare(name, tier, len(rows), flagged, unsure, impossible, interval)


def _compute_share_interval(rows: CheckedMutants, flagged: int, draws: int) -> Interval:
    """Return the interval of a share over several ways: mutants of one reference stand or fall together."""
    references = {mutant.question.group for mutant, _ in rows}
    if flagged == len(rows):  # a bootstrap could draw nothing else; as many cases as there are references
        return compute_wilson_interval(len(references), len(references))
    if not flagged:
        return compute_wilson_interval(0, len(references))
    own = [OutcomeRow(m.question.key, True, s.flagged, group=m.question.group) for m, s in rows]
    return bootstrap_intervals(own, _compute_recall, draws=draws)["recall"]


def _compute_recall(scored: ScoredColumns) -> Figures:
    return {"recall": float((scored.flagged == 1).mean()) if len(scored.flagged) else NAN}


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
        rng = random.Random(f"{seed}/{way.name}")
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
    rng = random.Random(f"{seed}/{way.name}/{subject.truth.cited.work}")
    spoiled = way.spoil_reference(subject.truth, pool, rng)
    if spoiled is None:
        return None
    text = subject.print_reference(spoiled.cited)
    if not text or text == subject.print_reference(subject.truth.cited):  # a change that no reader would see
        return None
    return Mutant(
        way, subject, spoiled.edits, BenchmarkQuestion(f"{way.name}/{at}", subject.form, text, str(at))
    )

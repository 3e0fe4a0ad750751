"""The promise about false accusations, measured: calibration sets, and how far it holds out of fold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from citeproof.judgement.judge import false_alarm_limit as promises
from citeproof.judgement.judge import weighed_ruling
from citeproof.judgement.judge.model import Model, Population, Promise
from citeproof.laboratory.measure.benchmark_rows import LabelledCitation, split_into_folds
from citeproof.laboratory.measure.metrics import compute_wilson_interval
from citeproof.vocabulary import THREE_CLASSES, Label

LEVELS = (0.005, 0.01, 0.02, 0.05)

Fit = Callable[[Sequence[LabelledCitation]], Model]


@dataclass(frozen=True, slots=True)
class HeldOutCitation:
    """One citation that was held out: how plausible it was that it is real, and what it was called."""

    one: LabelledCitation
    label: Label
    real: float  # the p-value of EXACT
    labels: tuple[float, ...]  # the p-values of EXACT, MINOR, MAJOR

    @property
    def accused(self) -> bool:
        return not self.label.passes


@dataclass(frozen=True, slots=True)
class PromiseOutcome:
    """How a promise was held by some citations."""

    level: float
    real: int  # real citations that got a judgement
    false: int  # of them accused although the promise was asked for
    bad: int  # bad citations that were accused without a promise
    kept: int  # of them accused with it

    @property
    def rate(self) -> float:
        return self.false / self.real if self.real else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        return compute_wilson_interval(self.false, self.real)

    @property
    def holds(self) -> bool:
        """Return whether the rate is at most the level, within its 95 % interval."""
        return not self.real or self.interval[0] <= self.level

    @property
    def coverage(self) -> float:
        """Return the share of true accusations that the promise leaves standing."""
        return self.kept / self.bad if self.bad else 1.0


def build_promise(model: Model, known: Sequence[LabelledCitation], provenance: dict[str, str]) -> Promise:
    """Return the calibration sets of `known` under `model`: one for each population."""
    return Promise(model.name, build_populations((citation, model) for citation in known), provenance)


def build_populations(judged: Iterable[tuple[LabelledCitation, Model]]) -> tuple[Population, ...]:
    """Return how strange each population's citations look, each to the model it is judged by.

    Citations that could not be checked are left out: none of them is accused.
    """
    by_population: dict[str, dict[str, Counter[float]]] = {}
    for citation, model in judged:
        sets = by_population.setdefault(citation.population, {})
        truth = next((label for label in THREE_CLASSES if label.value == citation.truth), None)
        if truth is not None and _label_by_model(model, citation) is not None:
            strange = weighed_ruling.measure_strangeness(model, citation.weighed)
            sets.setdefault(truth.value, Counter())[promises.measure_oddness(truth, strange, model)] += 1
    return tuple(
        Population(name, {label: tuple(sorted(odd.items())) for label, odd in sets.items()})
        for name, sets in by_population.items()
        if Label.EXACT.value in sets
    )


def _label_by_model(model: Model, citation: LabelledCitation) -> Label | None:
    return weighed_ruling.choose_label(
        model, citation.weighed, weighed_ruling.compute_score(model, citation.weighed)
    )


def cross_fit_populations(known: Sequence[LabelledCitation], fit: Fit) -> tuple[Population, ...]:
    """Return calibration sets in which no citation was judged by a model that was fitted on its work."""
    return build_populations(
        (citation, inner)
        for rest, held in split_into_folds(known)
        for inner in [fit(rest)]
        for citation in held
    )


def judge_held_out(known: Sequence[LabelledCitation], fit: Fit, *, refits: bool) -> list[HeldOutCitation]:
    """Return every citation judged by a model and a promise that never saw its work.

    `refits`: the calibration sets are cross-fitted in turn, as those of a model that learns its weights
    must be; a model that is given needs none.
    """
    rows: list[HeldOutCitation] = []
    for rest, held in split_into_folds(known):
        model = fit(rest)
        sets = (
            cross_fit_populations(rest, fit)
            if refits
            else build_populations((citation, model) for citation in rest)
        )
        rows += [row for citation in held if (row := _rate_held_out(citation, model, sets))]
    return rows


def _rate_held_out(
    citation: LabelledCitation, model: Model, sets: Sequence[Population]
) -> HeldOutCitation | None:
    label = _label_by_model(model, citation)
    if label is None:
        return None
    strange = weighed_ruling.measure_strangeness(model, citation.weighed)
    values = tuple(
        promises.find_largest_p_value(sets, name, promises.measure_oddness(name, strange, model))
        for name in THREE_CLASSES
    )
    return HeldOutCitation(citation, label, values[0], values)


def measure_promise(rows: Sequence[HeldOutCitation], level: float) -> PromiseOutcome:
    real = [row for row in rows if not row.one.bad]
    bad = [row for row in rows if row.one.bad and row.accused]
    return PromiseOutcome(
        level,
        len(real),
        sum(row.accused and row.real <= level for row in real),
        len(bad),
        sum(row.real <= level for row in bad),
    )

"""The promise about false accusations, measured: calibration sets, and how far it holds out of fold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from citeproof.judge import promise as promises
from citeproof.judge import weighing
from citeproof.judge.model import Model, Population, Promise
from citeproof.measure.intervals import wilson
from citeproof.measure.labelled import Labelled, folded
from citeproof.vocabulary import Label

LEVELS = (0.005, 0.01, 0.02, 0.05)

Fit = Callable[[Sequence[Labelled]], Model]


@dataclass(frozen=True, slots=True)
class Tested:
    """One citation that was held out: how plausible it was that it is real, and what it was called."""

    one: Labelled
    label: Label
    real: float  # the p-value of EXACT
    labels: tuple[float, ...]  # the p-values of EXACT, MINOR, MAJOR

    @property
    def accused(self) -> bool:
        return self.label is not Label.EXACT


@dataclass(frozen=True, slots=True)
class Held:
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
        return wilson(self.false, self.real)

    @property
    def holds(self) -> bool:
        """Return whether the rate is at most the level, within its 95 % interval."""
        return not self.real or self.interval[0] <= self.level

    @property
    def coverage(self) -> float:
        """Return the share of true accusations that the promise leaves standing."""
        return self.kept / self.bad if self.bad else 1.0


def promise(model: Model, known: Sequence[Labelled], provenance: dict[str, str]) -> Promise:
    """Return the calibration sets of `known` under `model`: one for each population."""
    return Promise(model.name, populations((one, model) for one in known), provenance)


def populations(judged: Iterable[tuple[Labelled, Model]]) -> tuple[Population, ...]:
    """Return how strange each population's citations look, each to the model it is judged by.

    Citations that could not be checked are left out: nobody is accused there.
    """
    found: dict[str, dict[str, Counter[float]]] = {}
    for one, model in judged:
        sets = found.setdefault(one.population, {})
        truth = next((label for label in Label if label.value == one.truth), None)
        if truth is not None and _label(model, one) is not None:
            strange = weighing.strangeness(model, one.weighed)
            sets.setdefault(truth.value, Counter())[promises.oddness(truth, strange, model)] += 1
    return tuple(
        Population(name, {label: tuple(sorted(odd.items())) for label, odd in sets.items()})
        for name, sets in found.items()
        if Label.EXACT.value in sets
    )


def _label(model: Model, one: Labelled) -> Label | None:
    return weighing.label(model, one.weighed, weighing.score(model, one.weighed))


def cross_fitted(known: Sequence[Labelled], fit: Fit) -> tuple[Population, ...]:
    """Return calibration sets in which no citation was judged by a model that was fitted on its work."""
    return populations((one, inner) for rest, held in folded(known) for inner in [fit(rest)] for one in held)


def held_out(known: Sequence[Labelled], fit: Fit, *, refits: bool) -> list[Tested]:
    """Return every citation judged by a model and a promise that never saw its work.

    `refits`: the calibration sets are cross-fitted in turn, as those of a model that learns its weights
    must be; a model that is given needs none.
    """
    found: list[Tested] = []
    for rest, held in folded(known):
        model = fit(rest)
        sets = cross_fitted(rest, fit) if refits else populations((one, model) for one in rest)
        found += [row for one in held if (row := _tested(one, model, sets))]
    return found


def _tested(one: Labelled, model: Model, sets: Sequence[Population]) -> Tested | None:
    label = _label(model, one)
    if label is None:
        return None
    strange = weighing.strangeness(model, one.weighed)
    values = tuple(promises.plausible(sets, name, promises.oddness(name, strange, model)) for name in Label)
    return Tested(one, label, values[0], values)


def held(rows: Sequence[Tested], level: float) -> Held:
    """Return how the promise of this level was held."""
    real = [row for row in rows if not row.one.bad]
    bad = [row for row in rows if row.one.bad and row.accused]
    return Held(
        level,
        len(real),
        sum(row.accused and row.real <= level for row in real),
        len(bad),
        sum(row.real <= level for row in bad),
    )


def by(rows: Sequence[Tested], key: Callable[[Tested], str]) -> Iterator[tuple[str, list[Tested]]]:
    """Yield the rows in parts, by name."""
    for name in sorted({key(row) for row in rows}):
        yield name, [row for row in rows if key(row) == name]


def coverage(rows: Sequence[Tested], level: float) -> dict[str, float]:
    """Return for each true label the share of citations whose set holds it, and the sets' mean size."""
    found: dict[str, float] = {}
    for at, label in enumerate(Label):
        own = [row for row in rows if row.one.truth == label.value]
        if own:
            found[label.value] = sum(row.labels[at] > level for row in own) / len(own)
    sizes = [sum(value > level for value in row.labels) for row in rows]
    found["size"] = sum(sizes) / len(sizes) if sizes else 0.0
    return found

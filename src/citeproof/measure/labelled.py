"""Checked citations whose truth is known: what tuning, calibration and the promise learn from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from citeproof.judge import weighed
from citeproof.judge.weighing import Weighed
from citeproof.measure.rows import Case
from citeproof.vocabulary import Checked, Label

BAD = "BAD"  # the truth of data that tell only real from hallucinated
FOLDS = 5


@dataclass(frozen=True, slots=True)
class Labelled:
    """One weighed citation with its true label: EXACT, MINOR, MAJOR, or BAD where no more is known."""

    weighed: Weighed
    truth: str
    group: str  # the work: citations of one work never stand on both sides of a split
    population: str = ""  # the data it comes from
    field: str = ""  # the field of science or the collection, for figures by field
    weight: float = 1.0

    @property
    def bad(self) -> bool:
        return self.truth != Label.EXACT.value


def truth_of(case: Case) -> str:
    """Return the true label of a benchmark's case, as far as its file tells."""
    if case.truth.label is not None:
        return case.truth.label.value
    return BAD if case.truth.bad else Label.EXACT.value


def labelled(checked: Checked, truth: str, group: str, *, population: str = "", field: str = "") -> Labelled:
    """Return a checked citation with its truth, ready to be judged again under any thresholds."""
    weight = weighed(checked.reference, checked.retrieved, checked.compared)
    return Labelled(weight, truth, group, population, field)


def folded(known: Sequence[Labelled]) -> Iterator[tuple[list[Labelled], list[Labelled]]]:
    """Yield (the rest, one fold) for each fold: all citations of a work are in one, sizes near equal.

    The same citations give the same folds in every run, whatever their order.
    """
    place = _places(known)
    for fold in range(FOLDS):
        held = [one for one in known if place[one.population, one.group] == fold]
        if held:
            yield [one for one in known if place[one.population, one.group] != fold], held


def _places(known: Sequence[Labelled]) -> dict[tuple[str, str], int]:
    sizes = Counter((one.population, one.group) for one in known)
    filled: Counter[tuple[str, int]] = Counter()
    place = {}
    for key in sorted(sizes, key=lambda key: (-sizes[key], sha256("\n".join(key).encode()).digest())):
        place[key] = min(range(FOLDS), key=lambda fold: (filled[key[0], fold], fold))
        filled[key[0], place[key]] += sizes[key]
    return place


def base_rate(rows: Iterable[Labelled]) -> float:
    """Return the share of bad citations, by weight; kept off 0 and 1, where odds have no meaning."""
    bad = good = 0.5
    for row in rows:
        bad += row.weight * row.bad
        good += row.weight * (not row.bad)
    return bad / (bad + good)


def balanced(rows: Sequence[Labelled], rate: float | None = None) -> list[Labelled]:
    """Return the rows weighted so that no population drowns the first, and all have its base rate.

    A row of the first population weighs 1. Every other population weighs as much as the first in all,
    its bad and its good citations in the proportion that `rate` (else the first population) has.
    """
    if not rows:
        return []
    first = rows[0].population
    own = [row for row in rows if row.population == first]
    rate = base_rate(own) if rate is None else rate
    counts = Counter((row.population, row.bad) for row in rows)

    def weight(row: Labelled) -> float:
        if row.population == first:
            return 1.0
        return len(own) * (rate if row.bad else 1 - rate) / counts[row.population, row.bad]

    return [replace(row, weight=weight(row)) for row in rows]

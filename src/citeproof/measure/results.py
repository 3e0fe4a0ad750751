"""The result of one system on one benchmark: its figures, their intervals, and what it did by kind."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from citeproof.measure import intervals
from citeproof.measure.intervals import Interval
from citeproof.measure.metrics import CLASSES, Figures, Scored, confusion, figures
from citeproof.measure.rows import Row, three_classes

Json = dict[str, object]


@dataclass(frozen=True, slots=True)
class Kind:
    """The items of one kind: how many were flagged, passed, could not be told, and rightly labelled."""

    name: str
    items: int
    bad: int
    flagged: int
    unchecked: int
    right: int

    @property
    def passed(self) -> int:
        return self.items - self.flagged - self.unchecked


@dataclass(frozen=True, slots=True)
class Result:
    """One system on one benchmark."""

    name: str
    rows: tuple[Row, ...]
    figures: Figures
    intervals: dict[str, Interval]
    kinds: tuple[Kind, ...]

    @property
    def classes(self) -> bool:
        """Whether EXACT, MINOR and MAJOR are told apart by the truth and by the system."""
        return three_classes(self.rows)

    @property
    def unchecked(self) -> int:
        return sum(row.flagged is None for row in self.rows)


def result(name: str, rows: Sequence[Row], *, draws: int = intervals.DRAWS) -> Result:
    """Return the figures of `rows` with their intervals."""
    scored = Scored.of(rows)
    return Result(name, tuple(rows), figures(scored), intervals.bootstrap(rows, draws=draws), kinds(rows))


def kinds(rows: Sequence[Row]) -> tuple[Kind, ...]:
    """Return what was done with each kind of item, in order of name."""
    classes = three_classes(rows)
    members: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        members[row.kind].append(row)
    return tuple(
        Kind(
            name,
            len(own),
            sum(row.bad for row in own),
            sum(bool(row.flagged) for row in own),
            sum(row.flagged is None for row in own),
            sum(row.right(classes=classes) for row in own),
        )
        for name, own in sorted(members.items())
    )


def without_error(one: Result) -> str:
    """Return what may be said of a result in which nothing was wrong; a bootstrap cannot draw an error."""
    if not one.rows or not all(row.right(classes=one.classes) for row in one.rows):
        return ""
    bound = min(1.0, 3 / len(one.rows))  # the rule of three
    return f"{one.name}: no error among {len(one.rows)} items; the true share may be up to {bound:.1%}"


def mean(results: Sequence[Result]) -> dict[str, tuple[float, float]]:
    """Return mean and standard deviation over files of the figures that all of them have."""
    shared = [name for name in results[0].figures if all(name in one.figures for one in results)]
    found = {}
    for name in shared:
        values = [v for one in results if not math.isnan(v := one.figures[name])]
        if values:
            found[name] = fmean(values), stdev(values) if len(values) > 1 else 0.0
    return found


def as_json(one: Result) -> Json:
    """Return a result as JSON; what has no cases is null."""
    return {
        "name": one.name,
        "items": len(one.rows),
        "unchecked": one.unchecked,
        "figures": {name: number(value) for name, value in one.figures.items()},
        "intervals": {name: [number(low), number(high)] for name, (low, high) in one.intervals.items()},
        "confusion": _confusion(one) if one.classes else None,
        "kinds": {
            kind.name: {
                "items": kind.items,
                "bad": kind.bad,
                "flagged": kind.flagged,
                "passed": kind.passed,
                "unchecked": kind.unchecked,
                "right": kind.right,
            }
            for kind in one.kinds
        },
    }


def _confusion(one: Result) -> Json:
    table = confusion(Scored.of(one.rows))
    answers = (*(label.value for label in CLASSES), "unchecked")
    return {
        label.value: dict(zip(answers, map(int, counts), strict=True))
        for label, counts in zip(CLASSES, table, strict=True)
    }


def mean_json(values: Mapping[str, tuple[float, float]]) -> Json:
    """Return means and deviations as JSON."""
    return {name: {"mean": number(mean), "sd": number(sd)} for name, (mean, sd) in values.items()}


def number(value: float) -> float | None:
    """Return a figure rounded as it is written; None for one without cases."""
    return None if math.isnan(value) else round(value, 6)

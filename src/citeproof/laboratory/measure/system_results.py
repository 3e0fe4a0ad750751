"""The result of one system on one benchmark: its figures, their intervals, and what it did by kind."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from citeproof.laboratory.measure import metrics
from citeproof.laboratory.measure.benchmark_rows import OutcomeRow, has_three_classes
from citeproof.laboratory.measure.metrics import (
    CLASSES,
    Figures,
    Interval,
    ScoredColumns,
    compute_figures,
    count_confusion,
)

Json = dict[str, object]


@dataclass(frozen=True, slots=True)
class KindResult:
    """The items of one kind: how many were flagged, passed, left open, and rightly labelled."""

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
class SystemResult:
    name: str
    rows: tuple[OutcomeRow, ...]
    figures: Figures
    intervals: dict[str, Interval]
    kinds: tuple[KindResult, ...]

    @property
    def classes(self) -> bool:
        """Whether three classes are distinguished by the truth and by the system."""
        return has_three_classes(self.rows)

    @property
    def unchecked(self) -> int:
        return sum(row.flagged is None for row in self.rows)


def measure_system(name: str, rows: Sequence[OutcomeRow], *, draws: int = metrics.DRAWS) -> SystemResult:
    """Return the figures of `rows` with their intervals."""
    scored = ScoredColumns.from_rows(rows)
    return SystemResult(
        name,
        tuple(rows),
        compute_figures(scored),
        metrics.bootstrap_intervals(rows, draws=draws),
        count_kinds(rows),
    )


def count_kinds(rows: Sequence[OutcomeRow]) -> tuple[KindResult, ...]:
    """Return what was done with each kind of item, in order of name."""
    classes = has_three_classes(rows)
    members: dict[str, list[OutcomeRow]] = defaultdict(list)
    for row in rows:
        members[row.kind].append(row)
    return tuple(
        KindResult(
            name,
            len(own),
            sum(row.bad for row in own),
            sum(bool(row.flagged) for row in own),
            sum(row.flagged is None for row in own),
            sum(row.right(classes=classes) for row in own),
        )
        for name, own in sorted(members.items())
    )


def describe_no_errors(result: SystemResult) -> str:
    """Return what may be said of a result in which nothing was wrong; a bootstrap cannot draw an error."""
    if not result.rows or not all(row.right(classes=result.classes) for row in result.rows):
        return ""
    bound = min(1.0, 3 / len(result.rows))  # the rule of three
    return f"{result.name}: no error among {len(result.rows)} items; the true share may be up to {bound:.1%}"


def average_figures(results: Sequence[SystemResult]) -> dict[str, tuple[float, float]]:
    """Return mean and standard deviation over files of the figures that all of them have."""
    shared = [name for name in results[0].figures if all(name in result.figures for result in results)]
    means = {}
    for name in shared:
        values = [v for result in results if not math.isnan(v := result.figures[name])]
        if values:
            means[name] = fmean(values), stdev(values) if len(values) > 1 else 0.0
    return means


def build_result_json(result: SystemResult) -> Json:
    """Return a result as JSON; what has no cases is null."""
    return {
        "name": result.name,
        "items": len(result.rows),
        "unchecked": result.unchecked,
        "figures": {name: round_figure(value) for name, value in result.figures.items()},
        "intervals": {
            name: [round_figure(low), round_figure(high)] for name, (low, high) in result.intervals.items()
        },
        "confusion": _build_confusion_json(result) if result.classes else None,
        "kinds": {
            kind.name: {
                "items": kind.items,
                "bad": kind.bad,
                "flagged": kind.flagged,
                "passed": kind.passed,
                "unchecked": kind.unchecked,
                "right": kind.right,
            }
            for kind in result.kinds
        },
    }


def _build_confusion_json(result: SystemResult) -> Json:
    table = count_confusion(ScoredColumns.from_rows(result.rows))
    answers = (*(label.value for label in CLASSES), "unchecked")
    return {
        label.value: dict(zip(answers, map(int, counts), strict=True))
        for label, counts in zip(CLASSES, table, strict=True)
    }


def build_means_json(values: Mapping[str, tuple[float, float]]) -> Json:
    return {name: {"mean": round_figure(mean), "sd": round_figure(sd)} for name, (mean, sd) in values.items()}


def round_figure(value: float) -> float | None:
    """Return a figure rounded as it is written; None for one without cases."""
    return None if math.isnan(value) else round(value, 6)

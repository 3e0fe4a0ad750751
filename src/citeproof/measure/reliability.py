"""How far confidence can be trusted, and what abstaining buys: reliability, risk and coverage.

Rated answers are (confidence, whether the answer was right). Figures only; charts are drawn elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from citeproof.measure import metrics
from citeproof.measure.intervals import wilson

BINS = 15

Rated = Sequence[tuple[float, bool]]


@dataclass(frozen=True, slots=True)
class Bin:
    """Answers of like confidence: how sure they were, and how often they were right."""

    count: int
    confidence: float
    right: float
    low: float  # Wilson's 95 % interval of `right`
    high: float


@dataclass(frozen=True, slots=True)
class Point:
    """What answering only from this confidence on gives."""

    confidence: float
    coverage: float  # the share of all that is answered
    risk: float  # the share of the answered that is wrong


def reliability(rated: Rated, count: int = BINS) -> list[Bin]:
    """Return bins of equal frequency, by rising confidence."""
    found = metrics.bins(*_columns(rated), count) if rated else []
    return [Bin(n, c, r, *wilson(round(n * r), n)) for n, c, r in found]


def risk_coverage(rated: Rated) -> list[Point]:
    """Return the curve of risk over coverage, from the surest answers on; equal ones come together."""
    points: list[Point] = []
    ordered = sorted(rated, key=lambda pair: -pair[0])
    wrong = 0
    for seen, (confidence, right) in enumerate(ordered, 1):
        wrong += not right
        if seen == len(ordered) or ordered[seen][0] != confidence:
            points.append(Point(confidence, seen / len(ordered), wrong / seen))
    return points


def aurc(rated: Rated) -> float:
    """Return the area under the risk–coverage curve: the mean risk over all coverages; lower is better.

    Between two points the answers of one confidence are in no order: each counts with the risk at the end.
    """
    area = before = 0.0
    for point in risk_coverage(rated):
        area += (point.coverage - before) * point.risk
        before = point.coverage
    return area


def figures(rated: Rated) -> dict[str, float]:
    """Return ECE as HALLMARK counts it (10 bins), debiased over 15, Brier's score and AURC."""
    confidence, right = _columns(rated)
    return {
        "ece": metrics.ece(confidence, right),
        "ece_debiased": metrics.debiased_ece(confidence, right),
        "brier": float(((confidence - right) ** 2).mean()) if rated else metrics.NAN,
        "aurc": aurc(rated),
    }


def _columns(rated: Rated) -> tuple[metrics.Floats, metrics.Floats]:
    pairs = np.array([(c, float(ok)) for c, ok in rated], dtype=np.float64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]

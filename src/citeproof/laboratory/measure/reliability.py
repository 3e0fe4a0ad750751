"""How far confidence can be trusted, and what abstaining buys: reliability, risk and coverage.

Rated answers are (confidence, whether the answer was right). Figures only; charts are drawn elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from citeproof.laboratory.measure import metrics
from citeproof.laboratory.measure.intervals import compute_wilson_interval

BINS = 15

Rated = Sequence[tuple[float, bool]]


@dataclass(frozen=True, slots=True)
class ConfidenceBin:
    """Answers of like confidence: how sure they were, and how often they were right."""

    count: int
    confidence: float
    right: float
    low: float  # Wilson's 95 % interval of `right`
    high: float


@dataclass(frozen=True, slots=True)
class CoveragePoint:
    """What answering only from this confidence on gives."""

    confidence: float
    coverage: float  # the share of all that is answered
    risk: float  # the share of the answered that is wrong


def bin_answers(rated: Rated, count: int = BINS) -> list[ConfidenceBin]:
    """Return bins of equal frequency, by rising confidence."""
    bins = metrics.make_bins(*_split_columns(rated), count) if rated else []
    return [ConfidenceBin(n, c, r, *compute_wilson_interval(round(n * r), n)) for n, c, r in bins]


def compute_risk_curve(rated: Rated) -> list[CoveragePoint]:
    """Return the curve of risk over coverage, from the surest answers on; equal ones come together."""
    points: list[CoveragePoint] = []
    ordered = sorted(rated, key=lambda pair: -pair[0])
    wrong = 0
    for seen, (confidence, right) in enumerate(ordered, 1):
        wrong += not right
        if seen == len(ordered) or ordered[seen][0] != confidence:
            points.append(CoveragePoint(confidence, seen / len(ordered), wrong / seen))
    return points


def compute_aurc(rated: Rated) -> float:
    """Return the area under the risk–coverage curve: the mean risk over all coverages; lower is better.

    Between two points the answers of one confidence are in no order: each counts with the risk at the end.
    """
    area = before = 0.0
    for point in compute_risk_curve(rated):
        area += (point.coverage - before) * point.risk
        before = point.coverage
    return area


def compute_reliability(rated: Rated) -> dict[str, float]:
    """Return ECE as HALLMARK counts it (10 bins), debiased over 15, Brier's score and AURC."""
    confidence, right = _split_columns(rated)
    return {
        "ece": metrics.compute_ece(confidence, right),
        "ece_debiased": metrics.compute_debiased_ece(confidence, right),
        "brier": float(((confidence - right) ** 2).mean()) if rated else metrics.NAN,
        "aurc": compute_aurc(rated),
    }


def _split_columns(rated: Rated) -> tuple[metrics.Floats, metrics.Floats]:
    pairs = np.array([(c, float(ok)) for c, ok in rated], dtype=np.float64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]

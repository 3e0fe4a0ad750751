"""Fit the score model and its calibration on judged samples; the one place where weights are made.

The score is 10 minus a sum of weighted faults. The weights are those of a logistic regression of
"the citation is bad" on the faults of the matched record, held at zero or above (more fault never
scores higher), scaled so that its even odds fall on the threshold τ_E. Confidence is a logistic
line for each label on (distance from τ_E, confirmed fields), fitted on out-of-fold scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from citeproof.judge import faults_of, judge
from citeproof.judge.features import NAMES, confirmed
from citeproof.judge.model import Line, Model
from citeproof.judge.verdict import rule, unregistered
from citeproof.vocabulary import Checked, Label, Verdict

EXACT_AT, MINOR_AT = 7.5, 3.5
RIDGE = 0.2  # a fault needs some ten examples to leave its starting value
CEILING = 7.0  # no single fault costs more points
DOUBTS = {"venue_unclear": 0.5, "year_version": 1.0}  # a doubt is no fault: it may not cost more
INNER = 5

# What an expert would charge for each fault, in score points: the prior the ridge pulls towards.
PRIOR = {
    "title_typo": 2.6, "title_word": 3.5, "title_other": 6.0, "authors_order": 3.0, "authors_missing": 3.0,
    "authors_added": 3.5, "authors_other": 5.0, "authors_given": 2.6, "year_one": 1.5, "year_two": 3.0,
    "year_far": 4.0, "year_future": 4.0, "year_version": 0.5, "venue_other": 3.5,
    "venue_unclear": 0.5, "venue_track": 1.0,
    "identifier_other": 3.5, "identifier_prefix": 3.0, "identifier_date": 2.6,
    "locator": 1.0, "locators": 2.0,
}  # fmt: skip

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Sample:
    checked: Checked
    hallucinated: bool
    group: str


def fit(samples: Sequence[Sample], *, name: str, provenance: dict[str, str] | None = None) -> Model:
    """Return a model fitted on `samples`, calibrated on inner folds grouped by title."""
    weights = _weights(samples)
    model = Model(name, EXACT_AT, MINOR_AT, weights, _flat(), provenance or {})
    rated: list[tuple[Label, float, int, bool]] = []
    for fold in range(INNER):
        inner = Model(
            name, EXACT_AT, MINOR_AT, _weights([s for s in samples if _fold(s) != fold]), _flat(), {}
        )
        rated += [row for s in samples if _fold(s) == fold for row in _rate(s, inner)]
    return Model(name, EXACT_AT, MINOR_AT, model.weights, _lines(rated), provenance or {})


def _fold(sample: Sample) -> int:
    return sum(sample.group.encode()) // 7 % INNER


def _flat() -> dict[str, Line]:
    return {label.value: Line(2.0, 0.0, 0.0) for label in Label}


def _faults(sample: Sample) -> dict[str, float] | None:
    seen = sample.checked
    ruling = rule(seen.reference, seen.retrieved.lookups, seen.compared)
    if ruling.verdict is not Verdict.MATCHED:
        return None
    return faults_of(ruling, unregistered(seen.retrieved.lookups))


def _weights(samples: Sequence[Sample]) -> dict[str, float]:
    """Return score points for each fault."""
    pairs = [(f, s.hallucinated) for s in samples if (f := _faults(s)) is not None]
    x = np.array([[f.get(n, 0.0) for n in NAMES] for f, _ in pairs])
    y = np.array([float(bad) for _, bad in pairs])
    slack = 10 - EXACT_AT
    prior = np.array([PRIOR[n] for n in NAMES])

    def loss(points: Array) -> tuple[float, Array]:
        z = 2.0 * (x @ points - slack)  # even odds at the threshold, two logits a score point
        p = 1 / (1 + np.exp(-z))
        value = -np.mean(y * np.log(p + 1e-12) + (1 - y) * np.log(1 - p + 1e-12))
        gradient = 2.0 * x.T @ (p - y) / len(y)
        pull = points - prior
        return float(value + RIDGE * np.mean(pull**2)), gradient + 2 * RIDGE * pull / len(prior)

    bounds = [(0.0, DOUBTS.get(n, CEILING)) for n in NAMES]
    best = minimize(loss, prior, jac=True, method="L-BFGS-B", bounds=bounds)
    return {n: round(float(w), 3) for n, w in zip(NAMES, best.x, strict=True)}


def _rate(sample: Sample, model: Model) -> list[tuple[Label, float, int, bool]]:
    seen = sample.checked
    judged = judge(seen.reference, seen.retrieved, seen.compared, model)
    if judged.label is None or judged.score is None:
        return []
    fields = confirmed(judged.matched) if judged.matched is not None else 0
    right = (judged.label is not Label.EXACT) == sample.hallucinated
    return [(judged.label, abs(judged.score - EXACT_AT), fields, right)]


def _lines(rated: Sequence[tuple[Label, float, int, bool]]) -> dict[str, Line]:
    return {label.value: _line([(d, n, ok) for name, d, n, ok in rated if name is label]) for label in Label}


def _line(rows: Sequence[tuple[float, int, bool]]) -> Line:
    """Return the calibration of one label; with Laplace's one right and one wrong beside the data.

    Slopes are held near those that the scale itself suggests, because errors are few.
    """
    x = np.array([[1.0, d, n] for d, n, _ in rows] + [[1.0, 1.0, 2.0]] * 2)
    usual = np.array([0.3, 0.3])
    y = np.array([float(ok) for *_, ok in rows] + [1.0, 0.0])

    def loss(w: Array) -> tuple[float, Array]:
        p = 1 / (1 + np.exp(-(x @ w)))
        pull = w[1:] - usual
        value = -np.sum(y * np.log(p + 1e-12) + (1 - y) * np.log(1 - p + 1e-12)) + 20 * float(pull @ pull)
        gradient = x.T @ (p - y)
        gradient[1:] += 40 * pull
        return float(value), gradient

    best = minimize(
        loss,
        np.array([2.0, 0.1, 0.1]),
        jac=True,
        method="L-BFGS-B",
        bounds=[(None, None), (0, None), (0, None)],
    )
    return Line(*(round(float(w), 4) for w in best.x))

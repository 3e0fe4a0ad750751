"""Fit the score model and its calibration on judged samples; the one place where weights are made.

The score is 10 minus a sum of weighted faults. The weights are those of a logistic regression of
"the citation is bad" on the faults of the matched record, held at zero or above (more fault never
scores higher), scaled so that its even odds fall on the threshold τ_E. Confidence is fitted on
out-of-fold scores by `citeproof.laboratory.measure.calibration`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from citeproof.judgement.judge import weighed_ruling
from citeproof.judgement.judge.features import NAMES
from citeproof.judgement.judge.model import ConfidenceLine, Model
from citeproof.laboratory.measure import calibration
from citeproof.laboratory.measure.benchmark_rows import (
    BAD,
    LabelledCitation,
    compute_base_rate,
    label_citation,
    split_into_folds,
)
from citeproof.laboratory.measure.calibration import Method
from citeproof.vocabulary import THREE_CLASSES, Checked, Label, Verdict

EXACT_AT, MINOR_AT = 7.5, 3.5
RIDGE = 0.2  # a fault needs some ten examples to leave its starting value
CEILING = 7.0  # no single fault costs more points
DOUBTS = {"venue_unclear": 0.5, "year_version": 1.0}  # a doubt is no fault: it may not cost more

# What an expert would charge for each fault, in score points: the prior the ridge pulls towards.
PRIOR = {
    "title_typo": 2.6, "title_word": 3.5, "title_other": 6.0, "authors_order": 3.0, "authors_missing": 3.0,
    "authors_added": 3.5, "authors_other": 5.0, "authors_given": 2.6, "year_one": 1.5, "year_two": 3.0,
    "year_far": 4.0, "year_closed": 2.8, "year_future": 4.0, "year_version": 0.5, "venue_other": 3.5,
    "venue_unclear": 0.5, "venue_track": 1.0,
    "identifier_other": 3.5, "identifier_prefix": 3.0, "identifier_date": 2.6, "identifier_host": 2.6,
    "locator": 1.0, "locators": 2.0,
}  # fmt: skip
UNPRICED = 3.0  # a fault that the table does not know yet: alone it is MINOR

Array = npt.NDArray[np.float64]


def balance_weights(rows: Sequence[LabelledCitation], rate: float | None = None) -> list[LabelledCitation]:
    """Return the rows weighted so that no population drowns the first, and all have its base rate.

    A row of the first population weighs 1. Every other population weighs as much as the first in all,
    its bad and its good citations in the proportion that `rate` (else the first population) has.
    """
    if not rows:
        return []
    first = rows[0].population
    own = [row for row in rows if row.population == first]
    rate = compute_base_rate(own) if rate is None else rate
    counts = Counter((row.population, row.bad) for row in rows)

    def weight(row: LabelledCitation) -> float:
        if row.population == first:
            return 1.0
        return len(own) * (rate if row.bad else 1 - rate) / counts[row.population, row.bad]

    return [replace(row, weight=weight(row)) for row in rows]


@dataclass(frozen=True, slots=True)
class Sample:
    """One checked citation of a file that tells only real from hallucinated."""

    checked: Checked
    hallucinated: bool
    group: str


def fit(samples: Sequence[Sample], *, name: str, provenance: dict[str, str] | None = None) -> Model:
    """Return a model fitted on `samples`, calibrated on inner folds grouped by title."""
    known = [
        label_citation(s.checked, BAD if s.hallucinated else Label.EXACT.value, s.group) for s in samples
    ]
    return fit_known(known, name=name, provenance=provenance)


def fit_known(
    known: Sequence[LabelledCitation],
    *,
    name: str,
    provenance: dict[str, str] | None = None,
    method: Method = "auto",
) -> Model:
    """Return a model fitted on citations of known truth; the first population is not drowned."""
    weighted = balance_weights(known)
    model = _model(name, weights(weighted), provenance or {})
    found = [
        row
        for rest, held in split_into_folds(weighted)
        for row in calibration.judge_citations(_model(name, weights(rest), {}), held)
    ]
    lines = calibration.fit_lines(found, method)
    rate = compute_base_rate(one for one in weighted if calibration.judge_citation(model, one) is not None)
    return Model(name, EXACT_AT, MINOR_AT, model.weights, lines, provenance or {}, round(rate, 4), notes=True)


def rated(
    known: Sequence[LabelledCitation], method: Method = "platt"
) -> list[tuple[LabelledCitation, Label, float]]:
    """Return label and confidence of every citation that gets one, by models fitted without its work."""
    found = []
    for rest, held in split_into_folds(known):
        model = fit_known(rest, name="", method=method)
        for one in held:
            score = weighed_ruling.compute_score(model, one.weighed)
            if (label := weighed_ruling.choose_label(model, one.weighed, score)) is not None:
                found.append(
                    (one, label, weighed_ruling.estimate_confidence(model, one.weighed, label, score)[0])
                )
    return found


def plain(known: Sequence[LabelledCitation]) -> Model:
    """Return a model of weights alone, which is all that scores and promises need."""
    return _model("", weights(balance_weights(known)), {})


def _model(name: str, points: dict[str, float], provenance: dict[str, str]) -> Model:
    flat = {label.value: ConfidenceLine(2.0, 0.0, 0.0) for label in THREE_CLASSES}
    return Model(name, EXACT_AT, MINOR_AT, points, flat, provenance, notes=True)


def weights(known: Sequence[LabelledCitation]) -> dict[str, float]:
    """Return score points for each fault, from the citations whose work was found."""
    used = [one for one in known if one.weighed.verdict is Verdict.MATCHED and one.weighed.faults is not None]
    x = np.array([[(one.weighed.faults or {}).get(n, 0.0) for n in NAMES] for one in used])
    y = np.array([float(one.bad) for one in used])
    share = np.array([one.weight for one in used])
    share /= share.sum()
    slack = 10 - EXACT_AT
    prior = np.array([PRIOR.get(n, UNPRICED) for n in NAMES])

    def loss(points: Array) -> tuple[float, Array]:
        z = 2.0 * (x @ points - slack)  # even odds at the threshold, two logits a score point
        p = 1 / (1 + np.exp(-z))
        value = -share @ (y * np.log(p + 1e-12) + (1 - y) * np.log(1 - p + 1e-12))
        gradient = 2.0 * x.T @ (share * (p - y))
        pull = points - prior
        return float(value + RIDGE * np.mean(pull**2)), gradient + 2 * RIDGE * pull / len(prior)

    bounds = [(0.0, DOUBTS.get(n, CEILING)) for n in NAMES]
    best = minimize(loss, prior, jac=True, method="L-BFGS-B", bounds=bounds)
    return {n: round(float(w), 3) for n, w in zip(NAMES, best.x, strict=True)}

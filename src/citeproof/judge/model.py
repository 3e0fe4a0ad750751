"""The score model: a monotone sum of weighted faults, its thresholds and its calibration.

Small enough to read: `model.json` holds one weight a fault, the two thresholds, and for each label
the line that turns distance from the threshold into a probability. `bench/train_judge.py` writes
it; nothing here learns.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

import msgspec

from citeproof.vocabulary import Band, Label, Verdict

HIGH, MEDIUM = 0.9, 0.7
MOSTLY_ANOTHER = 3.0  # the scale's word for a citation that describes another work


class Line(msgspec.Struct, frozen=True):
    """Confidence of one label: sigmoid(base + margin·distance + confirmed·fields)."""

    base: float
    margin: float
    confirmed: float


class Model(msgspec.Struct, frozen=True):
    name: str
    exact_at: float  # τ_E
    minor_at: float  # τ_M
    weights: dict[str, float]  # score points that one full fault costs
    confidence: dict[str, Line]  # by label
    provenance: dict[str, str]


@dataclass(frozen=True, slots=True)
class Interval:
    """The scores a verdict allows; the thresholds act inside it."""

    low: float
    high: float

    def clip(self, score: float) -> float:
        return round(min(self.high, max(self.low, score)), 2)


@lru_cache(maxsize=1)
def default() -> Model:
    """Return the model that ships with the package."""
    return msgspec.json.decode(resources.files(__package__).joinpath("model.json").read_bytes(), type=Model)


def interval(model: Model, verdict: Verdict) -> Interval:
    """Return the scores a verdict allows: a matched work is never MAJOR, a mismatch always is."""
    below_exact, below_minor = model.exact_at - 0.01, min(model.minor_at - 0.01, MOSTLY_ANOTHER)
    match verdict:
        case Verdict.MATCHED:
            return Interval(model.minor_at, 10.0)
        case Verdict.AMBIGUOUS:
            return Interval(model.minor_at, below_exact)
        case _:
            return Interval(0.0, below_minor)


def penalty(model: Model, faults: Mapping[str, float]) -> float:
    """Return the score points that the faults cost together."""
    return sum(model.weights.get(name, 0.0) * value for name, value in faults.items())


def label_of(model: Model, score: float) -> Label:
    if score >= model.exact_at:
        return Label.EXACT
    return Label.MINOR if score >= model.minor_at else Label.MAJOR


def confidence(model: Model, label: Label, score: float, fields: int) -> float:
    """Return the calibrated probability that the label is right."""
    line = model.confidence[label.value]
    distance = abs(score - model.exact_at)
    z = line.base + line.margin * distance + line.confirmed * fields
    return round(1 / (1 + math.exp(-z)), 4)


def band_of(probability: float) -> Band:
    if probability >= HIGH:
        return Band.HIGH
    return Band.MEDIUM if probability >= MEDIUM else Band.LOW

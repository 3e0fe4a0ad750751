"""The score model: a monotone sum of weighted faults, its thresholds and its calibration.

Small enough to read: `model.json` holds one weight a fault, the two thresholds, and for each label
the line that turns distance from the threshold into a probability. `bench/train_judge.py` writes
it; nothing here learns.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

import msgspec

from citeproof.text.typed_decoding import decode_json
from citeproof.vocabulary import Band, Label, Verdict

HIGH, MEDIUM = 0.9, 0.7
MOSTLY_ANOTHER = 3.0  # the scale's word for a citation that describes another work


class ConfidenceLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """Confidence of one label: sigmoid(base + margin·distance + confirmed·fields).

    With `steps` (log-odds from which, probability), the sum is looked up there instead: an isotonic
    fit, where there were data enough for one.
    """

    base: float
    margin: float
    confirmed: float
    steps: tuple[tuple[float, float], ...] = ()

    def odds(self, distance: float, fields: int) -> float:
        """Return the line's own log-odds that the label is right: finer than its steps."""
        return self.base + self.margin * distance + self.confirmed * fields

    def probability(self, distance: float, fields: int) -> float:
        odds = self.odds(distance, fields)
        if not self.steps:
            return sigmoid(odds)
        at = bisect_right(self.steps, odds, key=lambda step: step[0])
        return self.steps[max(0, at - 1)][1]


class Population(msgspec.Struct, frozen=True):
    """How strange citations of known truth look to a judge: for each label (strangeness, how many)."""

    name: str
    strange: dict[str, tuple[tuple[float, int], ...]]  # rising

    def count(self, label: str) -> int:
        return sum(n for _, n in self.strange.get(label, ()))


class Promise(msgspec.Struct, frozen=True):
    """What a promise about false accusations rests on, and with which judge it was measured."""

    judge: str
    populations: tuple[Population, ...]
    provenance: dict[str, str]


class Model(msgspec.Struct, frozen=True, omit_defaults=True):
    """A judge that can be read; the last five fields are a user's wish, never part of a file."""

    name: str
    exact_at: float  # τ_E
    minor_at: float  # τ_M
    weights: dict[str, float]  # score points that one full fault costs
    confidence: dict[str, ConfidenceLine]  # by label; NOTED shares the line of EXACT
    provenance: dict[str, str]
    base_rate: float = 0.5  # share of bad references that `confidence` was fitted for
    notes: bool = False  # whether NOTED is one of its labels; the judges of older logs have EXACT for both
    stated_rate: float | None = None  # the share that the user says there is
    promise: Promise | None = None
    allowed: float | None = None  # the share of real references that may be accused
    llm_exact_at: float = 7.25  # τ_E and τ_M of a language model's score, until they are tuned
    llm_minor_at: float = 1.25


@dataclass(frozen=True, slots=True)
class ScoreInterval:
    """The scores a verdict allows; the thresholds act inside it."""

    low: float
    high: float

    def clip(self, score: float) -> float:
        return round(min(self.high, max(self.low, score)), 2)


@lru_cache(maxsize=1)
def load_model() -> Model:
    """Return the model that ships with the package."""
    return decode_json(resources.files(__package__).joinpath("model.json").read_bytes(), type=Model)


def get_score_interval(model: Model, verdict: Verdict) -> ScoreInterval:
    """Return the scores a verdict allows: a matched work is never MAJOR, a mismatch always is.

    Where the thresholds leave no score for it (τ_M = τ_E, τ_M = 0) the nearest label there is counts.
    """
    below_exact = max(0.0, model.exact_at - 0.01)
    below_minor = max(0.0, min(model.minor_at - 0.01, MOSTLY_ANOTHER))
    match verdict:
        case Verdict.MATCHED:
            return ScoreInterval(model.minor_at, 10.0)
        case Verdict.AMBIGUOUS:
            return ScoreInterval(model.minor_at, below_exact)
        case _:
            return ScoreInterval(0.0, below_minor)


def sum_penalty(model: Model, faults: Mapping[str, float]) -> float:
    """Return the score points that the faults cost together."""
    return sum(model.weights.get(name, 0.0) * value for name, value in faults.items())


def label_score(model: Model, score: float) -> Label:
    if score >= model.exact_at:
        return Label.EXACT
    return Label.MINOR if score >= model.minor_at else Label.MAJOR


def calibrate_confidence(model: Model, label: Label, score: float, fields: int) -> float:
    """Return the calibrated probability that the label is right, at the base rate that was stated."""
    line = model.confidence[(Label.EXACT if label.passes else label).value]
    fitted = line.probability(abs(score - model.exact_at), fields)
    if model.stated_rate is None:
        return round(fitted, 4)
    return round(shift_base_rate(fitted, label, model.base_rate, model.stated_rate), 4)


def shift_base_rate(probability: float, label: Label, fitted: float, stated: float) -> float:
    """Return a label's probability where bad references are as common as `stated`, not as `fitted`.

    Bayes: the odds of being bad move by the ratio of the prior odds, the evidence stays.
    """
    ratio = (stated / (1 - stated)) / (fitted / (1 - fitted))
    odds = probability / max(1e-9, 1 - probability)
    odds = odds / ratio if label.passes else odds * ratio
    return odds / (1 + odds)


def sigmoid(z: float) -> float:
    return 1 / (1 + math.exp(-z)) if z >= 0 else math.exp(z) / (1 + math.exp(z))


def choose_band(probability: float) -> Band:
    if probability >= HIGH:
        return Band.HIGH
    return Band.MEDIUM if probability >= MEDIUM else Band.LOW

"""Thresholds and calibrations that a user made on data of their own, and the judge they belong to.

Each is a small JSON file. It names the judge it was made with, and is applied to no other: a
threshold means nothing next to other weights.
"""

from __future__ import annotations

from hashlib import sha256
from typing import ClassVar

import msgspec

from citeproof.judgement.judge.model import ConfidenceLine, Model, Promise
from citeproof.vocabulary import THREE_CLASSES


class Thresholds(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A pair of thresholds chosen on development data, and perhaps the pair of a language model's scores."""

    BY: ClassVar[str] = "citeproof bench tune"

    judge: str
    exact_at: float
    minor_at: float
    data: dict[str, str]  # file name: SHA-256
    figures: dict[str, float]
    date: str
    language_model: str = ""  # whose scores the second pair was chosen on; empty: there is none
    llm_exact_at: float = 7.25
    llm_minor_at: float = 1.25

    def __post_init__(self) -> None:
        for low, high in ((self.minor_at, self.exact_at), (self.llm_minor_at, self.llm_exact_at)):
            if not 0 <= low <= high <= 10:
                raise ValueError("thresholds must obey 0 ≤ minor_at ≤ exact_at ≤ 10")


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """Confidence and promise fitted on a user's data, for a judge with its thresholds."""

    BY: ClassVar[str] = "citeproof bench calibrate"

    judge: str
    confidence: dict[str, ConfidenceLine]
    base_rate: float  # the share of bad references in the data
    stated_rate: float | None  # the share that confidence is to be stated for; None: that of the data
    promise: Promise
    method: str
    data: dict[str, str]
    figures: dict[str, float]
    date: str

    def __post_init__(self) -> None:
        stated = self.base_rate if self.stated_rate is None else self.stated_rate
        if not (0 < self.base_rate < 1 and 0 < stated < 1):
            raise ValueError("a base rate lies between 0 and 1")
        if self.confidence.keys() != {label.value for label in THREE_CLASSES}:
            raise ValueError("confidence needs one line each for EXACT, MINOR and MAJOR")


def apply_thresholds(model: Model, chosen: Thresholds) -> Model:
    """Return the model with other thresholds; its name includes them, unless they are its own."""
    if chosen.language_model and (chosen.exact_at, chosen.minor_at) == (model.exact_at, model.minor_at):
        return model
    name = f"{model.name}+t{chosen.exact_at:g}/{chosen.minor_at:g}"
    return msgspec.structs.replace(model, name=name, exact_at=chosen.exact_at, minor_at=chosen.minor_at)


def apply_model_thresholds(model: Model, chosen: Thresholds) -> Model:
    """Return the model with other thresholds for a language model's scores; its name includes them."""
    name = f"{model.name}+m{chosen.llm_exact_at:g}/{chosen.llm_minor_at:g}"
    return msgspec.structs.replace(
        model, name=name, llm_exact_at=chosen.llm_exact_at, llm_minor_at=chosen.llm_minor_at
    )


def apply_calibration(model: Model, chosen: Calibration) -> tuple[Model, Promise]:
    """Return the model with this confidence, its name telling, and the promise measured with it."""
    digest = sha256(msgspec.json.encode(chosen)).hexdigest()[:8]
    name = f"{model.name}+c{digest}"
    told = msgspec.structs.replace(
        model,
        name=name,
        confidence=chosen.confidence,
        base_rate=chosen.base_rate,
        stated_rate=chosen.stated_rate,
    )
    return told, msgspec.structs.replace(chosen.promise, judge=name)

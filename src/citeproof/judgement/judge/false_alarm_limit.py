"""The promise about false accusations: class-conditional conformal sets of labels.

A citation's strangeness is compared with that of citations whose truth is known (`promise.json`).
Its p-value for a label is the share of citations of that label, itself among them, that look at
least as strange; equal ones count, so ties only make it more careful. A label whose p-value is at
most α is excluded. As long as references are drawn like those of a population, no more than a share
α of the real ones has EXACT excluded, whatever the score model is worth: an accusation is then
allowed to stand only where EXACT is excluded in every population.

Vovk, Gammerman, Shafer, "Algorithmic Learning in a Random World", 2005 (Mondrian predictors).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from importlib import resources

import msgspec

from citeproof.errors import UsageError
from citeproof.judgement.judge import weighed_ruling
from citeproof.judgement.judge.model import Model, Population, Promise
from citeproof.text.typed_decoding import decode_json
from citeproof.vocabulary import Judgement, Label, Reason, Verdict

FLAG = "--max-false-accusations"


@lru_cache(maxsize=1)
def load_promise() -> Promise:
    """Return the calibration that ships with the package."""
    data = resources.files(__package__).joinpath("promise.json").read_bytes()
    return decode_json(data, type=Promise)


def bind_model(model: Model, allowed: float, promise: Promise | None = None) -> Model:
    """Return the model bound to accuse at most a share `allowed` of real references."""
    promise = promise or load_promise()
    if promise.judge != model.name:
        raise UsageError(
            f"the promise was measured with the judge {promise.judge}, and this run uses {model.name}",
            place=FLAG,
            hint="measure it for this judge with `citeproof bench calibrate FILE…`, "
            "or go back to the shipped thresholds with `citeproof bench tune --forget`",
        )
    least = find_smallest_share(promise)
    if allowed < least:
        raise UsageError(
            f"{allowed:g} is less than the calibration data can promise",
            place=FLAG,
            hint=f"allow at least {math.ceil(least * 1e4) / 1e4:g}, or calibrate on more real references "
            "with `citeproof bench calibrate FILE…`",
        )
    name = f"{model.name}+p{allowed:g}"
    return msgspec.structs.replace(model, name=name, promise=promise, allowed=allowed)


def find_smallest_share(promise: Promise) -> float:
    """Return the smallest share of false accusations that the calibration data can promise."""
    counts = [population.count(Label.EXACT.value) for population in promise.populations]
    return max((1 / (n + 1) for n in counts), default=1.0)


def keep_promise(judgement: Judgement, model: Model) -> Judgement:
    """Return the judgement, or, where it accuses and EXACT cannot be excluded, that it is not sure."""
    if judgement.label is None or judgement.label.passes or model.promise is None or model.allowed is None:
        return judgement
    if compute_p_value(Label.EXACT, judgement, model) <= model.allowed:
        return judgement
    unsure = (
        "Not sure enough: it looks wrong, but too many correct citations look the same to keep the limit of "
        f"{100 * model.allowed:g} % false alarms."
    )
    return replace(
        judgement,
        verdict=Verdict.UNCHECKED,
        label=None,
        score=None,
        confidence=None,
        band=None,
        reasons=(Reason.NOT_SURE_ENOUGH, f"{Reason.LOOKS}:{judgement.verdict}", *judgement.reasons),
        explanation=f"{unsure} Evidence so far: {judgement.explanation}",
        summary=f"{unsure} {judgement.summary or ''}".strip(),
        matched=replace(judgement.matched, weak=True) if judgement.matched else None,
        candidates=tuple(replace(c, weak=True) for c in judgement.candidates),
    )


def compute_p_value(label: Label, judgement: Judgement, model: Model) -> float:
    """Return how plausible `label` is: the largest p-value that any population gives it."""
    strange = weighed_ruling.measure_strangeness(model, weighed_ruling.weigh_judgement(judgement))
    promise = model.promise or load_promise()
    return find_largest_p_value(promise.populations, label, measure_oddness(label, strange, model))


def find_largest_p_value(populations: Sequence[Population], label: Label, odd: float) -> float:
    """Return the largest p-value of `label` in any population that has such citations; 1 if none has."""
    own = (rank_oddness(one, label, odd) for one in populations if one.strange.get(label.value))
    return max(own, default=1.0)


def measure_oddness(label: Label, strange: float, model: Model) -> float:
    """Return how little a citation of this strangeness fits `label`."""
    match label:
        case Label.EXACT:
            return round(strange, 2)
        case Label.MAJOR:
            return round(-strange, 2)
        case _:
            return round(abs(strange - (10.0 - (model.exact_at + model.minor_at) / 2)), 2)


def rank_oddness(population: Population, label: Label, odd: float) -> float:
    """Return the share of a population's citations of `label` that are at least as odd, this one counted."""
    scores = population.strange[label.value]
    at = bisect_left(scores, odd, key=lambda pair: pair[0])
    return (sum(n for _, n in scores[at:]) + 1) / (population.count(label.value) + 1)

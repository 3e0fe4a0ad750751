"""Figures from rows of truth and answer; pure functions over columns.

Three classes (EXACT, MINOR with NOTED, MAJOR): precision, recall, F1 of each, macro-F1 over the classes that
occur, F1 weighted by support, accuracy. An answer that could not be given counts as wrong, and the same
figures are given over what was answered. Two classes, the fake one positive: detection rate (recall), false
positive rate, precision, F1, tier-weighted F1 (weights 1, 2, 3, false alarms 1: HALLMARK's rule), with
"could not tell" left out, taken as valid, or counted as wrong. What has no cases is NaN, never 0.

Rated answers are (confidence, whether the answer was right): how far confidence can be trusted, and what
abstaining buys. Intervals: bootstrap over documents, and Wilson's for a share of counted things.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Literal, Self

import numpy as np
import numpy.typing as npt

from citeproof.laboratory.measure.benchmark_rows import OutcomeRow
from citeproof.vocabulary import THREE_CLASSES, Label

CLASSES = THREE_CLASSES
UNCHECKED = -1
TIER_WEIGHT = {1: 1.0, 2: 2.0, 3: 3.0}
NAN = float("nan")

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Unsure = Literal["out", "valid", "wrong"]
Figures = dict[str, float]
BINS = 15

Rated = Sequence[tuple[float, bool]]
DRAWS = 1000
SEED = 20261115
Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class ScoredColumns:
    """Rows as columns, so that a draw of them is an index."""

    bad: Integers  # 1 fake, 0 real
    flagged: Integers  # 1, 0, or -1: could not tell
    label: Integers  # place in CLASSES, or -1
    found: Integers
    confidence: Floats  # NaN where none was given
    weight: Floats

    @classmethod
    def from_rows(cls, rows: Sequence[OutcomeRow]) -> Self:
        """Return the columns of `rows`."""
        flagged = [UNCHECKED if row.flagged is None else int(row.flagged) for row in rows]
        confidence = [NAN if row.confidence is None else row.confidence for row in rows]
        return cls(
            np.array([int(row.bad) for row in rows], dtype=np.int64),
            np.array(flagged, dtype=np.int64),
            np.array([_get_label_index(row.label) for row in rows], dtype=np.int64),
            np.array([_get_label_index(row.found) for row in rows], dtype=np.int64),
            np.array(confidence, dtype=np.float64),
            np.array([TIER_WEIGHT.get(row.tier, 1.0) for row in rows], dtype=np.float64),
        )

    def take(self, at: Integers | npt.NDArray[np.bool_]) -> ScoredColumns:
        return replace(self, **{column.name: getattr(self, column.name)[at] for column in fields(self)})


Measure = Callable[[ScoredColumns], Figures]


def _get_label_index(label: Label | None) -> int:
    return UNCHECKED if label is None else CLASSES.index(label)


def count_confusion(scored: ScoredColumns) -> Integers:
    """Return the counts, true class by answer: each of the three classes, and could not tell."""
    known = scored.label >= 0
    answer = np.where(scored.found[known] < 0, len(CLASSES), scored.found[known])
    cells = np.bincount(scored.label[known] * 4 + answer, minlength=12)
    return cells.reshape(3, 4)


def compute_class_figures(table: Integers, *, unchecked: Literal["out", "wrong"] = "wrong") -> Figures:
    counts = table.astype(np.float64)
    support = counts[:, :3].sum(1) if unchecked == "out" else counts.sum(1)
    hits, answered = np.diag(counts[:, :3]), counts[:, :3].sum(0)
    f1 = [_compute_ratio(2 * h, a + s) if s else NAN for h, a, s in zip(hits, answered, support, strict=True)]
    figures: Figures = {
        "macro_f1": _compute_mean(np.array(f1)),
        "weighted_f1": _compute_ratio(float(np.nansum(np.array(f1) * support)), float(support.sum())),
        "accuracy": _compute_ratio(float(hits.sum()), float(support.sum())),
    }
    for at, label in enumerate(CLASSES):
        name = label.value.lower()
        figures[f"{name}_precision"] = _compute_ratio(hits[at], answered[at])
        figures[f"{name}_recall"] = _compute_ratio(hits[at], support[at])
        figures[f"{name}_f1"] = f1[at]
    return figures


def compute_binary_figures(scored: ScoredColumns, unsure: Unsure = "out") -> Figures:
    """Return the figures of real against fake; `unsure` says what "could not tell" counts as."""
    bad, flagged = scored.bad == 1, scored.flagged
    if unsure == "out":
        answered = flagged != UNCHECKED
        bad, flagged, weight = bad[answered], flagged[answered], scored.weight[answered]
    else:
        missing = np.where(bad, 0, 1) if unsure == "wrong" else 0
        flagged, weight = np.where(flagged == UNCHECKED, missing, flagged), scored.weight
    hit, miss, alarm = bad & (flagged == 1), bad & (flagged == 0), ~bad & (flagged == 1)
    hits, misses, alarms, real = map(int, (hit.sum(), miss.sum(), alarm.sum(), (~bad).sum()))
    weighed = float(weight[hit].sum()), float(weight[miss].sum())
    return {
        "dr": _compute_ratio(hits, hits + misses),
        "fpr": _compute_ratio(alarms, real),
        "precision": _compute_ratio(hits, hits + alarms),
        "f1": _compute_ratio(2 * hits, 2 * hits + alarms + misses),
        "tw_f1": _compute_ratio(2 * weighed[0], 2 * weighed[0] + alarms + weighed[1]),
        "accuracy": _compute_ratio(hits + real - alarms, hits + misses + real),
    }


def compute_calibration(scored: ScoredColumns, *, classes: bool) -> Figures:
    """Return how well confidence fits: of the label where `classes`, else of the flag."""
    confidence, right = _select_rated(scored, classes=classes)
    return {
        "ece": compute_ece(confidence, right),
        "ece_debiased": compute_debiased_ece(confidence, right),
        "brier": _compute_mean((confidence - right) ** 2),
    }


def _select_rated(scored: ScoredColumns, *, classes: bool) -> tuple[Floats, Floats]:
    """Return the confidences that were given and whether each answer was right, 1 or 0."""
    rated = (scored.flagged != UNCHECKED) & ~np.isnan(scored.confidence)
    right = scored.found == scored.label if classes else scored.flagged == scored.bad
    return scored.confidence[rated], right[rated].astype(np.float64)


def make_bins(confidence: Floats, right: Floats, count: int) -> list[tuple[int, float, float]]:
    """Return bins of equal frequency: how many, their mean confidence, the share that was right."""
    order = np.argsort(confidence, kind="stable")
    confidence, right = confidence[order], _average_ties(confidence[order], right[order])
    edges = [at * len(confidence) // count for at in range(count + 1)]
    return [
        (high - low, float(confidence[low:high].mean()), float(right[low:high].mean()))
        for low, high in pairwise(edges)
        if high > low
    ]


def _average_ties(confidence: Floats, right: Floats) -> Floats:
    """Return `right` with the mean of equal confidences in the place of each: a bin may part them."""
    _, group, counts = np.unique(confidence, return_inverse=True, return_counts=True)
    shares: Floats = (np.bincount(group, weights=right, minlength=len(counts)) / counts)[group]
    return shares


def compute_ece(confidence: Floats, right: Floats, count: int = 10) -> float:
    """Return the expected calibration error over bins of equal frequency."""
    total = len(confidence)
    return sum(n / total * abs(c - r) for n, c, r in make_bins(confidence, right, count)) if total else NAN


def compute_debiased_ece(confidence: Floats, right: Floats, count: int = 15) -> float:
    """Return the root mean square calibration error without what chance alone adds to it in each bin."""
    total = len(confidence)
    parts = [
        n / total * ((c - r) ** 2 - r * (1 - r) / (n - 1))
        for n, c, r in make_bins(confidence, right, count)
        if n > 1
    ]
    return float(np.sqrt(max(0.0, sum(parts)))) if parts else NAN


def compute_figures(scored: ScoredColumns) -> Figures:
    """Return every figure, named block.figure; blocks that do not apply are left out."""
    blocks: dict[str, Figures] = {}
    classes = bool(len(scored.label)) and bool((scored.label >= 0).all()) and bool((scored.found >= 0).any())
    if classes:
        table = count_confusion(scored)
        blocks["three"] = compute_class_figures(table)
        blocks["three_answered"] = compute_class_figures(table, unchecked="out")
        blocks["label_confidence"] = compute_calibration(scored, classes=True)
    blocks["binary_answered"] = compute_binary_figures(scored, "out")
    blocks["binary_as_valid"] = compute_binary_figures(scored, "valid")
    blocks["binary_as_wrong"] = compute_binary_figures(scored, "wrong")
    blocks["flag_confidence"] = compute_calibration(scored, classes=False)
    return {f"{block}.{name}": value for block, row in blocks.items() for name, value in row.items()}


def _compute_ratio(part: float, whole: float) -> float:
    return float(part / whole) if whole else NAN


def _compute_mean(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else NAN


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
    bins = make_bins(*_split_columns(rated), count) if rated else []
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
        "ece": compute_ece(confidence, right),
        "ece_debiased": compute_debiased_ece(confidence, right),
        "brier": float(((confidence - right) ** 2).mean()) if rated else NAN,
        "aurc": compute_aurc(rated),
    }


def _split_columns(rated: Rated) -> tuple[Floats, Floats]:
    pairs = np.array([(c, float(ok)) for c, ok in rated], dtype=np.float64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def bootstrap_intervals(
    rows: Sequence[OutcomeRow], measure: Measure = compute_figures, *, draws: int = DRAWS, seed: int = SEED
) -> dict[str, Interval]:
    """Return the 95 % percentile interval of each figure, documents drawn with replacement.

    A document is a group: items of one collection, or of one work, stand or fall together. Rows
    without a group are documents of their own.
    """
    members = _group_rows(rows)
    scored = ScoredColumns.from_rows([rows[at] for places in members for at in places])
    sizes = np.array([len(places) for places in members], dtype=np.int64)
    starts = np.cumsum(sizes) - sizes
    random = np.random.default_rng(seed)
    drawn: dict[str, list[float]] = defaultdict(list)
    for _ in range(draws if members else 0):
        groups = random.integers(0, len(members), len(members))
        at = _list_row_places(starts[groups], sizes[groups])
        for name, value in measure(scored.take(at)).items():
            drawn[name].append(value)
    return {name: _compute_interval(values) for name, values in drawn.items()}


def _group_rows(rows: Sequence[OutcomeRow]) -> list[list[int]]:
    groups: dict[str, list[int]] = defaultdict(list)
    for at, row in enumerate(rows):
        groups[f"group {row.group}" if row.group else f"row {at}"].append(at)
    return list(groups.values())


def _list_row_places(starts: Integers, sizes: Integers) -> Integers:
    """Return the places of all rows of groups that begin at `starts` and have `sizes` rows each."""
    within: Integers = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    places: Integers = np.repeat(starts, sizes) + within
    return places


def _compute_interval(values: Sequence[float]) -> Interval:
    known = [value for value in values if not math.isnan(value)]
    if not known:
        return NAN, NAN
    low, high = np.percentile(known, (2.5, 97.5))
    return float(low), float(high)


def compute_wilson_interval(part: int, whole: int, z: float = 1.959964) -> Interval:
    """Return Wilson's 95 % interval of a share."""
    if not whole:
        return NAN, NAN
    share, spread = part / whole, z * z / whole
    centre = (share + spread / 2) / (1 + spread)
    half = z * math.sqrt(share * (1 - share) / whole + spread / (4 * whole)) / (1 + spread)
    return max(0.0, centre - half), min(1.0, centre + half)

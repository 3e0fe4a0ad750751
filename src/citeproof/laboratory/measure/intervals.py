"""Intervals: bootstrap over documents, and Wilson's for a share of counted things."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from citeproof.laboratory.measure.benchmark_rows import OutcomeRow
from citeproof.laboratory.measure.metrics import NAN, Integers, Measure, ScoredColumns, compute_figures

DRAWS = 1000
SEED = 20261115
Interval = tuple[float, float]


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

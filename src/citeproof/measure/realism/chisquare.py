"""Pearson's chi-square test that two sets of counts have the same shares, with its p-value and Cramér's V."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

SMALL = 5.0  # expected counts below it make the test unreliable
OTHER = "(rare ones together)"


@dataclass(frozen=True, slots=True)
class KindCount:
    """One kind: how often it occurs here and there, and how far from what equal shares would give.

    `residual` is the adjusted one of the first file: beyond ±2 it differs more than chance explains.
    """

    name: str
    first: int
    second: int
    residual: float


@dataclass(frozen=True, slots=True)
class ChiSquareTest:
    """The test. `merged` are kinds too rare to be alone.

    `v` is Cramér's V; `distance` the share of one file's errors that would have to be of another kind for
    equal shares. V is small wherever one file is much smaller than the other; the distance is not.
    """

    kinds: tuple[KindCount, ...]
    statistic: float
    degrees: int
    p: float
    v: float
    distance: float
    merged: tuple[str, ...]
    reliable: bool


def run_chi_square_test(first: Mapping[str, int], second: Mapping[str, int]) -> ChiSquareTest | None:
    """Return the test of homogeneity; None where fewer than two kinds are left to compare."""
    names = sorted({name for counts in (first, second) for name in counts if counts[name]})
    rows = {name: (first.get(name, 0), second.get(name, 0)) for name in names}
    totals = sum(a for a, _ in rows.values()), sum(b for _, b in rows.values())
    if not all(totals):
        return None
    distance = sum(abs(a / totals[0] - b / totals[1]) for a, b in rows.values()) / 2
    rows, merged = _merge_rare_kinds(rows, totals)
    if len(rows) < 2:
        return None
    kinds = tuple(_measure_kind(name, counts, totals) for name, counts in rows.items())
    statistic = sum(
        (seen - wanted) ** 2 / wanted
        for counts in rows.values()
        for seen, wanted in zip(counts, _compute_expected(sum(counts), totals), strict=True)
    )
    degrees = len(rows) - 1
    expected = [one for counts in rows.values() for one in _compute_expected(sum(counts), totals)]
    return ChiSquareTest(
        kinds,
        statistic,
        degrees,
        compute_tail(statistic, degrees),
        math.sqrt(statistic / sum(totals)),
        distance,
        merged,
        is_reliable(expected),
    )


def _compute_expected(count: int, totals: Sequence[int]) -> list[float]:
    return [count * total / sum(totals) for total in totals]


def _merge_rare_kinds(
    rows: dict[str, tuple[int, int]], totals: tuple[int, int]
) -> tuple[dict[str, tuple[int, int]], tuple[str, ...]]:
    """Return the rows with the rarest kinds in one, as many as it takes for the test to be reliable.

    Frequent kinds stay as they are: where joining all rare ones is not enough, the test says so.
    """
    rare = [name for name in rows if min(_compute_expected(sum(rows[name]), totals)) < SMALL]
    order = sorted(rare, key=lambda name: (sum(rows[name]), name))
    kept, gone = rows, order[:0]
    for count in range(2, len(order) + 1):  # one alone gains nothing by another name
        if is_reliable([e for counts in kept.values() for e in _compute_expected(sum(counts), totals)]):
            break
        gone = order[:count]
        kept = {name: counts for name, counts in rows.items() if name not in gone}
        kept[OTHER] = sum(rows[name][0] for name in gone), sum(rows[name][1] for name in gone)
    return kept, tuple(sorted(gone))


def is_reliable(expected: Sequence[float]) -> bool:
    """Return whether the expected counts bear the test: none below 1, at most a fifth below 5 (Cochran)."""
    small = sum(value < SMALL for value in expected)
    return min(expected) >= 1 and small <= len(expected) / 5


def _measure_kind(name: str, counts: tuple[int, int], totals: tuple[int, int]) -> KindCount:
    whole = sum(totals)
    expected = _compute_expected(sum(counts), totals)[0]
    spread = expected * (1 - totals[0] / whole) * (1 - sum(counts) / whole)
    return KindCount(name, *counts, (counts[0] - expected) / math.sqrt(spread) if spread > 0 else 0.0)


def compute_tail(statistic: float, degrees: int) -> float:
    """Return how likely chi-square with so many degrees of freedom is at least so large.

    The regularised upper gamma function Q(degrees / 2, statistic / 2), built up from Q(1/2) or Q(1) by
    Q(a + 1, x) = Q(a, x) + x^a e^-x / Γ(a + 1) (Abramowitz and Stegun 6.5.21).
    """
    x = statistic / 2
    if x <= 0:
        return 1.0
    first, tail = (0.5, math.erfc(math.sqrt(x))) if degrees % 2 else (1.0, math.exp(-x))
    steps = (first + n for n in range((degrees - 1) // 2))
    return min(1.0, tail + sum(math.exp(a * math.log(x) - x - math.lgamma(a + 1)) for a in steps))

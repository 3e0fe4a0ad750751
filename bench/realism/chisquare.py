"""Pearson's chi-square test that two sets of counts have the same shares, with its p-value and Cramér's V."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bench.realism.error_kinds import ErrorCounts

from citeproof.laboratory.measure.result_tables import format_cell
from citeproof.laboratory.measure.retrieval_latency import ResultTable
from citeproof.laboratory.measure.system_results import round_figure

SMALL = 5.0  # expected counts below it make the test unreliable
OTHER = "(rare ones together)"
_ALPHA = 0.05
_FAR = 2.0  # adjusted residual beyond which a kind stands out
_UNEVEN = 5  # times as many errors in one file as in the other
_EFFECT = ((0.1, "negligible"), (0.3, "small"), (0.5, "medium"), (2.0, "large"))  # Cohen's steps, V below

Json = dict[str, object]


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
    expected = [count for counts in rows.values() for count in _compute_expected(sum(counts), totals)]
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
    merged, gone = rows, order[:0]
    for count in range(2, len(order) + 1):  # one alone gains nothing by another name
        if is_reliable([e for counts in merged.values() for e in _compute_expected(sum(counts), totals)]):
            break
        gone = order[:count]
        merged = {name: counts for name, counts in rows.items() if name not in gone}
        merged[OTHER] = sum(rows[name][0] for name in gone), sum(rows[name][1] for name in gone)
    return merged, tuple(sorted(gone))


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


def build_realism_table(test: ChiSquareTest, made: ErrorCounts, real: ErrorCounts, by: str) -> ResultTable:
    """Return the shares of both files side by side; what was too rare for the test has no residual."""
    residuals = {kind.name: f"{kind.residual:+.1f}" for kind in test.kinds}
    first, second = made.counts, real.counts
    names = sorted({*first, *second}, key=lambda name: (-second[name], -first[name], name))
    rows = [
        (
            format_cell(name), str(first[name]), _format_share(first[name], first.total()), str(second[name]),
            _format_share(second[name], second.total()), residuals.get(name, "rare"),
        )
        for name in names
    ]  # fmt: skip
    rows += [(OTHER, "", "", "", "", residuals[OTHER])] if OTHER in residuals else []
    head = (by.capitalize(), format_cell(made.name), "", format_cell(real.name), "", "Residual")
    return ResultTable(f"Errors by {by}", head, tuple(rows))


def describe_realism(test: ChiSquareTest, made: ErrorCounts, real: ErrorCounts, by: str) -> Iterator[str]:
    """Yield what the figures mean, and what they do not."""
    sizes = made.counts.total(), real.counts.total()
    uneven = max(sizes) > _UNEVEN * min(sizes)
    how = "" if uneven else f" ({next(word for bound, word in _EFFECT if test.v < bound)})"
    p = "p < 0.0001" if test.p < 1e-4 else f"p = {test.p:.4f}"
    freedom = "1 degree" if test.degrees == 1 else f"{test.degrees} degrees"
    yield f"chi-square {test.statistic:.2f}, {freedom} of freedom, {p}; Cramér's V {test.v:.2f}{how}"
    yield f"for equal shares {test.distance:.0%} of the errors would have to be of another {by}"
    if uneven:
        yield "the files differ so much in size that V stays small whatever the shares are"
    if test.p < _ALPHA:
        yield "the shares differ by more than chance"
        yield from _describe_outliers(test, made)
    else:
        yield "no difference was shown; with few errors that does not mean there is none"
    yield from _list_cautions(test, made, real, by)


def _describe_outliers(test: ChiSquareTest, made: ErrorCounts) -> Iterator[str]:
    for more, word in ((True, "too many"), (False, "too few")):
        names = [
            format_cell(k.name) for k in test.kinds if abs(k.residual) > _FAR and (k.residual > 0) is more
        ]
        if names:
            yield f"{format_cell(made.name)} has {word}: {', '.join(names)}"


def _list_cautions(test: ChiSquareTest, made: ErrorCounts, real: ErrorCounts, by: str) -> Iterator[str]:
    for own, other in ((made, real), (real, made)):
        alone = sorted(name for name in own.counts if own.counts[name] and not other.counts[name])
        if alone:
            yield f"only in {format_cell(own.name)}: {', '.join(map(format_cell, alone[:20]))}"
    if test.merged:
        yield f"too rare to test alone, merged: {', '.join(map(format_cell, test.merged[:20]))}"
    if not test.reliable:
        yield "warning: too few errors for the test; p is not reliable"
    if any(errors.counts.total() > errors.items for errors in (made, real)):
        yield f"an item with several errors counts once for each {by}, so that p is somewhat too small"
    yield (
        "this compares how often kinds occur, not how hard they are to catch, nor whether the second file "
        "is a fair sample of real errors"
    )


def build_realism_json(test: ChiSquareTest, made: ErrorCounts, real: ErrorCounts, by: str) -> Json:
    return {
        "by": by,
        "made": {"file": made.name, "items": made.items, "counts": dict(sorted(made.counts.items()))},
        "real": {"file": real.name, "items": real.items, "counts": dict(sorted(real.counts.items()))},
        "chi_square": round_figure(test.statistic),
        "degrees_of_freedom": test.degrees,
        "p": test.p,
        "cramers_v": round_figure(test.v),
        "distance": round_figure(test.distance),
        "merged": list(test.merged),
        "reliable": test.reliable,
        "residuals": {kind.name: round_figure(kind.residual) for kind in test.kinds},
        "words": list(describe_realism(test, made, real, by)),
    }


def _format_share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"

"""McNemar's exact test: do two systems err on the same benchmark equally often?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from citeproof.measure.benchmark_rows import OutcomeRow, has_three_classes


@dataclass(frozen=True, slots=True)
class McnemarTest:
    """How often only one of two systems was right, and how likely so uneven a split is by chance."""

    first_only: int
    second_only: int
    p: float


def run_mcnemar_test(first: Sequence[OutcomeRow], second: Sequence[OutcomeRow]) -> McnemarTest:
    """Return the test over rows of the same questions in the same order; unchecked is not right.

    Three classes are compared where both systems tell them apart, else real against fake.
    """
    classes = has_three_classes(first) and has_three_classes(second)
    pairs = [(a.right(classes=classes), b.right(classes=classes)) for a, b in zip(first, second, strict=True)]
    ahead, behind = pairs.count((True, False)), pairs.count((False, True))
    return McnemarTest(ahead, behind, compute_exact_p(ahead, behind))


def compute_exact_p(ahead: int, behind: int) -> float:
    """Return the two-sided p of a split of coin tosses at least as uneven; 1 where nothing differs."""
    total = ahead + behind
    # Binomial coefficients one from the other, as whole numbers: exact however many there are.
    steps = range(1, min(ahead, behind) + 1)
    coefficients: Iterator[int] = accumulate(steps, lambda c, k: c * (total - k + 1) // k, initial=1)
    return min(1.0, 2 * sum(coefficients) / (1 << total))

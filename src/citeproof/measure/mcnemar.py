"""McNemar's exact test: do two systems err on the same benchmark equally often?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from citeproof.measure.rows import Row, three_classes


@dataclass(frozen=True, slots=True)
class Test:
    """How often only one of two systems was right, and how likely so uneven a split is by chance."""

    first_only: int
    second_only: int
    p: float


def test(first: Sequence[Row], second: Sequence[Row]) -> Test:
    """Return the test over rows of the same questions in the same order; unchecked is not right.

    Three classes are compared where both systems tell them apart, else real against fake.
    """
    classes = three_classes(first) and three_classes(second)
    pairs = [(a.right(classes=classes), b.right(classes=classes)) for a, b in zip(first, second, strict=True)]
    ahead, behind = pairs.count((True, False)), pairs.count((False, True))
    return Test(ahead, behind, exact(ahead, behind))


def exact(ahead: int, behind: int) -> float:
    """Return the two-sided p of a split of coin tosses at least as uneven; 1 where nothing differs."""
    total = ahead + behind
    # Binomial coefficients one from the other, as whole numbers: exact however many there are.
    steps = range(1, min(ahead, behind) + 1)
    coefficients: Iterator[int] = accumulate(steps, lambda c, k: c * (total - k + 1) // k, initial=1)
    return min(1.0, 2 * sum(coefficients) / (1 << total))

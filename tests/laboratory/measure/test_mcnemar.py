"""McNemar's exact test."""

from __future__ import annotations

import pytest
from scipy import stats

from citeproof.laboratory.measure import system_comparison as mcnemar
from tests.laboratory.measure.made import E, J, M, flag, row


@pytest.mark.parametrize(
    ("ahead", "behind"), [(0, 0), (1, 0), (0, 5), (3, 3), (10, 2), (74, 246), (1500, 1400)]
)
def test_p_is_the_binomial_tests(ahead, behind):
    expected = stats.binomtest(ahead, ahead + behind).pvalue if ahead + behind else 1.0
    assert mcnemar.compute_exact_p(ahead, behind) == pytest.approx(expected)


def test_by_hand():
    assert mcnemar.compute_exact_p(5, 1) == pytest.approx(2 * (1 + 6) / 64)


CASES = [
    # first system, second system: only first right, only second right
    ([row(E, E), row(M, J), row(J, J)], [row(E, M), row(M, M), row(J, J)], (1, 1)),  # by class
    ([row(M, J), row(E, E)], [row(M, None), row(E, E)], (0, 0)),  # in three classes neither is right
    ([row(M, J), row(E, E)], [flag(True, None), flag(False, False)], (1, 0)),  # one tells two classes only
    ([flag(True, True), flag(False, None)], [flag(True, False), flag(False, False)], (1, 1)),
]


@pytest.mark.parametrize(("first", "second", "expected"), CASES)
def test_what_is_right(first, second, expected):
    found = mcnemar.run_mcnemar_test(first, second)
    assert (found.first_only, found.second_only) == expected


def test_rows_of_other_questions_are_refused():
    with pytest.raises(ValueError, match="shorter"):
        mcnemar.run_mcnemar_test([row(E, E)], [])

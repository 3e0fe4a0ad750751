"""Bootstrap over documents, and Wilson's interval."""

from __future__ import annotations

import math

import pytest
from scipy import stats

from citeproof.laboratory.measure.metrics import bootstrap_intervals, compute_wilson_interval
from tests.laboratory.measure.made import E, J, M, flag, row

RIGHT, WRONG = row(E, E), row(E, M)


def _rows(grouped):
    return [row(E, E if at % 2 else M, group=f"g{at % 2}" if grouped else "") for at in range(40)]


def test_the_same_seed_gives_the_same_interval():
    rows = _rows(grouped=False)
    assert bootstrap_intervals(rows, draws=50) == bootstrap_intervals(rows, draws=50)
    assert bootstrap_intervals(rows, draws=50) != bootstrap_intervals(rows, draws=50, seed=1)


def test_whole_documents_are_drawn():
    """Two documents, one all right and one all wrong: accuracy is 0, one half or 1 in every draw."""
    assert bootstrap_intervals(_rows(grouped=True), draws=200)["three.accuracy"] == (0.0, 1.0)
    low, high = bootstrap_intervals(_rows(grouped=False), draws=200)["three.accuracy"]
    assert 0.3 < low < 0.5 < high < 0.7


def test_interval_of_a_share_is_near_the_exact_one():
    rows = [flag(True, at >= 20) for at in range(200)]
    low, high = bootstrap_intervals(rows)["binary_answered.dr"]
    exact = stats.binomtest(180, 200).proportion_ci()
    assert low == pytest.approx(exact.low, abs=0.02)
    assert high == pytest.approx(exact.high, abs=0.02)


def test_draws_without_a_class_do_not_spoil_its_interval():
    rows = [*[row(E, E)] * 30, row(J, J)]  # a third of the draws have no MAJOR at all
    assert bootstrap_intervals(rows, draws=100)["three.major_f1"] == (1.0, 1.0)


def test_nothing_to_draw():
    assert bootstrap_intervals([]) == {}
    assert bootstrap_intervals(_rows(grouped=False), draws=0) == {}


@pytest.mark.parametrize(("part", "whole"), [(0, 10), (3, 10), (10, 10), (180, 200), (1, 1)])
def test_wilson(part, whole):
    theirs = stats.binomtest(part, whole).proportion_ci(method="wilson")
    assert compute_wilson_interval(part, whole) == (
        pytest.approx(theirs.low, abs=1e-6),
        pytest.approx(theirs.high, abs=1e-6),
    )


def test_wilson_of_nothing():
    assert all(map(math.isnan, compute_wilson_interval(0, 0)))

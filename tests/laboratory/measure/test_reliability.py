"""Reliability, risk and coverage by hand."""

import math

import pytest

from citeproof.laboratory.measure.metrics import (
    CoveragePoint,
    bin_answers,
    compute_aurc,
    compute_reliability,
    compute_risk_curve,
)

RATED = [(0.9, True), (0.8, True), (0.8, False), (0.6, False)]


def test_the_curve_answers_the_surest_first_and_equals_together():
    assert compute_risk_curve(RATED) == [
        CoveragePoint(0.9, 0.25, 0.0), CoveragePoint(0.8, 0.75, 1 / 3), CoveragePoint(0.6, 1.0, 0.5),
    ]  # fmt: skip


def test_the_area_is_the_mean_risk_over_coverage():
    assert compute_aurc(RATED) == pytest.approx(0.5 / 3 + 0.25 * 0.5)


@pytest.mark.parametrize(
    ("rated", "area"),
    [([], 0.0), ([(0.7, True)], 0.0), ([(0.7, False)], 1.0), ([(0.5, True), (0.5, False)], 0.5)],
)
def test_areas_at_the_ends(rated, area):
    assert compute_aurc(rated) == area


def test_a_better_order_has_a_smaller_area():
    good = [(0.9, True), (0.8, True), (0.7, False)]
    assert compute_aurc(good) < compute_aurc([(c, not ok if c != 0.8 else ok) for c, ok in good])


def test_bins_are_of_equal_frequency_with_intervals():
    bins = bin_answers([(i / 100, i % 2 == 0) for i in range(100)], 4)
    assert [b.count for b in bins] == [25] * 4
    assert all(b.low < b.right < b.high for b in bins)
    assert [b.confidence for b in bins] == sorted(b.confidence for b in bins)


def test_a_perfect_forecast_has_no_error():
    found = compute_reliability([(1.0, True)] * 20)
    assert (found["ece"], found["brier"], found["aurc"]) == (0.0, 0.0, 0.0)


def test_no_answers_are_no_figures():
    assert bin_answers([]) == []
    assert all(math.isnan(compute_reliability([])[name]) for name in ("ece", "brier"))

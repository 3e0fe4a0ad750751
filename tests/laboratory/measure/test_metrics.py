"""Figures against tables worked out by hand, and against scipy and scikit-learn where those have them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as theirs

from citeproof.laboratory.measure import metrics
from citeproof.laboratory.measure.metrics import CLASSES, ScoredColumns
from tests.laboratory.measure.made import E, J, M, flag, row

# True class by answer: 4 EXACT, 3 MINOR, 3 MAJOR; one EXACT unchecked.
ROWS = [
    *[row(E, E)] * 2, row(E, M), row(E, None),
    *[row(M, M)] * 2, row(M, J),
    *[row(J, J)] * 2, row(J, E),
]  # fmt: skip

BY_HAND = {
    "three.exact_precision": 2 / 3, "three.exact_recall": 2 / 4, "three.exact_f1": 4 / 7,
    "three.minor_precision": 2 / 3, "three.minor_recall": 2 / 3, "three.minor_f1": 2 / 3,
    "three.major_precision": 2 / 3, "three.major_recall": 2 / 3, "three.major_f1": 2 / 3,
    "three.macro_f1": (4 / 7 + 4 / 3) / 3,
    "three.weighted_f1": (4 * 4 / 7 + 3 * 2 / 3 + 3 * 2 / 3) / 10,
    "three.accuracy": 6 / 10,
    "three_answered.exact_recall": 2 / 3, "three_answered.accuracy": 6 / 9,
    "binary_answered.dr": 5 / 6, "binary_answered.fpr": 1 / 3, "binary_answered.precision": 5 / 6,
    "binary_answered.f1": 10 / 12, "binary_answered.accuracy": 7 / 9,
    "binary_as_valid.fpr": 1 / 4, "binary_as_valid.accuracy": 8 / 10,
    "binary_as_wrong.fpr": 2 / 4, "binary_as_wrong.accuracy": 7 / 10,
}  # fmt: skip


def measure_rows(rows):
    return metrics.compute_figures(ScoredColumns.from_rows(rows))


@pytest.mark.parametrize(("name", "value"), BY_HAND.items())
def test_figures_by_hand(name, value):
    assert measure_rows(ROWS)[name] == pytest.approx(value)


def test_confusion():
    assert metrics.count_confusion(ScoredColumns.from_rows(ROWS)).tolist() == [
        [2, 1, 0, 1],
        [0, 2, 1, 0],
        [1, 0, 2, 0],
    ]


def test_tiers_weigh_what_was_caught_and_missed_but_not_false_alarms():
    rows = [flag(True, True, tier=3), flag(True, True, tier=1), flag(True, False, tier=2), flag(False, True)]
    assert measure_rows(rows)["binary_answered.tw_f1"] == pytest.approx(2 * 4 / (2 * 4 + 1 + 2))


@pytest.mark.parametrize(
    ("unsure", "dr", "fpr"), [("out", 1 / 2, 0.0), ("valid", 1 / 3, 0.0), ("wrong", 1 / 3, 1 / 2)]
)
def test_unchecked_is_left_out_or_valid_or_wrong(unsure, dr, fpr):
    rows = [flag(True, True), flag(True, False), flag(True, None), flag(False, False), flag(False, None)]
    found = metrics.compute_binary_figures(ScoredColumns.from_rows(rows), unsure)
    assert (found["dr"], found["fpr"]) == (pytest.approx(dr), pytest.approx(fpr))


def test_what_has_no_cases_is_not_a_number():
    found = measure_rows([flag(False, False)])
    assert math.isnan(found["binary_answered.dr"])
    assert found["binary_answered.fpr"] == 0.0
    assert math.isnan(found["flag_confidence.ece"])
    assert not [name for name in found if name.startswith("three")]


def test_a_class_that_does_not_occur_has_no_part_in_the_mean():
    found = measure_rows([row(E, E), row(J, J), row(J, M)])
    assert found["three.macro_f1"] == pytest.approx((1 + 2 / 3) / 2)
    assert math.isnan(found["three.minor_f1"])


def test_a_system_of_two_classes_gets_no_figures_of_three():
    rows = [metrics.OutcomeRow("k", True, True, J, None), metrics.OutcomeRow("k", False, False, E, None)]
    assert not [name for name in measure_rows(rows) if name.startswith("three")]


def test_calibration_errors_by_hand():
    confidence, right = np.array([0.9] * 4 + [0.6] * 4), np.array([1.0, 1, 1, 0, 1, 0, 0, 0])
    assert metrics.compute_ece(confidence, right, 2) == pytest.approx((0.15 + 0.35) / 2)
    by_chance = 3 / 16 / 3  # r (1 - r) / (n - 1) of either bin
    expected = math.sqrt((0.15**2 + 0.35**2) / 2 - by_chance)
    assert metrics.compute_debiased_ece(confidence, right, 2) == pytest.approx(expected)


def test_debiased_error_of_perfect_confidence_is_near_nought():
    random = np.random.default_rng(7)
    confidence = random.uniform(0.5, 1.0, 40_000)
    right = (random.uniform(size=40_000) < confidence).astype(np.float64)
    assert metrics.compute_debiased_ece(confidence, right) < 0.01


def test_brier_is_of_the_label_and_of_the_flag():
    found = measure_rows([row(M, J, 0.8), row(E, E, 0.6)])  # the flag is right twice, the label once
    assert found["flag_confidence.brier"] == pytest.approx((0.04 + 0.16) / 2)
    assert found["label_confidence.brier"] == pytest.approx((0.64 + 0.16) / 2)


def test_bins_hold_equally_many_whatever_the_order():
    confidence, right = np.array([0.2, 0.9, 0.5, 0.7]), np.array([0.0, 1, 1, 0])
    assert metrics.make_bins(confidence, right, 2) == [
        (2, pytest.approx(0.35), 0.5),
        (2, pytest.approx(0.8), 0.5),
    ]
    assert metrics.make_bins(confidence[:1], right[:1], 10) == [(1, pytest.approx(0.2), 0.0)]


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from(CLASSES), st.sampled_from(CLASSES)), min_size=1, max_size=60))
def test_figures_agree_with_scikit_learn(pairs):
    found = measure_rows([row(true, answer) for true, answer in pairs])
    true, answer = zip(*pairs, strict=True)
    occurring = sorted(set(true))
    shared = {"zero_division": 0.0, "labels": occurring}
    assert found["three.accuracy"] == pytest.approx(theirs.accuracy_score(true, answer))
    for name, average in (("macro_f1", "macro"), ("weighted_f1", "weighted")):
        expected = theirs.f1_score(true, answer, average=average, **shared)
        assert found[f"three.{name}"] == pytest.approx(expected)
    bad, flagged = [label is not E for label in true], [label is not E for label in answer]
    if any(bad) or any(flagged):
        expected = theirs.f1_score(bad, flagged, zero_division=0.0)
        assert found["binary_answered.f1"] == pytest.approx(expected)

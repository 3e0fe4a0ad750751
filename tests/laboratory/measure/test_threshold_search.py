"""The sweep finds the pair that the data ask for, from what was weighed once."""

from collections import Counter

import msgspec
import pytest

from citeproof.judgement.judge import model as models
from citeproof.judgement.judge.weighed_ruling import WeighedRuling
from citeproof.laboratory.measure.labelled_citations import BAD, LabelledCitation
from citeproof.laboratory.measure.threshold_search import (
    compute_table_figures,
    find_best_thresholds,
    list_threshold_pairs,
    predict_label,
    set_thresholds,
)
from citeproof.vocabulary import Verdict

MODEL = msgspec.structs.replace(models.load_model(), weights={"venue_other": 2.0, "locator": 1.0})


def _one(truth, *faults, verdict=Verdict.MATCHED):
    return LabelledCitation(WeighedRuling(verdict, dict.fromkeys(faults, 1.0), 2), truth, "w")


def test_the_grid_has_every_pair_in_order():
    pairs = list(list_threshold_pairs())
    assert len(pairs) == 41 * 42 // 2
    assert all(0 <= low <= high <= 10 for high, low in pairs)


def test_a_pair_that_is_good_enough_stays():
    now, top = find_best_thresholds(MODEL, [_one("EXACT"), _one("MINOR", "venue_other", "locator")])
    assert (top.exact_at, top.minor_at) == (now.exact_at, now.minor_at)
    assert top.f1 == 1.0


@pytest.mark.parametrize(
    ("truth_of_two", "truth_of_one", "expected"),
    [
        ("MINOR", "EXACT", (8.25, 3.5)),  # score 8 is MINOR, 9 is EXACT: the nearest cut between
        ("MINOR", "MINOR", (9.25, 3.5)),
        ("EXACT", "EXACT", (7.5, 3.5)),
        (BAD, "EXACT", (8.25, 3.5)),
    ],
)
def test_the_nearest_of_the_best_pairs_is_taken(truth_of_two, truth_of_one, expected):
    known = [_one("EXACT"), _one(truth_of_two, "venue_other"), _one(truth_of_one, "locator")]
    _, top = find_best_thresholds(MODEL, known)
    assert (top.exact_at, top.minor_at) == expected
    assert top.f1 == 1.0


def test_what_was_not_checked_counts_as_wrong_under_every_pair():
    _, top = find_best_thresholds(MODEL, [_one("EXACT"), _one("EXACT", verdict=Verdict.UNCHECKED)])
    assert top.figures["accuracy"] == 0.5


@pytest.mark.parametrize(
    ("pair", "verdict", "said"),
    [
        ((7.5, 3.5), Verdict.MATCHED, "EXACT"),
        ((7.5, 3.5), Verdict.AMBIGUOUS, "MINOR"),
        ((7.5, 3.5), Verdict.MISMATCH, "MAJOR"),
        ((10.0, 10.0), Verdict.MATCHED, "EXACT"),
        ((5.0, 0.0), Verdict.MISMATCH, "MAJOR"),  # the verdict bounds the label, whatever the thresholds
        ((0.0, 0.0), Verdict.MISMATCH, "MAJOR"),
        ((0.0, 0.0), Verdict.NOT_FOUND, "MAJOR"),
        ((0.0, 0.0), Verdict.AMBIGUOUS, "MINOR"),
        ((7.5, 3.5), Verdict.UNCHECKED, None),
    ],
)
def test_answers_at_the_ends_of_the_sweep(pair, verdict, said):
    assert predict_label(set_thresholds(MODEL, *pair), WeighedRuling(verdict, {}, 2)) == said


def test_figures_by_hand():
    table = Counter({("EXACT", "EXACT"): 6, ("EXACT", "MINOR"): 2, ("MINOR", "MINOR"): 1, ("MAJOR", ""): 1})
    found = compute_table_figures(table)
    f1 = {"EXACT": 12 / 14, "MINOR": 2 / 4, "MAJOR": 0.0}
    assert found["f1_EXACT"] == pytest.approx(f1["EXACT"], abs=1e-6)
    assert found["weighted_f1"] == pytest.approx((8 * f1["EXACT"] + f1["MINOR"]) / 10, abs=1e-6)
    assert found["macro_f1"] == pytest.approx(sum(f1.values()) / 3, abs=1e-6)
    assert found["accuracy"] == 0.7

"""The sweep finds the pair that the data ask for, from what was weighed once."""

from collections import Counter

import msgspec
import pytest

from citeproof.judgement.judge import model as models
from citeproof.judgement.judge import model_bounds
from citeproof.judgement.judge.weighed_ruling import WeighedRuling
from citeproof.laboratory.measure.answers_file import AnswerLine
from citeproof.laboratory.measure.benchmark_rows import BAD, LabelledCitation
from citeproof.laboratory.measure.engine_run import list_model_labels
from citeproof.laboratory.measure.threshold_search import (
    compute_table_figures,
    find_best_model_thresholds,
    find_best_thresholds,
    list_threshold_pairs,
    predict_label,
    set_thresholds,
)
from citeproof.vocabulary import Label, Verdict
from tests.judgement.review.review_cases import make_cases
from tests.judgement.review.scripted_models import ScriptedModel, score

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


DIFFERENCE = ("venue", "Nature", "CVPR")
CASES = make_cases()


@pytest.mark.parametrize("name", ["noted", "venue", "year", "mismatch", "nickname", "ambiguous", "exact"])
@pytest.mark.parametrize("points", [0, 10, 13, 60, 72, 73, 100])
@pytest.mark.parametrize("shown", [(), (DIFFERENCE,)])
def test_a_stored_score_gives_the_label_that_the_run_gives_under_any_pair(name, points, shown):
    """What a new run with other thresholds and the same answers decides is what the stored answer says."""
    script = {"comparator": score(points, *shown)}
    judge = models.load_model()
    stored, labels = list_model_labels(CASES[name].review(ScriptedModel(script))[0], judge)
    for high, low in ((7.25, 1.25), (10.0, 0.0), (6.0, 6.0), (7.0, 1.0)):
        pair = msgspec.structs.replace(judge, llm_exact_at=high, llm_minor_at=low)
        again = CASES[name].review(ScriptedModel(script), judge_model=pair)[0]
        if stored is not None:
            assert labels[model_bounds.label_model_score(stored, pair)] is again.label
        else:
            assert again.label is CASES[name].judgement.label


def test_what_the_reviewer_decided_is_no_matter_of_a_score():
    said = {"comparator": score(60, DIFFERENCE), "reviewer": {"label": "major", "rationale": ""}}
    judgement, _ = CASES["mismatch"].review(ScriptedModel(said))
    assert list_model_labels(judgement, MODEL) == (None, {})


def _line(truth, label, points=None, **labels):
    moved = {Label(name): Label(became) for name, became in labels.items()}
    return AnswerLine(
        key=f"{truth}{label}{points}", flagged=None, label=Label(label), bad=truth != "EXACT",
        true_label=Label(truth), model_score=points, model_labels=moved,
    )  # fmt: skip


def test_the_pair_of_a_language_model_is_found_on_stored_scores():
    open_ = {"EXACT": "NOTED", "MINOR": "MINOR", "MAJOR": "MINOR"}
    lines = [
        _line("EXACT", "EXACT"), _line("MAJOR", "MAJOR"),
        _line("EXACT", "MINOR", 6.5, **open_), _line("MINOR", "MINOR", 5.0, **open_),
    ]  # fmt: skip
    now, top = find_best_model_thresholds(MODEL, lines)
    assert (now.exact_at, now.minor_at) == (7.25, 1.25)
    assert now.figures["accuracy"] == 0.75
    assert (top.exact_at, top.minor_at, top.f1) == (6.5, 1.25, 1.0)


def test_figures_by_hand():
    table = Counter({("EXACT", "EXACT"): 6, ("EXACT", "MINOR"): 2, ("MINOR", "MINOR"): 1, ("MAJOR", ""): 1})
    found = compute_table_figures(table)
    f1 = {"EXACT": 12 / 14, "MINOR": 2 / 4, "MAJOR": 0.0}
    assert found["f1_EXACT"] == pytest.approx(f1["EXACT"], abs=1e-6)
    assert found["weighted_f1"] == pytest.approx((8 * f1["EXACT"] + f1["MINOR"]) / 10, abs=1e-6)
    assert found["macro_f1"] == pytest.approx(sum(f1.values()) / 3, abs=1e-6)
    assert found["accuracy"] == 0.7

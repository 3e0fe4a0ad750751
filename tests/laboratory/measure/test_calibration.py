"""Confidence: lines and steps against optima found otherwise, weights, folds, base rates."""

import random

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.judgement.judge import model as models
from citeproof.judgement.judge.weighed_ruling import WeighedRuling
from citeproof.laboratory.measure import calibration, metrics
from citeproof.laboratory.measure.benchmark_rows import (
    BAD,
    FOLDS,
    LabelledCitation,
    split_into_folds,
)
from citeproof.laboratory.measure.calibration import (
    HOLD,
    MANY,
    USUAL,
    CalibrationRow,
    fit_isotonic_steps,
    fit_lines,
    fit_platt_line,
)
from citeproof.vocabulary import Label, Verdict

MODEL = models.load_model()


def _rows(count, seed=1, label=Label.MINOR):
    """Return rows whose label is right as often as sigmoid(0.5 + 0.6·distance)."""
    rng = random.Random(seed)
    drawn = [(rng.uniform(0, 5), rng.randrange(5)) for _ in range(count)]
    return [CalibrationRow(label, d, n, rng.random() < models.sigmoid(0.5 + 0.6 * d)) for d, n in drawn]


def test_the_line_is_the_optimum_that_scipy_finds():
    optimize = pytest.importorskip("scipy.optimize")
    rows = _rows(400)
    x = np.array([[1.0, r.distance, r.fields] for r in rows] + [[1.0, 1.0, 2.0]] * 2)
    y = np.array([float(r.right) for r in rows] + [1.0, 0.0])

    def loss(line):
        z = x @ line
        return np.sum(np.logaddexp(0, z) - y * z) + HOLD * np.sum((line[1:] - USUAL) ** 2)

    told = optimize.minimize(loss, [1.0, 0.1, 0.1], bounds=[(None, None), (0, None), (0, None)])
    found = fit_platt_line(rows)
    assert (found.base, found.margin, found.confirmed) == pytest.approx(tuple(told.x), abs=2e-3)


@pytest.mark.parametrize("right", [True, False])
def test_one_sided_data_give_no_certainty(right):
    line = fit_platt_line([CalibrationRow(Label.EXACT, 2.5, 3, right)] * 50)
    assert 0 < line.probability(2.5, 3) < 1
    assert (line.probability(2.5, 3) > 0.9) is right


def test_no_data_give_even_odds_or_nearly():
    assert 0.3 < fit_platt_line([]).probability(1.0, 2) < 0.7


def test_slopes_never_fall():
    rows = [CalibrationRow(Label.MINOR, d / 10, 2, d < 25) for d in range(50)] * 20  # the further the worse
    line = fit_platt_line(rows)
    assert line.margin == 0.0


def test_a_row_of_weight_two_is_two_rows():
    rows = _rows(60)
    twice = fit_platt_line(rows + rows)
    heavy = fit_platt_line([CalibrationRow(r.label, r.distance, r.fields, r.right, 2.0) for r in rows])
    assert (twice.base, twice.margin) == pytest.approx((heavy.base, heavy.margin), abs=1e-3)


@given(st.lists(st.tuples(st.floats(0, 10), st.booleans()), min_size=1, max_size=600))
def test_steps_rise_and_are_never_certain(pairs):
    line = models.ConfidenceLine(0.0, 1.0, 0.0)
    steps = fit_isotonic_steps(line, [CalibrationRow(Label.EXACT, d, 0, ok) for d, ok in pairs])
    assert [z for z, _ in steps] == sorted(z for z, _ in steps)
    assert [p for _, p in steps] == sorted(p for _, p in steps)
    assert all(0 < p < 1 for _, p in steps)


def test_steps_follow_the_data():
    line = models.ConfidenceLine(0.0, 1.0, 0.0)
    rows = [CalibrationRow(Label.EXACT, 1.0, 0, i % 4 > 0) for i in range(400)]
    rows += [CalibrationRow(Label.EXACT, 3.0, 0, i % 40 > 0) for i in range(400)]
    assert fit_isotonic_steps(line, rows) == ((1.0, round(301 / 402, 4)), (3.0, round(391 / 402, 4)))


@pytest.mark.parametrize(
    ("count", "method", "steps"),
    [(MANY - 1, "auto", False), (MANY, "auto", True), (MANY, "platt", False), (200, "isotonic", True),
     (0, "isotonic", False)],
)  # fmt: skip
def test_steps_are_fitted_on_many_data_only(count, method, steps):
    assert bool(fit_lines(_rows(count), method)["MINOR"].steps) is steps


def _known(count, population="", seed=3):
    """Return citations of which a flawless one is good nine times in ten, one with a fault bad as often."""
    rng = random.Random(seed)
    made = []
    for at in range(count):
        bad = rng.random() < 0.4
        shows = bad is (rng.random() < 0.9)
        faults = {"title_word": 1.0} if shows else {}
        made.append(
            LabelledCitation(
                WeighedRuling(Verdict.MATCHED, faults, 3), BAD if bad else "EXACT", f"w{at % 97}", population
            )
        )
    return made


def test_confidence_is_fitted_and_holds_out_of_fold():
    known = _known(2000)
    model = calibration.calibrate_model(MODEL, known)
    assert model.base_rate == pytest.approx(0.4, abs=0.03)
    score = {"EXACT": 10.0, "MINOR": 10 - MODEL.weights["title_word"]}
    for label in (Label.EXACT, Label.MINOR):
        assert models.calibrate_confidence(model, label, score[label.value], 3) == pytest.approx(
            0.9, abs=0.05
        )
    assert metrics.compute_reliability(calibration.rate_out_of_fold(MODEL, known))["ece"] < 0.05


def test_folds_share_no_work_and_lose_nothing():
    known = _known(500)
    held = [one for _, part in split_into_folds(known) for one in part]
    assert len(held) == len(known)
    for rest, part in split_into_folds(known):
        assert not {one.group for one in rest} & {one.group for one in part}
        assert abs(len(part) - len(known) / FOLDS) < 20


def test_folds_do_not_depend_on_order():
    known = _known(300)
    turned = list(reversed(known))
    parts = [{one.group for one in part} for _, part in split_into_folds(known)]
    assert parts == [{one.group for one in part} for _, part in split_into_folds(turned)]


def test_a_calibrated_model_survives_its_file():
    model = calibration.calibrate_model(MODEL, _known(3000), "isotonic")
    assert msgspec.json.decode(msgspec.json.encode(model), type=models.Model) == model

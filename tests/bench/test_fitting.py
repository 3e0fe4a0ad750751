"""The fit of the shipped judge: weights within bounds, no data set drowned, ratings out of fold."""

from __future__ import annotations

import pytest

from citeproof.judgement.judge.features import NAMES
from citeproof.judgement.judge.weighed_ruling import WeighedRuling
from citeproof.laboratory.measure.benchmark_rows import BAD, LabelledCitation, compute_base_rate
from citeproof.vocabulary import Label, Verdict
from tests.laboratory.measure.test_calibration import _known as known_in_two_classes

pytest.importorskip("scipy.optimize")
from bench import fitting  # it needs scipy, which only development has


def _known(count, bad_share, fault, population):
    """Return citations with one fault of which a share is bad, and as many flawless good ones."""
    made = []
    for at in range(count):
        truth = BAD if at < bad_share * count else Label.EXACT.value
        made.append(
            LabelledCitation(
                WeighedRuling(Verdict.MATCHED, {fault: 1.0}, 3), truth, f"{population}{at}", population
            )
        )
        made.append(
            LabelledCitation(
                WeighedRuling(Verdict.MATCHED, {}, 4), Label.EXACT.value, f"{population}-{at}", population
            )
        )
    return made


def test_no_population_drowns_the_first():
    known = fitting.balance_weights(
        [*known_in_two_classes(100, "first"), *known_in_two_classes(5000, "second", seed=9)]
    )
    weight = {name: sum(o.weight for o in known if o.population == name) for name in ("first", "second")}
    assert weight["second"] == pytest.approx(weight["first"])
    rates = {name: compute_base_rate(o for o in known if o.population == name) for name in weight}
    assert rates["second"] == pytest.approx(rates["first"], abs=0.01)


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_weights_follow_the_data_and_stay_within_bounds(share):
    points = fitting.weights(_known(300, share, "venue_other", "a"))
    assert set(points) == set(NAMES)
    assert all(0 <= weight <= fitting.CEILING for weight in points.values())
    assert all(points[name] <= most for name, most in fitting.DOUBTS.items())
    alone = points["venue_other"] - (10 - fitting.EXACT_AT)
    assert (alone > 0.3) is (share == 1.0)
    assert (alone < -0.3) is (share == 0.0)


def test_faults_that_nobody_made_keep_the_price_of_the_expert():
    points = fitting.weights(_known(300, 1.0, "venue_other", "a"))
    assert points["year_far"] == pytest.approx(fitting.PRIOR["year_far"], abs=0.01)


def test_every_fault_has_a_price():
    assert set(fitting.PRIOR) == set(NAMES)


def test_a_large_set_does_not_drown_the_first():
    small, large = _known(100, 0.0, "venue_other", "a"), _known(3000, 1.0, "venue_other", "b")
    together = fitting.plain([*small, *large]).weights["venue_other"]
    drowned = fitting.weights([*small, *large])["venue_other"]
    assert together < drowned - 0.3


def test_a_fitted_model_rates_what_it_has_not_seen():
    known = _known(300, 0.95, "title_word", "a")
    model = fitting.fit_known(known, name="x")
    assert model.base_rate == pytest.approx(0.475, abs=0.01)
    rows = fitting.rated(known)
    assert len(rows) == len(known)
    right = [(label is not Label.EXACT) == one.bad for one, label, _ in rows]
    sure = [confidence for *_, confidence in rows]
    assert sum(sure) / len(sure) == pytest.approx(sum(right) / len(right), abs=0.02)

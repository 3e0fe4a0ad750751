"""The promise: p-values by hand, what stands and what does not, and what cannot be promised."""

import random
from collections import Counter

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.errors import UsageError
from citeproof.judgement.judge import false_alarm_limit
from citeproof.judgement.judge import model as models
from citeproof.judgement.judge.model import Population, Promise
from citeproof.vocabulary import THREE_CLASSES, Absent, Label, Reach, Verdict

from .conftest import a_record, a_reference, found, judged

NAME = models.load_model().name
# Four real citations: two flawless, one a little strange, one very.
SMALL = Population("small", {"EXACT": ((-0.6, 2), (1.0, 1), (5.0, 1)), "MAJOR": ((-9.5, 3),)})
LARGE = Population("large", {"EXACT": ((-0.6, 90), (0.5, 8), (4.0, 1))})


def _held(allowed, *populations):
    return false_alarm_limit.bind_model(models.load_model(), allowed, Promise(NAME, populations, {}))


@pytest.mark.parametrize(
    ("odd", "p"),
    [(-5.0, 1.0), (-0.6, 1.0), (-0.5, 3 / 5), (1.0, 3 / 5), (1.01, 2 / 5), (5.0, 2 / 5), (5.01, 1 / 5)],
)
def test_a_p_value_counts_what_is_at_least_as_odd_and_itself(odd, p):
    assert false_alarm_limit.rank_oddness(SMALL, Label.EXACT, odd) == pytest.approx(p)


@pytest.mark.parametrize(
    ("label", "odd", "p"),
    [
        (Label.EXACT, 4.5, 2 / 5),  # the small one says 2/5, the large one 1/100
        (Label.MAJOR, -9.5, 1.0),  # only the small one knows such citations
        (Label.MAJOR, 0.0, 1 / 4),
        (Label.MINOR, 0.0, 1.0),  # nobody knows: it cannot be excluded
    ],
)
def test_a_label_is_as_plausible_as_the_population_that_finds_it_most_so(label, odd, p):
    assert false_alarm_limit.find_largest_p_value((SMALL, LARGE), label, odd) == pytest.approx(p)


def test_an_accusation_stands_where_the_real_ones_never_look_so():
    model = _held(0.02, LARGE)
    sure = judged(a_reference(), Absent("snapshot:test", "title", Reach.COMPLETE))
    assert false_alarm_limit.keep_promise(sure, model) is sure


def test_an_accusation_that_is_not_sure_enough_is_withdrawn_and_tells_what_was_seen():
    doubtful = judged(a_reference(year=2012), found(a_record()))
    kept = false_alarm_limit.keep_promise(
        doubtful, _held(0.02, Population("p", {"EXACT": ((-0.6, 90), (9.0, 10))}))
    )
    assert (kept.verdict, kept.label, kept.score, kept.confidence, kept.band) == (
        Verdict.UNCHECKED, None, None, None, None,
    )  # fmt: skip
    assert kept.reasons[0] == "not_sure_enough"
    assert kept.mismatches == doubtful.mismatches
    assert "2 %" in kept.explanation
    assert doubtful.explanation in kept.explanation


def test_what_is_no_accusation_is_never_touched():
    model = _held(0.25, SMALL)
    for judgement in (judged(a_reference(), found(a_record())), judged(a_reference())):
        assert false_alarm_limit.keep_promise(judgement, model) is judgement


def test_the_judge_keeps_the_promise_it_is_given():
    from citeproof.judgement.compare import compare
    from citeproof.judgement.judge import judge
    from citeproof.vocabulary import Retrieval

    from .conftest import TODAY

    wanted, retrieved = a_reference(year=2012), Retrieval((found(a_record()),))
    model = _held(0.02, Population("p", {"EXACT": ((-0.6, 90), (9.0, 10))}))
    judgement = judge(wanted, retrieved, compare(wanted, retrieved, TODAY), model)
    assert judgement.reasons[0] == "not_sure_enough"
    assert judgement.provenance.judge == f"{NAME}+p0.02"


@pytest.mark.parametrize(("allowed", "refused"), [(0.2, False), (0.19, True), (0.01, True)])
def test_less_than_the_data_can_tell_is_not_promised(allowed, refused):
    assert false_alarm_limit.find_smallest_share(Promise(NAME, (SMALL, LARGE), {})) == pytest.approx(0.2)
    if not refused:
        assert _held(allowed, SMALL, LARGE).allowed == allowed
        return
    with pytest.raises(UsageError, match="less than the calibration data") as error:
        _held(allowed, SMALL, LARGE)
    assert "0.2" in error.value.hint


def test_no_population_promises_nothing():
    with pytest.raises(UsageError, match="less than the calibration data"):
        _held(0.5)


def test_the_promise_of_another_judge_is_not_taken_over():
    other = msgspec.structs.replace(models.load_model(), name="another")
    with pytest.raises(UsageError, match="measured with the judge"):
        false_alarm_limit.bind_model(other, 0.1)


def test_what_is_shipped_belongs_to_the_shipped_judge_and_promises_one_in_a_hundred():
    model = false_alarm_limit.bind_model(models.load_model(), 0.01)
    assert model.name == f"{NAME}+p0.01"
    assert all(
        list(scores) == sorted(scores) for p in model.promise.populations for scores in p.strange.values()
    )


@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_sets_only_shrink_as_the_level_rises(one, two):
    low, high = sorted((one, two))
    model = msgspec.structs.replace(models.load_model(), promise=Promise(NAME, (SMALL, LARGE), {}))
    judgement = judged(a_reference(year=2012), found(a_record()))
    plausible = {label: false_alarm_limit.compute_p_value(label, judgement, model) for label in THREE_CLASSES}
    assert {label for label in plausible if plausible[label] > high} <= {
        label for label in plausible if plausible[label] > low
    }


def test_of_drawn_populations_the_promised_share_is_accused():
    """Whatever the strangeness is worth: among equals, at most α of the real ones are excluded."""
    rng = random.Random(7)
    excluded = 0
    for _ in range(2000):
        *known, new = (round(rng.gauss(0, 1), 1) for _ in range(50))
        population = Population("p", {"EXACT": tuple(sorted(Counter(known).items()))})
        excluded += false_alarm_limit.rank_oddness(population, Label.EXACT, new) <= 0.1
    assert excluded / 2000 <= 0.1 + 3 * (0.1 * 0.9 / 2000) ** 0.5

"""What is weighed once gives the same judgement as the whole path, under every pair of thresholds."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.judgement.compare import compare
from citeproof.judgement.judge import judge, weigh_evidence, weighed_ruling
from citeproof.judgement.judge import model as models
from citeproof.judgement.judge.features import NAMES
from citeproof.judgement.judge.weighed_ruling import WeighedRuling
from citeproof.vocabulary import Absent, Band, Label, Reach, Retrieval, Verdict

from .conftest import TODAY, a_record, a_reference, found

DOI, OTHER_DOI = ("doi", "10.1109/cvpr.2016.90"), ("doi", "10.1109/cvpr.2016.91")
OTHER = a_record("Learning Deep Features for Scene Recognition", "Bolei Zhou", ids=(OTHER_DOI,), name="r2")
CASES = {
    "exact": (a_reference(ids=(DOI,)), [found(a_record(ids=(DOI,)), by="doi")]),
    "word": (a_reference("Deep Residual Learning for Image Retrieval"), [found(a_record())]),
    "year": (a_reference(year=2012), [found(a_record())]),
    "wrong_doi": (a_reference(ids=(OTHER_DOI,)), [found(OTHER, by="doi"), found(a_record(ids=(DOI,)))]),
    "dead_doi": (a_reference(ids=(OTHER_DOI,)),
                 [Absent("doi", "doi", Reach.COMPLETE, OTHER_DOI[1]), found(a_record())]),
    "others": (a_reference(authors="Henrik Larsen and Yasmin Hassan"), [found(a_record())]),
    "elsewhere": (a_reference("Neural Tangent Kernels and Applications of Models", ids=(OTHER_DOI,)),
                  [found(OTHER, by="doi"), Absent("snapshot:test", "title", Reach.COMPLETE)]),
    "nowhere": (a_reference(), [Absent("snapshot:test", "title", Reach.COMPLETE)]),
    "nobody": (a_reference(), [found(a_record(authors=""))]),
    "nothing": (a_reference(), []),
}  # fmt: skip


def _seen(name):
    reference, lookups = CASES[name]
    retrieved = Retrieval(tuple(lookups))
    return reference, retrieved, compare(reference, retrieved, TODAY)


def _at(exact_at, minor_at):
    return msgspec.structs.replace(models.load_model(), exact_at=exact_at, minor_at=minor_at)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(
    ("exact_at", "minor_at"), [(7.5, 3.5), (10, 10), (10, 0), (0, 0), (5, 5), (0.25, 0.25)]
)
def test_weighing_again_is_judging_again(name, exact_at, minor_at):
    model, seen = _at(exact_at, minor_at), _seen(name)
    judgement, weight = judge(*seen, model), weigh_evidence(*seen)
    score = weighed_ruling.compute_score(model, weight)
    label = weighed_ruling.choose_label(model, weight, score)
    assert label == judgement.label
    if label is not None:
        assert (score, weighed_ruling.estimate_confidence(model, weight, label, score)) == (
            judgement.score, (judgement.confidence, judgement.band),
        )  # fmt: skip


@pytest.mark.parametrize(
    "name", sorted(set(CASES) - {"nobody"})
)  # there the judgement drops the record it had
def test_a_judgement_tells_what_it_was_weighed_from(name):
    seen = _seen(name)
    assert weighed_ruling.weigh_judgement(judge(*seen)) == weigh_evidence(*seen)


WEIGHED = st.builds(
    WeighedRuling,
    st.sampled_from(Verdict),
    st.one_of(st.none(), st.dictionaries(st.sampled_from(NAMES), st.just(1.0))),
    st.integers(0, 4),
    st.booleans(),
    st.sampled_from(Band),
)
PAIR = st.tuples(st.integers(0, 40), st.integers(0, 40)).map(lambda p: (max(p) / 4, min(p) / 4))


@given(WEIGHED, PAIR)
def test_every_score_stays_on_the_scale_and_agrees_with_its_label(weight, pair):
    model = _at(*pair)
    score = weighed_ruling.compute_score(model, weight)
    assert 0 <= score <= 10
    label = weighed_ruling.choose_label(model, weight, score)
    if weight.verdict is Verdict.UNCHECKED:
        assert label is None
    elif label is not None and 0 < pair[1] < pair[0] and weight.faults is not None:
        assert label is models.label_score(model, score)


@given(WEIGHED, PAIR)
def test_verdicts_bound_the_label_whatever_the_thresholds(weight, pair):
    label = weighed_ruling.choose_label(_at(*pair), weight, weighed_ruling.compute_score(_at(*pair), weight))
    allowed = {
        Verdict.MATCHED: {Label.EXACT, Label.MINOR, None}
        if weight.faults is not None
        else set(Label) | {None},
        Verdict.AMBIGUOUS: {Label.MINOR} if weight.faults is not None else set(Label) | {None},
        Verdict.MISMATCH: {Label.MAJOR},
        Verdict.NOT_FOUND: {Label.MAJOR},
        Verdict.UNCHECKED: {None},
    }
    assert label in allowed[weight.verdict]


@given(WEIGHED, st.sampled_from(NAMES))
def test_one_fault_more_is_never_less_strange(weight, name):
    if weight.faults is None:
        return
    more = WeighedRuling(
        weight.verdict, {**weight.faults, name: 1.0}, weight.fields, weight.unproven, weight.ceiling
    )
    model = models.load_model()
    assert weighed_ruling.measure_strangeness(model, more) >= weighed_ruling.measure_strangeness(
        model, weight
    )


@pytest.mark.parametrize(
    ("odds", "told"), [(-9.0, 0.6), (0.0, 0.6), (0.99, 0.6), (1.0, 0.8), (2.0, 0.95), (50.0, 0.95)]
)
def test_steps_are_looked_up_by_log_odds(odds, told):
    line = models.ConfidenceLine(odds, 0.0, 0.0, ((0.0, 0.6), (1.0, 0.8), (2.0, 0.95)))
    assert line.probability(1.0, 1) == told


@pytest.mark.parametrize(
    ("probability", "label", "stated", "told"),
    [
        (0.9, Label.MINOR, 0.5, 0.9),  # nothing moves at the fitted rate
        (0.9, Label.MINOR, 0.1, 0.5),  # odds 9 times 1/9
        (0.9, Label.MAJOR, 0.9, 81 / 82),
        (0.9, Label.EXACT, 0.1, 81 / 82),
        (0.9, Label.EXACT, 0.9, 0.5),
    ],
)
def test_the_base_rate_moves_the_odds(probability, label, stated, told):
    assert models.shift_base_rate(probability, label, 0.5, stated) == pytest.approx(told)


def test_a_stated_base_rate_changes_confidence_and_nothing_else():
    seen = _seen("word")
    plain = judge(*seen)
    rare = judge(*seen, msgspec.structs.replace(models.load_model(), stated_rate=0.01))
    assert rare.confidence < plain.confidence
    assert (rare.label, rare.score) == (plain.label, plain.score)

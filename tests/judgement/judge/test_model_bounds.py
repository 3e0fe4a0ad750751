"""Whatever a language model answers: what plain comparison proves stays."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citeproof.judgement.judge import model as judges
from citeproof.judgement.judge import model_bounds as bounds
from citeproof.judgement.judge.false_alarm_limit import bind_model
from citeproof.vocabulary import THREE_CLASSES, Band, Label, Reason, Verdict
from tests.judgement.review.review_cases import make_cases

CASES = make_cases()
JUDGE = judges.load_model()
RANK = {None: -1, Label.MAJOR: 0, Label.MINOR: 1, Label.NOTED: 2, Label.EXACT: 3}
FIELDS = ("title", "authors", "year", "venue", "pages", "publisher", "identifier")


def test_the_cases_are_what_their_names_say():
    told = {name: (case.judgement.verdict.value, case.judgement.label) for name, case in CASES.items()}
    assert told == {
        "exact": ("matched", "EXACT"),
        "noted": ("matched", "NOTED"),
        "paged": ("matched", "NOTED"),
        "venue": ("matched", "MINOR"),
        "venue_no_id": ("matched", "MINOR"),
        "year": ("matched", "MINOR"),
        "authors": ("matched", "MINOR"),
        "nickname": ("mismatch", "MAJOR"),
        "nickname_alone": ("mismatch", "MAJOR"),
        "mismatch": ("mismatch", "MAJOR"),
        "ambiguous": ("ambiguous", "MINOR"),
        "other_authors": ("mismatch", "MAJOR"),
        "not_found": ("not_found", "MAJOR"),
        "unchecked": ("unchecked", None),
    }
    assert CASES["noted"].judgement.notes
    assert not CASES["noted"].judgement.mismatches


@pytest.mark.parametrize(
    ("score", "label"),
    [
        (10, "EXACT"),
        (7.25, "EXACT"),
        (7.24, "MINOR"),
        (6, "MINOR"),
        (1.25, "MINOR"),
        (1.24, "MAJOR"),
        (0, "MAJOR"),
    ],
)
def test_a_score_decides_through_the_thresholds(score, label):
    assert bounds.label_model_score(score, JUDGE) == label


@pytest.mark.parametrize("label", THREE_CLASSES)
def test_a_representative_score_has_its_label(label):
    assert bounds.label_model_score(bounds.choose_representative_score(label, JUDGE), JUDGE) is label


@pytest.mark.parametrize(
    ("name", "score", "named", "verdict", "label", "limit"),
    [
        # inside `matched`, what is left open
        ("noted", 60, {"venue"}, "matched", "MINOR", ""),
        ("noted", 60, set(), "matched", "NOTED", "not_shown"),
        ("noted", 60, {"title"}, "matched", "NOTED", "not_shown"),
        ("noted", 5, {"venue"}, "matched", "NOTED", "nothing_open"),
        ("noted", 95, set(), "matched", "NOTED", ""),  # a field that differs is never EXACT
        ("paged", 60, {"pages"}, "matched", "MINOR", ""),
        ("venue", 95, set(), "matched", "NOTED", ""),
        ("venue", 60, set(), "matched", "MINOR", ""),
        # what is proven
        ("venue_no_id", 95, set(), "matched", "MINOR", "difference_proven"),
        ("year", 100, set(), "matched", "MINOR", "difference_proven"),
        ("authors", 100, set(), "matched", "MINOR", "difference_proven"),
        ("exact", 0, {"title"}, "matched", "EXACT", "nothing_open"),
        ("year", 0, {"year"}, "matched", "MINOR", "nothing_open"),
        ("ambiguous", 100, set(), "ambiguous", "MINOR", "verdict_decided"),
        ("ambiguous", 0, set(), "ambiguous", "MINOR", "verdict_decided"),
        ("mismatch", 100, set(), "mismatch", "MAJOR", "no_match"),
        ("nickname", 100, set(), "mismatch", "MAJOR", "no_match"),
        ("other_authors", 100, set(), "mismatch", "MAJOR", "no_match"),
        ("not_found", 100, set(), "not_found", "MAJOR", "verdict_decided"),
        ("unchecked", 100, set(), "unchecked", None, "verdict_decided"),
    ],
)
def test_what_a_score_may_move(name, score, named, verdict, label, limit):
    moved = bounds.apply_score(CASES[name].judgement, score / 10, named, JUDGE)
    assert (moved.judgement.verdict, moved.judgement.label, moved.limit) == (verdict, label, limit)
    assert moved.used != bool(limit)


@pytest.mark.parametrize(
    ("name", "wanted", "verdict", "label", "limit"),
    [
        ("ambiguous", Label.MAJOR, "ambiguous", "MINOR", "verdict_decided"),
        ("ambiguous", Label.EXACT, "ambiguous", "MINOR", "verdict_decided"),
        ("mismatch", Label.EXACT, "mismatch", "MAJOR", "no_match"),
        ("mismatch", Label.MINOR, "mismatch", "MAJOR", "no_match"),
        ("mismatch", Label.MAJOR, "mismatch", "MAJOR", ""),
        ("year", Label.MAJOR, "matched", "MINOR", "nothing_open"),
        ("noted", Label.MINOR, "matched", "MINOR", ""),
        ("noted", Label.EXACT, "matched", "NOTED", ""),
        ("not_found", Label.EXACT, "not_found", "MAJOR", "verdict_decided"),
    ],
)
def test_what_the_reviewer_may_move(name, wanted, verdict, label, limit):
    case = CASES[name]
    moved = bounds.apply_review(case.reference, case.judgement, wanted, JUDGE)
    assert (moved.judgement.verdict, moved.judgement.label, moved.limit) == (verdict, label, limit)


@pytest.mark.parametrize(
    ("name", "answer", "verdict", "limit"),
    [
        ("nickname", "informal_abbreviation", "matched", ""),
        ("nickname", "different_paper", "mismatch", ""),
        ("nickname", "uncertain", "mismatch", ""),
        ("nickname_alone", "informal_abbreviation", "mismatch", "no_match"),
        ("mismatch", "informal_abbreviation", "mismatch", "verdict_decided"),
        ("not_found", "informal_abbreviation", "not_found", "verdict_decided"),
        ("ambiguous", "informal_abbreviation", "ambiguous", "verdict_decided"),
    ],
)
def test_what_the_screen_may_move(name, answer, verdict, limit):
    moved = bounds.apply_screen(CASES[name].judgement, answer, JUDGE)
    assert (moved.judgement.verdict, moved.limit) == (verdict, limit)
    assert moved.judgement.label != Label.EXACT


def test_a_moved_judgement_has_low_confidence_and_its_reason():
    moved = bounds.apply_score(CASES["venue"].judgement, 9.5, set(), JUDGE).judgement
    assert (moved.band, moved.reasons[0]) == (Band.LOW, Reason.MODEL_SCORE)
    assert moved.score is not None
    assert judges.label_score(JUDGE, moved.score) is Label.EXACT


def test_a_limit_of_false_alarms_lets_no_model_accuse():
    bound = bind_model(JUDGE, 0.01)
    moved = bounds.apply_score(CASES["noted"].judgement, 6.0, {"venue"}, bound)
    assert (moved.judgement.label, moved.limit) == ("NOTED", "false_alarm_limit")


ANSWERS = st.one_of(
    st.tuples(st.just("score"), st.floats(0, 10), st.sets(st.sampled_from(FIELDS))),
    st.tuples(st.just("review"), st.sampled_from(Label)),
    st.tuples(st.just("screen"), st.sampled_from(["informal_abbreviation", "different_paper", "uncertain"])),
)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(sorted(CASES)), st.lists(ANSWERS, max_size=4), st.booleans())
def test_no_series_of_answers_gets_past_the_evidence(name, answers, promised):
    case = CASES[name]
    judge = bind_model(JUDGE, 0.01) if promised else JUDGE
    judgement = case.judgement
    for answer in answers:
        match answer:
            case ("score", points, named):
                moved = bounds.apply_score(judgement, points, named, judge)
            case ("review", wanted):
                moved = bounds.apply_review(case.reference, judgement, wanted, judge)
            case ("screen", said):
                moved = bounds.apply_screen(judgement, said, judge)
        assert moved.used or moved.judgement == judgement, "an answer that is refused moves nothing"
        judgement = moved.judgement
    first = case.judgement
    if RANK[judgement.label] > RANK[first.label]:
        assert name in ("venue", "nickname"), "nothing else has a match that was found without a model"
    if name == "nickname":
        assert not judgement.label.passes
    if judgement.label is Label.EXACT:
        assert not judgement.differences
    if judgement.label is Label.MAJOR:
        assert first.label is Label.MAJOR
    assert (judgement.label is None) == (first.label is None)
    if first.verdict is Verdict.AMBIGUOUS:
        assert judgement.verdict is Verdict.AMBIGUOUS
    if judgement.label is not first.label:
        assert judgement.band is Band.LOW
    if promised and RANK[judgement.label] < RANK[first.label]:
        pytest.fail("a bound run accuses on a model's word")
    if judgement.label is not None:
        scored = Label.EXACT if judgement.label.passes else judgement.label
        assert judges.label_score(JUDGE, judgement.score) is scored


def test_thresholds_of_the_run_are_those_of_the_score():
    other = msgspec.structs.replace(JUDGE, exact_at=9.9, minor_at=2.0)
    moved = bounds.apply_score(CASES["venue"].judgement, 7.25, set(), other).judgement
    assert (moved.label, moved.score) == (Label.NOTED, 9.9)

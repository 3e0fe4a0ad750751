"""The promise as it is measured: sets by population, folds that saw nothing, rates with intervals."""

import random
from functools import cache

import pytest

from citeproof.judgement.judge import model as models
from citeproof.judgement.judge.weighed_ruling import WeighedRuling
from citeproof.laboratory.measure.benchmark_rows import BAD, LabelledCitation
from citeproof.laboratory.measure.promise_measurement import (
    LEVELS,
    PromiseOutcome,
    build_populations,
    build_promise,
    judge_held_out,
    measure_promise,
)
from citeproof.vocabulary import Verdict

MODEL = models.load_model()
FAULTS = (
    "year_one",
    "venue_unclear",
    "title_typo",
    "title_word",
    "venue_other",
    "authors_other",
    "title_other",
)


def _known(count, seed=5, population="p"):
    """Return citations in which real ones have a fault now and then, bad ones mostly."""
    rng = random.Random(seed)
    made = []
    for at in range(count):
        truth = rng.choice(["EXACT", "EXACT", "MINOR", "MAJOR"])
        odds = {"EXACT": 0.03, "MINOR": 0.4, "MAJOR": 0.7}[truth]
        faults = {name: 1.0 for name in FAULTS if rng.random() < odds}
        verdict = Verdict.MISMATCH if truth == "MAJOR" and rng.random() < 0.8 else Verdict.MATCHED
        made.append(
            LabelledCitation(WeighedRuling(verdict, faults, rng.randrange(4)), truth, f"w{at}", population)
        )
    return made


def _same(_):
    return MODEL


@cache
def _judge_many(refits):
    return judge_held_out(_known(4000), _same, refits=refits)


@pytest.mark.parametrize("refits", [True, False])
@pytest.mark.parametrize("level", LEVELS)
def test_the_promise_holds_on_citations_that_it_has_not_seen(level, refits):
    found = measure_promise(_judge_many(refits), level)
    assert found.real > 1500
    assert found.holds
    assert found.rate <= level + 3 * (level * (1 - level) / found.real) ** 0.5


def test_a_stricter_promise_never_leaves_more_standing():
    rows = judge_held_out(_known(1500), _same, refits=False)
    kept = [measure_promise(rows, level).kept for level in sorted(LEVELS)]
    assert kept == sorted(kept)
    assert measure_promise(rows, 0.5).coverage == 1.0


def test_a_population_that_errs_more_binds_the_others():
    """Strange but real citations of one population keep those of another from being accused."""
    tidy = [
        LabelledCitation(WeighedRuling(Verdict.MATCHED, {}, 3), "EXACT", f"t{i}", "tidy") for i in range(300)
    ]
    odd = {"title_other": 1.0, "authors_other": 1.0, "venue_other": 1.0}
    messy = [
        LabelledCitation(
            WeighedRuling(Verdict.MATCHED, odd if i % 4 == 0 else {}, 3), "EXACT", f"m{i}", "messy"
        )
        for i in range(300)
    ]
    bad = [
        LabelledCitation(WeighedRuling(Verdict.MATCHED, {"title_word": 1.0}, 3), "MINOR", f"b{i}", "tidy")
        for i in range(50)
    ]
    alone = measure_promise(judge_held_out([*tidy, *bad], _same, refits=False), 0.05)
    together = measure_promise(judge_held_out([*tidy, *messy, *bad], _same, refits=False), 0.05)
    assert (alone.kept, together.kept) == (50, 0)


def test_calibration_sets_count_what_was_judged_and_whose_label_is_known():
    known = [
        LabelledCitation(WeighedRuling(Verdict.MATCHED, {}, 3), "EXACT", "a", "p"),
        LabelledCitation(WeighedRuling(Verdict.MATCHED, {}, 3), "EXACT", "b", "p"),
        LabelledCitation(WeighedRuling(Verdict.MATCHED, {}, 3, unproven=True), "EXACT", "c", "p"),
        LabelledCitation(WeighedRuling(Verdict.UNCHECKED), "EXACT", "d", "p"),
        LabelledCitation(WeighedRuling(Verdict.NOT_FOUND), "MAJOR", "e", "p"),
        LabelledCitation(WeighedRuling(Verdict.NOT_FOUND), BAD, "f", "p"),
        LabelledCitation(WeighedRuling(Verdict.NOT_FOUND), "MAJOR", "g", "q"),
    ]
    (only,) = build_populations((one, MODEL) for one in known)
    assert (only.name, only.count("EXACT"), only.count("MAJOR")) == ("p", 2, 1)
    assert build_promise(MODEL, known, {}).judge == MODEL.name


@pytest.mark.parametrize(
    ("row", "holds"),
    [
        (PromiseOutcome(0.01, 1000, 0, 0, 0), True),
        (PromiseOutcome(0.01, 1000, 15, 0, 0), True),
        (PromiseOutcome(0.01, 1000, 30, 0, 0), False),
        (PromiseOutcome(0.01, 0, 0, 0, 0), True),
    ],
)
def test_a_promise_is_broken_only_beyond_its_interval(row, holds):
    assert row.holds is holds

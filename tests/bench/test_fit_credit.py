"""The table of probabilities is made from counts: more errors of citations raise it, of records lower it."""

from __future__ import annotations

import tomllib

import pytest
from bench.fit_credit import BY_HAND, MEMBERS, CreditCounts, Rate, fit_row, level_chances, write_table

from citeproof.judgement.compare.credit_table import load_credit_table

KEY = ("authors", "name_slip")
ASSUMED = {"same": 0.4, "open": 0.3, "own": 0.3, "preprint": 0.2, "other": 0.1}


def count(
    *, cited: float = 10, erred: int = 20, varied: int = 10, judged: dict | None = None
) -> CreditCounts:
    counts = CreditCounts()
    counts.cited[KEY] = Rate(cited, 1000)
    counts.erred[KEY], counts.varied[KEY] = erred, varied
    counts.pairs.update({"same": 1000, "other": 1000})
    for (member, right), number in (judged or {}).items():
        counts.judged[*KEY, member, right] = number
    return counts


@pytest.mark.parametrize(
    ("counts", "same", "other"),
    [
        (count(), 0.5, 0.33),  # 10 against 20 / 2; and against 10 more where another version is cited
        (count(cited=30), 0.75, 0.6),
        (count(erred=60), 0.25, 0.2),
        (count(judged={("same", True): 4}), 0.75, 0.33),  # as many verdicts as count for the rates
        (count(judged={("same", False): 4}), 0.33, 0.33),  # never less than further from the cited version
        (count(erred=0, varied=0), 0.4, 0.1),  # too rare: as assumed
    ],
)
def test_a_row_follows_from_its_counts(counts, same, other):
    row, _ = fit_row(KEY, ASSUMED, counts)
    assert row["same"] == pytest.approx(same, abs=0.02)
    assert row["other"] == pytest.approx(other, abs=0.02)


def test_a_row_shows_what_it_was_counted_from():
    assert fit_row(KEY, ASSUMED, count(judged={("same", True): 4}))[1] == (
        "cited 10, erred 10, varied 10, judged same 4:0"
    )


def test_a_row_that_would_rise_is_levelled():
    level = level_chances(
        dict(zip(MEMBERS, (0.5, 0.9, 0.2, 0.4, 0.1), strict=True)), dict.fromkeys(MEMBERS, 4)
    )
    assert list(level.values()) == pytest.approx([0.7, 0.7, 0.3, 0.3, 0.1])


def test_every_pattern_of_the_table_is_assumed_before_it_is_counted():
    assumed = tomllib.loads(BY_HAND.read_text("utf-8"))["assumed"]
    assert {field: set(rows) for field, rows in assumed.items()} == {
        field: set(rows) for field, rows in load_credit_table().chance.items()
    }


def test_all_but_fitted_numbers_stay_as_they_are():
    table = tomllib.loads(BY_HAND.read_text("utf-8"))
    counts = count()
    counts.worth["authors", "good", True] = 3
    text = (
        "[trust]\ngood = 1.0\npoor = 0.9\n\n[venues]\nslow = ['x']\n\n# names\n[authors]\nname_slip = 0.1\n"
    )
    written = write_table(text, table, counts)
    assert "good = 1.0\npoor = 0.50  # right 15 of 58, others 129 of 248\n" in written
    assert "\n[venues]\nslow = ['x']\n\n# names\n[authors]\nname_slip = { same = " in written

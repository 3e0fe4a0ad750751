"""Cited years and arXiv numbers, on a day => what lies ahead."""

from __future__ import annotations

from datetime import date

import pytest

from citeproof.judgement.checks.future_date import find_future_date
from citeproof.vocabulary import FieldOrigin, Ids, Kind, Origin, Version
from tests.judgement.checks.work_cases import make_evidence, make_record

SPRING, AUTUMN = date(2026, 3, 10), date(2026, 10, 1)


@pytest.mark.parametrize(
    ("year", "day", "raw", "recorded", "expected"),
    [
        (2026, SPRING, "", None, None),
        (1998, SPRING, "", None, None),
        (None, SPRING, "", None, None),
        (2027, AUTUMN, "", None, None),
        (2027, SPRING, "", None, "note"),
        (2027, SPRING, "A. Person. Title. In press, 2027", None, None),
        (2027, SPRING, "note = {to appear}", None, None),
        (2028, SPRING, "Im Druck. 2028", None, None),
        (2028, SPRING, "", 2028, None),
        (2028, AUTUMN, "", None, "warning"),
        (2028, AUTUMN, "", 2018, "warning"),
        (2106, SPRING, "", None, "warning"),
        (2106, SPRING, "in press", None, "warning"),
        (2106, SPRING, "", 2106, "note"),
        (2106, None, "", None, None),
    ],
)
def test_years(year, day, raw, recorded, expected):
    record = make_record(versions=(Version(recorded),)) if recorded else None
    found = find_future_date(make_evidence(raw, year=year, day=day, record=record))
    assert (found.level.value if found else None) == expected
    if found and recorded:
        assert f"record: {recorded} (crossref)" in found.evidence


@pytest.mark.parametrize("kind", [Kind.STANDARD, Kind.LEGAL])
def test_what_comes_into_force_later(kind):
    assert find_future_date(make_evidence(year=2030, kind=kind)) is None


def test_a_doubtful_year_is_not_judged():
    origins = (FieldOrigin("year", Origin.MODEL, 0.6),)
    assert find_future_date(make_evidence(year=2050, origins=origins)) is None


@pytest.mark.parametrize(
    ("number", "ahead"),
    [("2603.00123", False), ("2604.00001", False), ("2605.00001", True), ("2712.01234", True),
     ("1706.03762", False), ("hep-th/9711200", False), ("math/0102030", False)],
)  # fmt: skip
def test_arxiv_numbers(number, ahead):
    found = find_future_date(make_evidence(ids=Ids((("arxiv", number),)), year=2026))
    assert bool(found) is ahead


def test_december_is_before_january():
    number = make_evidence(ids=Ids((("arxiv", "2701.00001"),)), day=date(2026, 12, 31))
    assert find_future_date(number) is None

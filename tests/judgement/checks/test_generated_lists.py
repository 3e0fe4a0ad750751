"""Lists of references => what about them is as in a list that was made up, with its figures."""

from __future__ import annotations

import pytest

from citeproof.judgement.checks.all_recent import find_recent_list
from citeproof.judgement.checks.all_unresolved import find_unresolved_list
from citeproof.judgement.checks.dead_identifiers import find_dead_identifiers
from citeproof.judgement.checks.patterned_identifiers import find_patterned_identifiers
from citeproof.vocabulary import FindingLevel, Verdict
from tests.judgement.checks.set_members import make_evidence, make_member

FOUND, GONE = Verdict.MATCHED, Verdict.NOT_FOUND
WRONG, OPEN = Verdict.MISMATCH, Verdict.UNCHECKED


def find(check, rows):
    """Return what a check says about references, given as keywords, and which keys it is about."""
    members = [make_member(f"k{n}", **row) for n, row in enumerate(rows)]
    return [(one.finding.detail, len(one.keys)) for one in check(make_evidence(*members))]


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({GONE: 8}, ["8 of 8 references that were checked (100 %) were not found as they are cited"]),
        (
            {GONE: 6, WRONG: 3, FOUND: 1},
            ["9 of 10 references that were checked (90 %) were not found as they are cited"],
        ),
        ({GONE: 8, FOUND: 2}, []),
        ({GONE: 7}, []),  # too few
        ({GONE: 8, OPEN: 8}, []),  # half of them unknown
        ({OPEN: 30}, []),
        ({FOUND: 30}, []),
    ],
)
def test_all_unresolved(counts, expected):
    rows = [{"verdict": verdict} for verdict, count in counts.items() for _ in range(count)]
    assert [detail for detail, _ in find(find_unresolved_list, rows)] == expected


@pytest.mark.parametrize(
    ("dead", "alive", "unknown", "found"),
    [
        (5, 0, 0, True),
        (4, 0, 0, False),
        (6, 3, 0, True),
        (6, 4, 0, False),
        (0, 9, 0, False),
        (2, 0, 9, False),
    ],
)
def test_dead_identifiers(dead, alive, unknown, found):
    rows = [{"doi": f"10.9/{n}", "verdict": GONE, "unregistered": True} for n in range(dead)]
    rows += [{"doi": f"10.8/{n}", "verdict": FOUND} for n in range(alive)]
    rows += [{"doi": f"10.7/{n}", "verdict": OPEN} for n in range(unknown)]
    rows += [{"verdict": FOUND} for _ in range(9)]  # without identifiers
    said = [(f"the identifiers of {dead} of {dead + alive} references do not exist", dead)] if found else []
    assert find(find_dead_identifiers, rows) == said


@pytest.mark.parametrize(
    ("identifiers", "found"),
    [
        (["doi=10.1234/a.1", "doi=10.1234/b.7", "doi=10.1016/j.x.2020.123456"], True),
        (["arxiv=2301.12345", "arxiv=2304.11111", "arxiv=2305.67890"], True),
        (["arxiv=2301.12345", "arxiv=2304.11111"], False),  # somebody has these numbers
        (
            ["doi=10.1111/j.1", "doi=10.1561/2200000016", "doi=10.5555/3295222.3295349", "arxiv=1706.03762"],
            False,
        ),
    ],
)
def test_placeholders(identifiers, found):
    rows = [dict([each.split("=")]) for each in identifiers]
    said = [(f"{len(rows)} identifiers look like placeholders", len(rows))] if found else []
    assert find(find_patterned_identifiers, rows) == said


@pytest.mark.parametrize(
    ("numbers", "venues", "found"),
    [
        ([101, 102, 103, 104], "abcd", True),
        ([101, 102, 103, 104], "aaab", False),  # one issue
        ([101, 102, 104, 105], "abcd", False),
        ([101, 102, 103], "abc", False),
    ],
)
def test_rows_of_dois(numbers, venues, found):
    rows = [
        {"doi": f"10.9999/x.{n}", "venue": f"Journal {each}"} for n, each in zip(numbers, venues, strict=True)
    ]
    said = [("4 DOIs are counted up one by one, in citations of different venues", 4)] if found else []
    assert find(find_patterned_identifiers, reversed(rows)) == said


@pytest.mark.parametrize(
    ("years", "venue", "expected"),
    [
        ({2024: 20}, "", ["all 20 dated references are of 2024"]),
        ({2024: 10, 2023: 10}, "", ["all 20 dated references are of 2023 and 2024"]),
        ({2024: 19, 1999: 1}, "", ["19 of 20 dated references (95 %) are of 2024"]),
        ({2024: 19}, "", []),  # too few
        ({2024: 10, 2023: 10, 2021: 1}, "", []),
        ({2024: 20}, "Proceedings of X", []),  # all of one conference
    ],
)
def test_all_recent(years, venue, expected):
    rows = [{"year": year, "venue": venue} for year, count in years.items() for _ in range(count)]
    assert [detail for detail, _ in find(find_recent_list, rows)] == expected


def test_a_recent_list_is_a_note_with_its_figures():
    members = [make_member(f"k{n}", year=2023 + n % 2) for n in range(20)]
    (found,) = find_recent_list(make_evidence(*members))
    assert (found.finding.level, found.finding.evidence) == (FindingLevel.NOTE, ("2024: 10, 2023: 10",))

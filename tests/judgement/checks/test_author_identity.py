"""ORCID iDs of the citation and of records => the same people or others."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citeproof.judgement.checks.author_identity import find_identity
from tests.judgement.checks.work_cases import make_evidence, make_names, make_record

A, B, C = "0000-0002-1825-0097", "0000-0001-5109-3700", "0000-0002-1694-233X"
WANG, LI = f"orcid:{A} Wei Wang", f"orcid:{B} Min Li"


def judge(raw, authors, *marks, others=()):
    record = make_record(authors=make_names("Wei Wang; Min Li"), marks=marks)
    second = [replace(record, source="europe_pmc", marks=one) for one in others]
    found = find_identity(
        make_evidence(raw, authors=make_names(authors), record=record, others=tuple(second))
    )
    return found and (found.state.value, found.kind)


@pytest.mark.parametrize(
    ("raw", "authors", "marks", "expected"),
    [
        (f"W. Wang (https://orcid.org/{A}). A title.", "W. Wang", (WANG,), ("clear", "")),
        (f"W. Wang (ORCID {C}). A title.", "W. Wang", (WANG,), ("finding", "cited")),
        (f"W. Wang, M. Li. orcid = {{{C}}}", "W. Wang; M. Li", (WANG, LI), ("finding", "cited")),
        (f"W. Wang, M. Li. orcid = {{{C}}}", "W. Wang; M. Li", (WANG,), ("unchecked", "")),
        (f"W. Wang (ORCID {C}).", "W. Wang", (), ("unchecked", "")),
        ("W. Wang (ORCID 0000-0002-1694-2330).", "W. Wang", (WANG,), None),  # its check digit is wrong
        ("W. Wang. A title. 1234-5678", "W. Wang", (WANG,), None),
        ("W. Wang. A title.", "W. Wang", (), None),
    ],
)
def test_the_citation_has_an_id(raw, authors, marks, expected):
    assert judge(raw, authors, *marks) == expected


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ((WANG,), ("clear", "")),
        ((f"orcid:{C} W. Wang",), ("finding", "sources")),
        ((f"orcid:{C} Hao Chen",), None),
        ((f"orcid:{C} Wen Wang", WANG), None),  # two authors of one initial: nobody can tell
    ],
)
def test_sources_have_ids(other, expected):
    assert judge("W. Wang. A title.", "W. Wang", WANG, others=(other,)) == expected


def test_the_finding_says_who_states_what():
    record = make_record(authors=make_names("Wei Wang"), marks=(WANG,))
    found = find_identity(make_evidence(f"W. Wang, ORCID {C}", authors=make_names("W. Wang"), record=record))
    assert found is not None
    assert found.detail == f"the citation has ORCID {C}; crossref states {A} for Wei Wang"
    assert found.evidence == (f"cited: {C}", f"crossref: {A} Wei Wang")

import pytest

from citeproof.judgement.compare.locators import compare_year
from citeproof.vocabulary import Version

ICML = Version(2021, "ICML")
ARXIV = Version(2019, "arXiv")

CASES = [
    # claimed, versions, fitting, preprint years, outcome, reason
    (2021, [ICML], [], [], "same", "same"),
    (None, [ICML], [], [], "absent", "not_cited"),
    (2021, [], [], [], "unknown", "record_has_none"),
    (2022, [ICML], [], [], "differs", "off_by_one"),
    (2017, [ICML], [], [], "differs", "off"),
    (2034, [ICML], [], [], "differs", "future"),
    (2019, [ICML, ARXIV], [], [], "same", "same"),
    (2019, [ICML, ARXIV], [ICML], [], "variant", "other_version"),
    (2020, [ICML], [], [2020], "variant", "preprint_year"),
    (2020, [ICML], [ICML], [2020], "differs", "off_by_one"),
]


@pytest.mark.parametrize(("claimed", "versions", "fitting", "preprints", "outcome", "reason"), CASES)
def test_the_table_of_years(claimed, versions, fitting, preprints, outcome, reason):
    found = compare_year(claimed, versions, fitting=fitting, preprint_years=preprints, this_year=2026)
    assert (found.outcome.value, found.reason) == (outcome, reason)


CLOSED = [
    (2022, [ICML], "differs", "no_version"),
    (2020, [ICML, ARXIV], "differs", "no_version"),
    (2019, [ICML, ARXIV], "same", "same"),
    (2017, [ICML], "differs", "off"),
]


@pytest.mark.parametrize(("claimed", "versions", "outcome", "reason"), CLOSED)
def test_where_all_versions_are_known_one_year_off_is_wrong(claimed, versions, outcome, reason):
    found = compare_year(claimed, versions, this_year=2026, closed=True)
    assert (found.outcome.value, found.reason) == (outcome, reason)


def test_similarity_falls_with_the_gap():
    near = compare_year(2020, [ICML], this_year=2026).similarity
    far = compare_year(2012, [ICML], this_year=2026).similarity
    assert 1 > near > far >= 0

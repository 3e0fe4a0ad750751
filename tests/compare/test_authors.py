import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.compare.authors import compare_authors
from citeproof.text import names
from citeproof.vocabulary import Name, Outcome

CASES = Path(__file__).parents[1] / "cases" / "authors.csv"
ROWS = list(csv.DictReader(CASES.read_text("utf-8").splitlines(), delimiter="|"))


@pytest.mark.parametrize("row", ROWS, ids=lambda r: r["claimed"][:40])
def test_the_table_of_author_lists(row):
    mine, et_al = names.split(row["claimed"])
    theirs, _ = names.split(row["known"])
    found = compare_authors(mine, theirs, et_al=et_al)
    assert (found.outcome.value, found.reason) == (row["outcome"], row["reason"])


def test_a_truncated_record_confirms_but_never_convicts():
    mine, _ = names.split("Ashish Vaswani and Noam Shazeer and Niki Parmar")
    theirs, _ = names.split("Ashish Vaswani")
    assert compare_authors(mine, theirs, complete=False).outcome is Outcome.VARIANT
    strangers, _ = names.split("Jane Roe")
    assert compare_authors(strangers, theirs, complete=False).outcome is Outcome.UNKNOWN


FAMILIES = ["Okafor", "Lindqvist", "Marchetti", "Tanaka", "Novak", "Haddad", "Pereira"]
PEOPLE = st.lists(
    st.builds(
        Name,
        family=st.sampled_from(FAMILIES),
        given=st.sampled_from(["Amara", "Björn", "Chiara", "Daisuke", "Eva", "Farid", "Gustavo", "Hanna"]),
    ),
    min_size=2, max_size=6, unique_by=lambda n: n.family,
)  # fmt: skip


@given(PEOPLE, st.data())
def test_swapping_two_authors_always_differs(people, data):
    i = data.draw(st.integers(0, len(people) - 2))
    swapped = [*people]
    swapped[i], swapped[i + 1] = swapped[i + 1], swapped[i]
    assert compare_authors(swapped, people).outcome is Outcome.DIFFERS


@given(PEOPLE)
def test_initials_and_accents_never_differ(people):
    short = [Name(n.family, n.given[0] + ".") for n in people]
    plain = [Name(n.family.upper(), n.given.replace("ö", "o")) for n in people]
    for form in (short, plain):
        assert compare_authors(form, people).outcome in (Outcome.SAME, Outcome.VARIANT)


@given(PEOPLE)
def test_dropping_the_last_author_without_et_al_differs(people):
    assert compare_authors(people[:-1], people).outcome is Outcome.DIFFERS
    assert compare_authors(people[:-1], people, et_al=True).outcome is Outcome.VARIANT

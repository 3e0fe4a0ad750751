import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.judgement.compare.authors import compare_authors
from citeproof.judgement.compare.person import make_person, measure_likeness
from citeproof.text import names
from citeproof.vocabulary import Name, Outcome

CASES = Path(__file__).parents[2] / "cases" / "authors.csv"
ROWS = list(csv.DictReader(CASES.read_text("utf-8").splitlines(), delimiter="|"))


@pytest.mark.parametrize("row", ROWS, ids=lambda r: r["claimed"][:40])
def test_the_table_of_author_lists(row):
    mine, et_al = names.split_names(row["claimed"])
    theirs, _ = names.split_names(row["known"])
    found = compare_authors(mine, theirs, et_al=et_al)
    assert (found.outcome.value, found.reason) == (row["outcome"], row["reason"])


def test_a_truncated_record_confirms_but_never_convicts():
    mine, _ = names.split_names("Ashish Vaswani and Noam Shazeer and Niki Parmar")
    theirs, _ = names.split_names("Ashish Vaswani")
    assert compare_authors(mine, theirs, complete=False).outcome is Outcome.VARIANT
    strangers, _ = names.split_names("Jane Roe")
    assert compare_authors(strangers, theirs, complete=False).outcome is Outcome.UNKNOWN
    assert compare_authors(mine[::-1], mine, complete=False).reason == "order_swapped"


@pytest.mark.parametrize(
    ("cited", "known", "same"),
    [
        ("Christian Schroeder", "Christian Schröder de Witt", True),
        ("Christian Schroeder de Witt", "Christian Schröder", True),
        ("Christian Schneider", "Christian Schröder de Witt", False),
    ],
)
def test_one_of_two_family_names_may_be_transliterated(cited, known, same):
    found = compare_authors(names.split_names(cited)[0], names.split_names(known)[0])
    assert (found.outcome is Outcome.VARIANT) is same


def test_a_team_that_a_record_has_as_a_person_is_no_other_author():
    team, people = (names.parse("Gemini Team, Google"),), "Gemini Team and Rohan Anil"
    assert compare_authors(names.split_names("Gemini Team")[0], team).outcome is Outcome.VARIANT
    assert compare_authors(names.split_names(people)[0], team).reason != "authors_other"


TEAMS = [Name("Workshop", "BigScience"), Name("BigScience"), Name("OpenAI", collective=True)]


@pytest.mark.parametrize("team", TEAMS)
def test_a_record_that_names_only_a_team_says_nothing_about_its_people(team):
    found = compare_authors(names.split_names("Jane Roe and Wei Li and Hanna Berg")[0], (team,))
    assert (found.outcome, found.reason) == (Outcome.UNKNOWN, "collective")


def test_one_word_is_a_person_next_to_one_name():
    assert compare_authors((Name("Tina"),), (Name("Tino"),)).outcome is Outcome.DIFFERS


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


LETTERS = "abcdefghijklmnopqrst"
CROWD = [Name(f"Fam{a}{b}", f"{c}o") for c in "Kmr" for a in LETTERS for b in LETTERS]
FAMILY = [Name("Wang", f"{a}{b}{c}") for a in LETTERS[:4] for b in LETTERS for c in LETTERS]
LONG = [
    ("the same", CROWD, CROWD, "same"),
    ("one missing", CROWD[:600] + CROWD[601:], CROWD, "authors_missing"),
    ("initials, one missing", [Name(n.family, n.given[0]) for n in CROWD[1:]], CROWD, "authors_missing"),
    ("two swapped", [CROWD[30], *CROWD[1:30], CROWD[0], *CROWD[31:]], CROWD, "order_swapped"),
    ("all reversed", CROWD[::-1], CROWD, "order_swapped"),
    ("shifted by one", CROWD[:-1], CROWD[1:], "author_added"),
    ("one family reversed", FAMILY[::-1], FAMILY, "order_swapped"),
    ("one family, one twice", [*FAMILY, FAMILY[7]], FAMILY, "author_repeated"),
    ("one family, others", [Name("Wang", n.given[::-1] + "x") for n in FAMILY], FAMILY, "given_name"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("claimed", "known", "reason"), [c[1:] for c in LONG], ids=[c[0] for c in LONG])
def test_long_lists_are_judged_like_short_ones(claimed, known, reason):
    assert compare_authors(claimed, known).reason == reason


@pytest.mark.parametrize("row", ROWS, ids=lambda r: r["claimed"][:40])
def test_two_names_agree_the_same_either_way_round(row):
    mine, theirs = names.split_names(row["claimed"])[0], names.split_names(row["known"])[0]
    for a, b in zip(map(make_person, mine), map(make_person, theirs), strict=False):
        assert measure_likeness(a, b) == measure_likeness(b, a)

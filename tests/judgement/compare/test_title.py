import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.judgement.compare.title import compare_title
from citeproof.vocabulary import Outcome

CASES = Path(__file__).parents[2] / "cases" / "title.csv"
ROWS = list(csv.DictReader(CASES.read_text("utf-8").splitlines(), delimiter=";"))


@pytest.mark.parametrize("row", ROWS, ids=lambda r: r["claimed"][:40])
def test_the_table_of_titles(row):
    found = compare_title(row["claimed"], (row["known"],))
    assert (found.outcome.value, found.reason) == (row["outcome"], row["reason"])


def test_the_best_of_all_known_titles_counts():
    found = compare_title("Deep Sets of Points", ("Learning from Point Sets", "Deep Sets of Points"))
    assert found.outcome is Outcome.SAME


def test_no_title_cited_is_absent_and_no_title_known_is_unknown():
    assert compare_title(None, ("A",)).outcome is Outcome.ABSENT
    assert compare_title("A", ()).outcome is Outcome.UNKNOWN


WORDS = st.lists(
    st.sampled_from(["graph", "neural", "kernel", "spectral", "protein", "quantum", "lattice", "optical"]),
    min_size=4, max_size=8, unique=True,
)  # fmt: skip


@given(WORDS, st.integers(0, 8), st.sampled_from(["harmonic", "ocean", "treaty", "molecule"]))
def test_one_changed_content_word_always_differs(words, at, other):
    changed = list(words)
    changed[at % len(words)] = other
    assert compare_title(" ".join(changed), (" ".join(words),)).outcome is Outcome.DIFFERS


@given(WORDS)
def test_case_and_braces_never_differ(words):
    title = " ".join(words)
    for form in (title.upper(), title.title(), "{" + title + "}", title.replace(" ", "\n"), title + "."):
        assert compare_title(form, (title,)).outcome in (Outcome.SAME, Outcome.VARIANT)


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_compares_without_error_and_within_bounds(a, b):
    assert 0.0 <= compare_title(a, (b,)).similarity <= 1.0


UNREADABLE = [
    (
        "Sparse autoencoders \ufffdnd highly interpretable features",
        "Sparse Autoencoders Find Highly Interpretable Features",
        True,
    ),
    ("A classi\ufffder for \ue001gures", "A classifier for figures", True),
    (
        "Sparse autoencoders \ufffdnd highly interpretable features",
        "Sparse autoencoders find highly robust features",
        False,
    ),
    ("\ufffd\ufffd\ufffd a", "Attention", False),
    ("a\ufffd" * 30, "a" * 60, False),
]


@pytest.mark.parametrize(("claimed", "known", "same"), UNREADABLE)
def test_letters_that_could_not_be_read_are_no_difference(claimed, known, same):
    assert (compare_title(claimed, (known,)).outcome is Outcome.VARIANT) is same

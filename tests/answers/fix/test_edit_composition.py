"""Two rounds of edits as one."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.answers.fix.text_edits import TextEdit, apply_edits, compose_edits

CASES = [
    ([], [], []),
    ([(1, 2, "xy")], [], [(1, 2, "xy")]),
    ([], [(1, 2, "xy")], [(1, 2, "xy")]),
    ([(1, 2, "xy")], [(5, 6, "z")], [(1, 2, "xy"), (4, 5, "z")]),
    ([(4, 5, "")], [(0, 1, "zz")], [(0, 1, "zz"), (4, 5, "")]),
    ([(2, 3, "xyz")], [(3, 4, "_")], [(2, 3, "x_z")]),
    ([(2, 3, "xyz")], [(1, 6, "")], [(1, 4, "")]),
    ([(2, 2, "xy")], [(4, 4, "z")], [(2, 2, "xyz")]),
]


def edits(rows):
    return [TextEdit(*row) for row in rows]


@pytest.mark.parametrize(("first", "second", "wanted"), CASES)
def test_composed(first, second, wanted):
    assert compose_edits("abcdefgh", edits(first), edits(second)) == tuple(edits(wanted))


@st.composite
def rounds(draw, size):
    places = sorted(draw(st.lists(st.integers(0, size), max_size=8, unique=True)))
    return [
        TextEdit(low, high, draw(st.text("xyz", max_size=4)))
        for low, high in zip(places[::2], places[1::2], strict=False)
    ]


@given(st.data(), st.text("abcdefgh", max_size=30))
def test_both_ways_lead_to_the_same_text(data, text):
    first = data.draw(rounds(len(text)))
    between = apply_edits(text, first)
    second = data.draw(rounds(len(between)))
    made = compose_edits(text, first, second)
    assert apply_edits(text, made) == apply_edits(between, second)
    assert all(a.end <= b.start for a, b in pairwise(made))

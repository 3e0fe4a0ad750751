"""Spans that meet: every one of them is found, and no other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.answers.fix.text_edits import TextEdit, find_overlaps, has_clash


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        ([(0, 3), (3, 5), (5, 5), (5, 5)], set()),
        ([(0, 3), (0, 3)], {(0, 3)}),
        ([(4, 6), (0, 5), (6, 7)], {(0, 5), (4, 6)}),
        ([(0, 9), (1, 2), (4, 4), (9, 9)], {(0, 9), (1, 2), (4, 4)}),
    ],
    ids=["side by side", "twice", "crossing", "inside"],
)
def test_meeting(spans, expected):
    assert find_overlaps(spans) == expected


SPANS = st.lists(
    st.tuples(st.integers(0, 20), st.integers(0, 6)).map(lambda at: (at[0], sum(at))), max_size=9
)


@given(SPANS)
def test_what_meets_is_what_clashes(spans):
    edits = [TextEdit(*span, "") for span in spans]
    pairs = [(a, b) for n, a in enumerate(edits) for b in edits[:n] if has_clash([a], [b])]
    assert find_overlaps(spans) == {one.span for pair in pairs for one in pair}

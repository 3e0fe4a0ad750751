"""What the tagger keeps in memory is small, whatever the strings are: a server reads strangers' for weeks."""

from __future__ import annotations

import pytest

from citeproof.reading.parse import token_context
from citeproof.reading.parse.token_context import (
    _FAR,
    LONG,
    _list_far_keys,
    _make_mark_keys,
    build_context,
    split_tokens,
)


def _list_plainly(count):
    """Return the keys by the rule, one by one."""
    far = [min(one, _FAR) for one in range(count - 1, -1, -1)]
    return [(0, "", "^" if not at else ".", ",", one) for at, one in enumerate(far)]


@pytest.mark.parametrize("count", [0, 1, 2, 5, 6, 7, 8, 40, 1500])
def test_keys_between_far_marks_are_those_of_the_rule(count):
    assert _list_far_keys(0, "", "^", ".", ",", count) == _list_plainly(count)


def test_long_gaps_and_segments_are_not_kept():
    _make_mark_keys.cache_clear()
    token_context._find_segment_key.cache_clear()
    for size in range(200, 1200, 10):
        build_context(split_tokens("word " * size + "."), [], 0)
    assert _make_mark_keys.cache_info().currsize < 10
    assert token_context._find_segment_key.cache_info().currsize < 10


def test_places_are_kept_once():
    one, other = token_context.list_place_keys(700), token_context.list_place_keys(701)
    assert len({id(key) for key in [*one, *other]}) == len(set(one) | set(other)) <= 500


def test_of_a_long_word_only_its_ends_are_looked_at():
    text = "Ice, " + "A" * 3000 + "z. " + "B" * 40
    tokens = split_tokens(text)
    assert max(map(len, tokens.keys)) <= LONG
    assert [text[at : tokens.end(n)] for n, at in enumerate(tokens.starts)] == tokens.words
    assert tokens.keys[2].startswith(" AAA")
    assert tokens.keys[2].endswith("Az")

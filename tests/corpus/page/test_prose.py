"""Running text: what is masked, and that every place stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.text.markdown_reader import map_byte_offsets
from tests.corpus.page.cases import page


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a `b` c", "a     c"),
        ("# a\n\nb", "  a\n\nb"),
        ("- a\n- b", "  a\n  b"),
        ("> a\n> b", "  a\n  b"),
        ("a <b>c</b> <!-- d --> e", "a    c                e"),
        ("[a](b 'c') d", " a         d"),
        ("[a][b] c\n\n[b]: d", " a     c\n\n      "),
        ("![a](b) c", "        c"),
        ("a <http://b.c> d", "a              d"),
        ("a http://b.c d", "a            d"),
        ("a $b$ c", "a     c"),
        ("a[^1]\n\n[^1]: b", "a    \n\n      b"),
        ("**a** *b* ~~c~~ _d_", "  a    b    c    d "),
        ("src/__init__.py", "src/__init__.py"),
        ("|a|b|\n|-|-|\n|c|d|", " a b \n     \n c d "),
        ("---\na: b\n---\nc", "   \n    \n   \nc"),
        ("+++\na = 1\n+++\nc", "   \n     \n   \nc"),
        ("---\na: b\n...\nc", "   \n    \n   \nc"),
        ("\ufeff---\na: b\n---\nc", "    \n    \n   \nc"),
        ("\ufeffa", " a"),
        ("a\r\nb `c\r\nd`\r\n", "a\r\nb   \r\n  \r\n"),
        ("a\n\n---\nb\n---\n", "a\n\n   \nb\n   \n"),
        ("```\na\n```\nb", "   \n \n   \nb"),
        ("\ta\n", "  \n"),
        ("größer `x` 源\U0001f600 `y` z", "größer     源\U0001f600     z"),
        ("a\x00b", "a\x00b"),
    ],
)
def test_masked(text, expected):
    assert page(text).masked == expected


def test_lone_surrogates_are_replaced_in_their_place():
    made = page("a \udc80 REF-001")
    assert made.text == made.masked == "a \ufffd REF-001"


@pytest.mark.parametrize(
    ("text", "start", "end", "expected"),
    [
        ("abc", 0, 3, (1, 1, 1, 4)),
        ("a\nbcd\ne", 3, 5, (2, 2, 2, 4)),
        ("a\r\nbcd", 3, 4, (2, 1, 2, 2)),
        ("a\rb", 2, 3, (2, 1, 2, 2)),
        ("ab\ncd", 1, 4, (1, 2, 2, 2)),
        ("ab\ncd", 0, 3, (1, 1, 1, 4)),
        ("ü\U0001f600x", 2, 3, (1, 3, 1, 4)),
        ("", 0, 0, (1, 1, 1, 1)),
        ("a", 1, 1, (1, 2, 1, 2)),
    ],
)
def test_places(text, start, end, expected):
    assert page(text).locate_span(start, end) == expected


@given(st.text(alphabet="aä源\U0001f600\n", max_size=40))
def test_bytes_to_characters(text):
    char = map_byte_offsets(text)
    assert [char(len(text[:at].encode())) for at in range(len(text) + 1)] == list(range(len(text) + 1))

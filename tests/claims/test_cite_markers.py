"""`[[cite:KEY]]` in text that comes in chunks: every spelling is read, and no part of one is text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.claims.cite_markers import LONGEST_KEYS, CiteMarker, MarkerReader, remove_markers

CASES = [
    ("a [[cite:x1]] b", ["a ", "<x1>", " b"]),
    ("[[cite:a]][[cite:b]]", ["<a>", "<b>"]),
    ("[[ Cite : A b ]].", ["<A b>", "."]),
    (r"escaped \[\[cite:abc\]\].", ["escaped ", "<abc>", "."]),
    ("one bracket [cite:k] x", ["one bracket ", "<k>", " x"]),
    ("[see [[cite:a]]] (b)", ["[see ", "<a>", "] (b)"]),
    ("entities &#91;&#x5B;cite&colon;q&#93;&rsqb; z", ["entities ", "<q>", " z"]),
    ("invisible [[ci\u200bte:k\u200b]]", ["invisible ", "<k>"]),
    ("look-alikes [[\u0441it\u0435:a]] ［［cite：b］］", ["look-alikes ", "<a>", " ", "<b>"]),
    ("control \x1b[[ci\x00te:k]]", ["control ", "<k>"]),
    ("nested [[cite:[[cite:a]]]]", ["nested ", "<>", "<a>", "]]"]),
    ("not closed [[cite:abc", ["not closed ", "<>"]),
    ("broken [[cite:a b\nc]]", ["broken ", "<>", " b\nc]]"]),
    ("plain a[b[1]] and [[wiki]] and [citep] & so\\on", ["plain a[b[1]] and [[wiki]] and [citep] & so\\on"]),
]


PIECES = ("[", "]", "[[cite:", "c", "ite:", "a", " ", "\n", "&#91;", "\\", "\u200b", "&", "%5b")


def _read(text, size):
    reader = MarkerReader()
    parts = [one for at in range(0, len(text), size) for one in reader.feed(text[at : at + size])]
    joined: list[str] = []
    for one in [*parts, *reader.finish()]:
        if isinstance(one, CiteMarker):
            joined += [f"<{one.content}>", ""]
        else:
            joined = [*joined[:-1], joined[-1] + one] if joined else [one]
    return [one for one in joined if one]


@pytest.mark.parametrize("size", [1, 3, 10_000])
@pytest.mark.parametrize(("text", "expected"), CASES, ids=[case[0][:20] for case in CASES])
def test_markers_are_read_however_they_are_spelt_and_cut(text, expected, size):
    assert _read(text, size) == expected


def test_a_huge_key_names_nothing():
    found = _read(f"[[cite:{'a' * (LONGEST_KEYS + 1)}]]", 50)
    assert found[0] == "<>"
    assert "cite" not in "".join(found)


def test_several_keys_and_a_doi_with_a_semicolon():
    assert CiteMarker("a; b, c|d").split_keys() == ["a", "b", "c", "d"]
    assert CiteMarker("10.1002/(SICI)1097,CO").split_keys() == ["10.1002/(SICI)1097,CO"]


@given(
    st.lists(
        st.sampled_from(
            ["[", "]", "[[cite:", "c", "ite:", "a", " ", "\n", "&#91;", "\\", "\u200b", "&", "%5b"]
        )
    )
)
def test_chunks_change_nothing(pieces):
    text = "".join(pieces)
    whole = _read(text, 10_000)
    assert _read(text, 1) == _read(text, 4) == whole


def test_text_of_records_holds_no_marker():
    assert remove_markers("On [[cite:x]] and [[ci[[cite:te:y") == "On cite x]] and [[cicite te:y"

"""Titles are mended word by word: what agrees keeps its letters, braces and line breaks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.answers.fix.text_edits import apply_edits
from citeproof.answers.fix.title_rewording import is_same_title, reword_title, split_words, swap_words


def _mended(old, new):
    edits = reword_title(old, [(0, len(old))], new, lambda told, _: told)
    return None if edits is None else apply_edits(old, edits)


CASES = (
    ("one word", "Deep Earning", "Deep learning", "Deep learning"),
    ("nothing", "{D}eep  learning.", "Deep Learning", "{D}eep  learning."),
    ("a word more", "Deep learning", "Very deep learning", "Very Deep learning"),
    ("a word more at the end", "Deep learning", "Deep learning now.", "Deep learning now"),
    ("a word less", "On very deep learning", "On deep learning", "On deep learning"),
    ("the first word less", "Very deep learning", "Deep learning", "deep learning"),
    ("line breaks", "Deep\n   learning of\n   nots",
     "Deep learning of nets", "Deep\n   learning of\n   nets"),
    ("marks stay", "Deep (learnt): a view", "Deep learning: a view", "Deep (learning): a view"),
    ("braces around words", "{Deep Learnt} of nets", "Deep Learning of nets", "{Deep Learning} of nets"),
    ("brace inside the word", "The {D}eap {GAN}", "The deep GAN", "The deep {GAN}"),
    ("ampersand", "Nets \\& Graphs of X", "Nets and Graphs of Y", "Nets \\& Graphs of Y"),
    ("ties", "Part~A of Tome", "Part A of Time", "Part~A of Time"),
    ("accents", 'Die {\\"O}fen der Stra{\\ss }e hier',
     "Die Öfen der Straße dort", 'Die {\\"O}fen der Stra{\\ss }e dort'),
    ("lower case kept", "deep nets for fast arrival",
     "Deep Nets for Fast Retrieval", "deep nets for fast retrieval"),
    ("title case kept", "Deep Nets for Fast Arrival",
     "Deep nets for fast retrieval", "Deep Nets for Fast Retrieval"),
    ("braces cut through", "{a b} {c d}", "a x y d", None),
    ("no words", "...", "Deep learning", None),
)  # fmt: skip


@pytest.mark.parametrize(("old", "new", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_reworded(old, new, expected):
    assert _mended(old, new) == expected


def test_two_spans_stay_apart():
    text = "title={Deep nots}, subtitle={a new view}"
    spans = [(7, 16), (29, 39)]
    edits = reword_title(text, spans, "Deep nets: an old view", lambda told, _: told)
    assert apply_edits(text, edits) == "title={Deep nets}, subtitle={an old view}"
    assert reword_title(text, spans, "Deep view", lambda told, _: told) is None


def test_glued_words():
    text = "{\\LaTeX}\\emdash {A} Softwear System"
    edits = swap_words(
        text, (0, len(text)), "LaTeXA Softwear System", "LaTeXA Document System", lambda t, _: t
    )
    assert apply_edits(text, edits) == "{\\LaTeX}\\emdash {A} Document System"


WORDS = st.lists(st.text("abcXYZ", min_size=1, max_size=4), min_size=1, max_size=9)


@given(WORDS, WORDS, st.sampled_from([" ", "  ", "\n\t"]))
def test_any_title_becomes_any_other(old, new, gap):
    text = gap.join(old)
    mended = _mended(text, " ".join(new))
    assert is_same_title(mended, " ".join(new))
    assert _mended(mended, " ".join(new)) == mended  # once is enough


@given(WORDS)
def test_words_cover_what_they_say(old):
    text = " ".join(f"{{{word}}}" for word in old)
    assert [text[word.start : word.end] for word in split_words(text, 0, len(text))] == [
        f"{{{w}}}" for w in old
    ]

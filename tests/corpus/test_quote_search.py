"""Quoted words and sources: found whatever the typesetting, not found when one word differs."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.corpus.quote_search import QuotePlace, find_nearest_passage, find_quote, prepare_text

SOURCE = (
    """The results — the best so far — show that **deep** [networks](http://x.y) gener-
alise to well-
known
tasks in 10–15 cases. It’s “fine”, and e\ufb03cient [3].""",
    "> Next page begins here\n> and _ends_ with\u00a0the 1,024 units we could not re-\nproduce.\nAn end",
    "Third page: smart art is long; life is short. <em>Vita</em> brevis\\*.",
)

FOUND = [
    ("the best so far", 1, True),
    ("“the best so far,”", 1, True),
    ("show that deep networks generalise to well-known tasks", 1, True),
    ("well known tasks in 10-15 cases.", 1, True),
    ("It's 'fine', and efficient", 1, True),
    ('It‘s "fine", and efficient', 1, True),
    ("it's “fine”", 1, False),  # the case of the first letter
    ("Show that deep", 1, False),
    ("The results – the best so far", 1, True),
    ("next page begins here and ends with the 1,024 units", 2, False),
    ("we could not reproduce", 2, True),
    ("the results … tasks", 1, False),
    ("The results [...] tasks in (…) cases", 1, False),
    ("… show that deep networks …", 1, True),
    ("[T]he best so far", 1, False),
    ("It's “fine” [they say] and efficient", 1, False),
    ("Next page [sic] begins here", 2, False),
    ("and efficient [3]. Next page begins", 1, False),
    ("could not reproduce. An end Third page: smart", 2, True),
    ("tasks in ... Next page begins ... life is short", 1, False),
    ("Vita brevis*", 3, True),
    ("  the   best\nso far ", 1, True),
]  # fmt: skip


@pytest.mark.parametrize(("quote", "page", "exact"), FOUND)
def test_words_that_the_source_has(quote, page, exact):
    found = find_quote(quote, SOURCE)
    assert found is not None
    assert (found.page, found.exact) == (page, exact)
    assert found == find_quote(quote, prepare_text(SOURCE))


ABSENT = [
    ("the best so near", "the best so far"),
    ("deep networks generalise to tasks", "deep networks generalise to"),
    ("tasks in 1015 cases", "tasks in 10-15 cases"),
    ("tasks in 10-16 cases", "tasks in 10-15 cases"),
    ("the worst so far", "the best so far"),
    ("tasks … results", ""),  # in the wrong order
    ("the best so far [x] next page begins", ""),  # more than a few words between them
    ("art is long; life is brief", "art is long; life is short"),
    ("mart art is long", "smart art is long"),
    ("smart art is lon", "smart art is long"),
    ("SHOW THAT DEEP", ""),
    ("nothing of the kind was ever said", ""),
    ("", ""),
    ("…", ""),
    ("[x]", ""),
    ('"', ""),
]


@pytest.mark.parametrize(("quote", "near"), ABSENT)
def test_words_that_it_does_not_have(quote, near):
    assert find_quote(quote, SOURCE) is None
    shown = find_nearest_passage(quote, SOURCE)
    assert near in shown
    assert bool(near) == bool(shown) or quote.isupper() or "tasks" in quote


def test_a_source_without_pages_has_no_page():
    assert find_quote("one two", ["zero one two"]) == QuotePlace(5, None, True)


@pytest.mark.parametrize("pages", [[], [""], ["\n"], ["\x00"]])
def test_a_source_without_words(pages):
    assert find_quote("one two", pages) is None
    assert find_nearest_passage("one two", pages) == ""


def test_scripts_without_blanks():
    source = ["本文讨论语言问\n题。前人已有研究。"]
    assert find_quote("讨论语言问题", source) is not None
    assert find_quote("讨论语音问题", source) is None


def test_an_ellipsis_does_not_leave_out_a_book():
    source = ["one " + "word " * 5000 + "two"]
    assert find_quote("one … two", source) is None
    assert find_quote("word … two", source) is not None


def test_what_is_shown_is_one_short_line():
    source = ["\x1b[2J evil " + "the quick brown fox jumps over the lazy dog " * 40 + "\u202e"]
    shown = find_nearest_passage("the quick brown fox jumps over the crazy dog " * 20, source)
    assert 0 < len(shown) <= 200
    assert shown.isprintable()


words = st.lists(
    st.sampled_from(["alpha", "beta", "12", "15", "it's", "non-linear", "naïve", "文字"]), min_size=2
)


@given(words, words, words, st.sampled_from(["\n", " ", "\n> ", "  \n", "\u00a0"]), st.data())
def test_every_stretch_of_a_source_is_found(before, quoted, after, blank, data):
    source = blank.join([*before, *quoted, *after])
    cut = data.draw(st.integers(0, len(source)))
    assert find_quote(" ".join(quoted), [source]) is not None
    assert find_quote(" ".join(quoted), [source[:cut], source[cut:]]) is not None or not _between(source, cut)
    changed = [*quoted[:-1], "omega"]
    assert find_quote(" ".join(changed), [source]) is None


def _between(source: str, cut: int) -> bool:
    """Return whether a place is between two words: a page does not end within one, but for a hyphen."""
    return cut in (0, len(source)) or not re.match(r"\S\S", source[cut - 1 : cut + 1])


@given(st.text(max_size=60), st.lists(st.text(max_size=80), max_size=3))
def test_any_text(quote, pages):
    found = find_quote(quote, pages)
    shown = find_nearest_passage(quote, pages)
    assert len(shown) <= 200
    assert found is None or 0 <= found.at < sum(map(len, pages)) * 20 + 3


@pytest.mark.parametrize(
    ("quote", "unit"),
    [
        ("a … " * 60 + "z", "a "),
        ("aa bb … " * 60 + "zz", "aa bb "),
        ("[x] a " * 60 + "z", "a "),
        ("a" * 4000 + "b", "a"),
    ],
)
def test_a_hostile_quotation_ends(quote, unit):
    """The places that are tried are counted, not the time: see `_STEPS`."""
    assert find_quote(quote, prepare_text([unit * (200_000 // len(unit))])) is None


def test_a_long_source_is_searched():
    chance = random.Random(5)
    known = ["".join(chance.choice("abcdefgh") for _ in range(chance.randint(3, 9))) for _ in range(3000)]
    text = [chance.choice(known) for _ in range(100_000)]
    source = prepare_text([" ".join(text)])
    quote = text[60_000:60_030]
    assert find_quote(" ".join(quote), source) is not None
    wrong = [*quote[:15], "zzzzzz", *quote[16:]]
    assert find_quote(" ".join(wrong), source) is None
    assert " ".join(quote[5:10]) in find_nearest_passage(" ".join(wrong), source)

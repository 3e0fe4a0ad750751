"""Sentences, and which citations bear on them."""

import pytest

from tests.corpus.page.cases import page

H = "a8f9c2d4e5f60718"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two.", ["One.", "Two."]),
        ("It is so. [src/a.py, L3] Next.", ["It is so. [src/a.py, L3]", "Next."]),
        (f"It is so. [src/a.py@{H}, L3] [src/b.py, L4]", [f"It is so. [src/a.py@{H}, L3] [src/b.py, L4]"]),
        ("It is so. [src/a.py, L3] shows it.", ["It is so.", "[src/a.py, L3] shows it."]),
        ("It is so.[^1] Next.\n\n[^1]: Note.", ["It is so.[^1]", "Next.", "Note."]),
        ("It is so. [^1] Next.\n\n[^1]: Note.", ["It is so. [^1]", "Next.", "Note."]),
        ("It is so. (Smith, 2020) Next.", ["It is so. (Smith, 2020)", "Next."]),
        ("It is so. (Smith, 2020). Next.", ["It is so. (Smith, 2020).", "Next."]),
        ("It is so. (REF-001)", ["It is so. (REF-001)"]),
        ("It is so. [3] Next.", ["It is so. [3]", "Next."]),
        ("It is so. [@smith2020] Next.", ["It is so. [@smith2020]", "Next."]),
        ("It is so. Smith et al. (2020) say so.", ["It is so.", "Smith et al. (2020) say so."]),
        ("It is so. REF-001 says so.", ["It is so.", "REF-001 says so."]),
        ("It is. `a` is. `b` is.", ["It is.", "`a` is.", "`b` is."]),
        ("**It is.** *So* it is.", ["**It is.**", "*So* it is."]),
        ("See [a](b). [C](d) too.", ["See [a](b).", "[C](d) too."]),
        ("[My. Docs/a.py, L3] is.", ["[My. Docs/a.py, L3] is."]),
        ("> One\n> two. Three\n> four.", ["One two.", "Three four."]),
        ("- One\n- Two\n", ["One", "Two"]),
        ("# One\nTwo\n", ["One", "Two"]),
        ("|a|b|\n|-|-|\n|C. D|e|\n", ["a", "b", "C. D", "e"]),
        ("", []),
        ("```\nOne. Two.\n```\n", []),
    ],
)
def test_sentences(text, expected):
    made = page(text)
    assert [made.words(index) for index in range(len(made.sentences))] == expected


def test_sentences_of_one_item_or_footnote_share_a_block():
    made = page("It. So.\n\nIt.\n\n- It.\n\n  So.\n- It.\n\nIt[^1].\n\n[^1]: It.\n\n    So.\n")
    blocks = [one.block for one in made.sentences]
    assert len(blocks) == 9
    assert blocks[0] == blocks[1]
    assert blocks[3] == blocks[4]
    assert blocks[7] == blocks[8]
    assert len(set(blocks)) == 6


def test_marks_bear_on_the_sentence_whose_footnote_holds_them():
    made = page("One REF-001.[^a] Two.[^A] Three.\n\n[^a]: See REF-002 and [src/a.py, L3].\n")
    assert [[m.target for m in made.marks_of(i)] for i in range(4)] == [
        ["REF-001", "REF-002", "src/a.py"],
        ["REF-002", "src/a.py"],
        [],
        ["REF-002", "src/a.py"],
    ]


def test_a_sentence_is_shown_bounded_and_sliced_in_its_place():
    made = page("> One\n> `two` [three](x.md). " + "Word " * 500)
    assert made.words(0) == "One `two` [three](x.md)."
    assert len(made.words(1)) == 300
    start, text = made.slice(0)
    assert start == 2
    assert text == "One\n         three       ."

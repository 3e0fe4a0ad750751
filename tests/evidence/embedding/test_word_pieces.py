"""Texts become the numbers that `tokenizers` 0.23.3 gives for all-MiniLM-L6-v2 (recorded from it)."""

from __future__ import annotations

import pytest

from citeproof.errors import InputError
from citeproof.plumbing import word_pieces
from citeproof.plumbing.word_pieces import split_into_pieces


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("", [101, 102]),
        ("Attention Is All You Need", [101, 3086, 2003, 2035, 2017, 2342, 102]),
        (
            "Erdős–Rényi: “Über” naïve graphs",
            [101, 9413, 12269, 1516, 14916, 10139, 1024, 1523, 19169, 1524, 15743, 19287, 102],
        ),
        ("a\u200bb\ufffd c\xa0d\te", [101, 11113, 1039, 1040, 1041, 102]),
        ("İstanbul ǅ ß ﬁ", [101, 9960, 100, 1096, 1984, 102]),
        ("日本語のテスト", [101, 1864, 1876, 1950, 1671, 30239, 30233, 30240, 102]),
        ("x" * 101, [101, 100, 102]),
        ("½ µm $x^2$ <b>", [101, 1092, 1085, 2213, 1002, 1060, 1034, 1016, 1002, 1026, 1038, 1028, 102]),
        ("😀", [101, 100, 102]),
        ("ΑΣ ΟΔΟΣ", [101, 1155, 29733, 1169, 29722, 29730, 29733, 102]),
    ],
)
def test_pieces_are_those_of_the_library(text, pieces):
    assert split_into_pieces(text) == pieces


def test_a_control_token_in_a_text_is_data():
    assert 102 not in split_into_pieces("Beyond [SEP] [CLS]")[1:-1]


def test_a_long_text_is_cut_where_the_model_ends():
    assert len(split_into_pieces("word " * 10_000)) == word_pieces.MOST_PIECES


def test_a_damaged_list_is_refused(monkeypatch):
    monkeypatch.setattr(word_pieces, "SHA256", "0" * 64)
    with pytest.raises(InputError, match="damaged"):
        word_pieces._load_pieces.__wrapped__()

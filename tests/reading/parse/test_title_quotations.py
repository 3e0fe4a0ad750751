"""Quotations inside and around titles: a mark stays with its partner, those around the title go."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeproof.reading.parse import parse
from citeproof.reading.parse.field_normalisers import normalise_title
from citeproof.vocabulary import Place, RawReference

TABLE = Path(__file__).with_name("quotations.csv").read_text("utf-8")
ROWS = [line.split("|") for line in TABLE.splitlines()[1:]]


@pytest.mark.parametrize(("text", "title"), ROWS)
def test_titles_with_quotations(text, title):
    assert parse(RawReference("k", text, Place())).claimed.title == title


@pytest.mark.parametrize(
    ("stretch", "title"),
    [
        ("“Deep learning.”", "Deep learning"),
        ('"Deep learning,"', "Deep learning"),
        ("Deep learning”", "Deep learning"),
        ('Deep learning"', "Deep learning"),
        ("„Deep learning“", "Deep learning"),
        ("„Deep learning”", "Deep learning"),
        ("«Deep learning»", "Deep learning"),
        ("A reply to “Deep learning”", "A reply to “Deep learning”"),
        ("A reply to „Deep learning“", "A reply to „Deep learning“"),
        ("A reply to „Deep learning”", "A reply to „Deep learning”"),
        ('A reply to "Deep learning"', 'A reply to "Deep learning"'),
        ("“Deep learning” and “shallow learning”", "“Deep learning” and “shallow learning”"),
        ('"Deep learning" and "shallow learning"', '"Deep learning" and "shallow learning"'),
    ],
)
def test_quotation_marks_of_a_title(stretch, title):
    assert normalise_title(stretch) == title

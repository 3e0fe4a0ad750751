"""Damaged quotations: the same for the same seed, and judged as their kind asks."""

import random
from pathlib import Path

import pytest
from bench.made_claims.quotation_damage import (
    EXPECTED,
    QuotableText,
    fold_words,
    make_quotation,
)

from citeproof.claims.quotes import index_source, locate_quotation

ROOT = Path(__file__).resolve().parents[2]
TEXTS = [
    QuotableText(name, (ROOT / "docs" / name).read_text("utf-8"))
    for name in ("checks.md", "corpus.md", "audit.md")
]
INDEXES = {text.name: index_source(text.text) for text in TEXTS}


def test_the_same_seed_makes_the_same_quotations():
    one, other = (
        [make_quotation(kind, TEXTS, random.Random(7)).quote for kind in EXPECTED] for _ in range(2)
    )
    assert one == other


@pytest.mark.parametrize("kind", EXPECTED)
def test_what_is_said_of_each_kind(kind):
    rng = random.Random(11)
    made = [make_quotation(kind, TEXTS, rng) for _ in range(25)]
    found = [(one, locate_quotation(one.quote, INDEXES[one.source.name])) for one in made]
    wrong = [(one.quote, match) for one, match in found if match.status != EXPECTED[kind]]
    assert len(wrong) <= 1, wrong
    if kind in {"number", "negation"}:
        assert not [one.quote for one, match in found if match.status == "verbatim"]
    if kind in {"ocr", "number", "negation", "swapped"}:
        assert all(one.quote not in one.source.text for one in made)
    if kind == "invented":
        assert all(fold_words(one.quote) not in one.source.folded for one in made)

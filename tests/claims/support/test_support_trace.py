"""What the text of a work says, in words."""

from __future__ import annotations

import pytest

from citeproof.claims.support import assess_support
from citeproof.claims.support_trace import list_support
from citeproof.vocabulary.source_texts import SourceText, TextExtent


@pytest.mark.parametrize(
    ("extent", "words"),
    [
        (TextExtent.ABSTRACT_ONLY, "not in the abstract; the rest of the work was not available"),
        (TextExtent.FULL_TEXT, "no passage is about the claim"),
    ],
)
def test_not_located_says_in_what(extent: TextExtent, words: str) -> None:
    text = SourceText(extent, "a", "Aspirin lowers fever in children.")
    support = assess_support("Whales sing louder in shipping lanes [3].", text)
    assert f"content: not_located: {words}" in list(list_support(support))

"""What --fix makes of a sentence, for the tests."""

from __future__ import annotations

from citeproof.corpus.grade.language import Wording


def mended(sentence: str, found: tuple[Wording, ...]) -> str:
    """Return the sentence with every replacement in its place."""
    for one in reversed(found):
        if one.instead:
            sentence = sentence[: one.start] + one.instead + sentence[one.end :]
    return sentence

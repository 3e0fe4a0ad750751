"""How like a query a stored title is: one number 0..1, from letters alone."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

TRUNCATED = 0.96  # the most a title may score that the query only begins
MIN_PREFIX = 12  # letters; a shorter beginning proves nothing


def score_title(query: str, title: str) -> float:
    """Return the similarity of two title keys; a query that is cut short still scores high.

    `query` and `title` are `text.title.make_title_key` forms: folded letters and digits only.
    """
    if query == title:
        return 1.0
    whole = Levenshtein.normalized_similarity(query, title)
    if len(query) < len(title) and len(query) >= MIN_PREFIX:
        begun = Levenshtein.normalized_similarity(query, title[: len(query)])
        return max(whole, TRUNCATED * begun * begun)
    return whole


def score_best_title(query: str, titles: Sequence[str]) -> float:
    """Return the score of the most similar of a record's title keys."""
    return max((score_title(query, title) for title in titles), default=0.0)


def score_contained(title: str, text: str) -> float:
    """Return how well the title key `title` is contained somewhere in the longer key `text`."""
    if title in text:
        return 1.0
    if len(title) > len(text):
        return Levenshtein.normalized_similarity(title, text)
    return fuzz.partial_ratio(title, text, score_cutoff=50) / 100

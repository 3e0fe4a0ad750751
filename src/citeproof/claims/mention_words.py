"""The word lists of author–year mentions, from `mention_words.toml`, and how much a word of a title tells."""

from __future__ import annotations

from functools import cache

from citeproof.text.package_tables import load_package_table
from citeproof.text.title import STOPWORDS


@cache
def load_words(table: str) -> frozenset[str]:
    """Return the words of one table, in small letters."""
    return frozenset(load_package_table("citeproof.claims", "mention_words.toml")[table].split())


_RARITY = {"most": 0.1, "many": 0.35, "some": 0.65}
_SHORTEST = 3  # letters of a word that says something


@cache
def load_rarities() -> dict[str, float]:
    """Return what a frequent word of titles tells, from `title_words.toml`; any other word tells 1.0."""
    tables = load_package_table("citeproof.claims", "title_words.toml")
    return {word: rarity for name, rarity in _RARITY.items() for word in tables[name].split()}


def weigh_word(word: str) -> float:
    """Return how much a folded word tells about what a work is of, 0..1."""
    if len(word) < _SHORTEST or word in STOPWORDS or word.isdigit():
        return 0.0
    return load_rarities().get(word, 1.0)

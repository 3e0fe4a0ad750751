"""Frequent given and family names: which part of a name a word is likely to be."""

from __future__ import annotations

from functools import lru_cache

from citeproof.text.package_tables import load_package_table
from citeproof.text.unicode import strip_marks


@lru_cache(maxsize=1)
def load_given_names() -> frozenset[str]:
    """Return the given names of `given_names.toml`, folded."""
    table = load_package_table("citeproof.text", "given_names.toml")
    return frozenset(word for words in table.values() for word in words.split())


def is_given_name(word: str) -> bool:
    """Return whether a word, or each part of one with hyphens, is a frequent given name."""
    parts = strip_marks(word).casefold().split("-")
    return all(part in load_given_names() for part in parts)


@lru_cache(maxsize=1)
def _load_asian_families() -> dict[str, frozenset[str]]:
    table = load_package_table("citeproof.text", "asian_families.toml")
    return {name: frozenset(words.split()) for name, words in table.items()}


def is_chinese_family(word: str) -> bool:
    """Return whether a word in Latin letters is a frequent Chinese family name."""
    tables, folded = _load_asian_families(), strip_marks(word).casefold()
    return folded in tables["pinyin"] or folded in tables["older"]


def is_asian_family(word: str) -> bool:
    """Return whether it is a frequent family name of China, Korea or Vietnam."""
    folded = strip_marks(word).casefold()
    return any(folded in families for families in _load_asian_families().values())

"""The word lists of page reading, from `words.toml`."""

from __future__ import annotations

from functools import cache

from citeproof.text.package_tables import load_package_table


@cache
def load_words(table: str) -> frozenset[str]:
    """Return the words of one table, in small letters."""
    return frozenset(_load_tables()[table].split())


@cache
def load_phrases(table: str) -> tuple[str, ...]:
    """Return the lines of one table, in small letters, in their order."""
    return tuple(line.strip() for line in _load_tables()[table].splitlines() if line.strip())


def _load_tables() -> dict[str, str]:
    return load_package_table("citeproof.corpus.page", "words.toml")

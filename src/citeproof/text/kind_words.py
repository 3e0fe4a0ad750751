"""What each format and each upstream calls the kinds of works: the tables of `kind_words.toml`."""

from __future__ import annotations

from functools import cache

from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import Kind


@cache
def load_kinds(table: str) -> dict[str, Kind]:
    """Return what a format or an upstream calls its records, with the kind of work each name means."""
    names = load_package_table("citeproof.text", "kind_words.toml")[table]
    return {name: Kind(word) for word, called in names.items() for name in called}

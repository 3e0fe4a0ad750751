"""What each format and each upstream calls the kinds of works: the tables of `kind_words.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

from citeproof.vocabulary import Kind


@cache
def load_kinds(table: str) -> dict[str, Kind]:
    """Return what a format or an upstream calls its records, with the kind of work each name means."""
    return {name: Kind(word) for word, called in _load_tables()[table].items() for name in called}


@cache
def _load_tables() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads(files("citeproof.text").joinpath("kind_words.toml").read_text("utf-8"))

"""Tables that are next to the code in TOML: words, names, rules."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from citeproof.vocabulary import Kind


@cache
def load_package_table(package: str, file: str) -> dict[str, Any]:
    """Return a TOML file of one of our packages, read once: callers must not change it."""
    return tomllib.loads(files(package).joinpath(file).read_text("utf-8"))


def read_pairs(packed: str) -> dict[str, str]:
    """Return what a text with pairs such as `colour=color`, parted by spaces, says of each word."""
    return dict(pair.split("=", 1) for pair in packed.split())


@cache
def load_kinds(table: str) -> dict[str, Kind]:
    """Return what a format or an upstream calls its records, with the kind of work each name means."""
    names = load_package_table("citeproof.text", "kind_words.toml")[table]
    return {name: Kind(word) for word, called in names.items() for name in called}

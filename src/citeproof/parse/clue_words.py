"""The clue words of `clues.toml`, loaded once."""

from __future__ import annotations

import tomllib
from importlib.resources import files

_TABLE: dict[str, list[str]] = tomllib.loads(
    files("citeproof.parse").joinpath("clues.toml").read_text("utf-8")
)

ABBREVIATION = frozenset(_TABLE["abbreviation"])

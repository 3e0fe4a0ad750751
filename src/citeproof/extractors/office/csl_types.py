"""What reference managers and word processors call the types of works, as the types of CSL."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files


@cache
def load_csl_types(program: str) -> dict[str, str]:
    """Return the CSL type of each of a program's own types: one table of `csl_types.toml`."""
    source = files("citeproof.extractors.office").joinpath("csl_types.toml").read_text("utf-8")
    return {name: csl for csl, called in tomllib.loads(source)[program].items() for name in called}

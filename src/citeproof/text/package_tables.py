"""Tables that are next to the code in TOML: words, names, rules."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def load_package_table(package: str, file: str) -> dict[str, Any]:
    """Return a TOML file of one of our packages, read once: callers must not change it."""
    return tomllib.loads(files(package).joinpath(file).read_text("utf-8"))

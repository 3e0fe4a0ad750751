"""Cases, statutes and acts, which have neither authors nor journals (`data/law.toml`)."""

from __future__ import annotations

import random
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from bench.styles.marks import mark

_OWN = re.compile("⟦(\\w+):([^⟦⟧]*)⟧")


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / "data" / "law.toml").read_text(encoding="utf-8"))


def legal(rng: random.Random) -> tuple[str, str]:
    """A style's name and a marked legal reference."""
    body = rng.choice(list(_table().values()))
    row = dict(zip(body["fields"], rng.choice(body["rows"]).split("|"), strict=True))
    digits = re.sub(r"\D", "", row.get("page", "")) or "12"
    text = rng.choice(body["patterns"]).format(**row, pin=int(digits) + rng.randint(1, 25))
    return body["style"], _OWN.sub(lambda m: mark(m[1], m[2]), text)

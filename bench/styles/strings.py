"""Plain citation strings in twelve named styles, with the gold fields beside each.

    from bench.styles.strings import citations, STYLES

`records` are lines of the shared records (`{"t": title, "a": authors, "p": [[year, venue]], "d": doi, …}`).
"""

from __future__ import annotations

import json
import random
import re
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from bench.styles import bank as banks
from bench.styles import forms, items
from bench.styles.marks import plain

_TABLE = tomllib.loads((banks.HERE / "named.toml").read_text(encoding="utf-8"))
STYLES = tuple(_TABLE)
_PROCEEDINGS = re.compile(
    r"(?i)proceedings|conference|workshop|symposium|advances in neural|meeting|findings of"
)


class Citation(str):
    """A citation string that carries its gold fields: title, authors, year, venue, doi."""

    __slots__ = ("gold",)
    gold: dict[str, Any]

    @classmethod
    def of(cls, text: str, gold: dict[str, Any]) -> Citation:
        """The string with its gold beside it."""
        made = cls(text)
        made.gold = gold
        return made


def citations(records: Iterable[dict[str, Any]], style: str, seed: int = 0) -> list[Citation]:
    """One string a record in that style; records without a printable name, year or venue are left out."""
    rng = random.Random(seed)
    out = []
    for row in records:
        found = banks.work(row)
        if found is not None and found.venue:
            out.append(_cited(found, style, rng))
    return out


def _cited(found: banks.Work, style: str, rng: random.Random) -> Citation:
    names = _TABLE[style]["names"]
    kind = "paper" if _PROCEEDINGS.search(found.venue) else "article"
    first = rng.randint(1, 900)
    item = items.Item(
        kind, "en", found.title, found.people, found.year, container=found.venue, short=found.venue,
        volume=str(rng.randint(1, 99)), issue=str(rng.randint(1, 12)),
        pages=(str(first), str(first + rng.randint(3, 25))), doi=found.doi,
    )  # fmt: skip
    form = forms.Form(
        style, frozenset({kind}), frozenset({"en"}), (names,), (names,), (_TABLE[style][kind],), dash="–"
    )  # fmt: skip
    marked = forms.printed(form, item, _no_bank(), rng)
    assert marked is not None
    gold = {
        "title": found.title, "authors": [f"{who.family}, {who.given}" for who in found.people],
        "year": found.year, "venue": found.venue, "doi": found.doi if found.doi in marked else "",
    }  # fmt: skip
    return Citation.of(plain(marked), gold)


@cache
def _no_bank() -> banks.Bank:
    return banks.Bank()


def sample(data: Path, count: int, seed: int = 0) -> list[dict[str, Any]]:
    """Records to print, drawn from the shared ones."""
    rng = random.Random(seed)
    rows = [line for line in banks.lines(data / "records" / "works.jsonl.zst") if rng.random() < 0.02]
    return [json.loads(line) for line in rng.sample(rows, min(count, len(rows)))]

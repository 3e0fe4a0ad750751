"""How much of the long tests is done: a share of each everywhere, all of it under `make soak`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import product
from typing import TypeVar

SHARE = float(os.environ.get("CITEPROOF_SOAK_SHARE", "0.05"))
FULL = SHARE == 1
Case = TypeVar("Case")
Row = TypeVar("Row")
Column = TypeVar("Column")


def scale_rounds(number: int) -> int:
    """Return `number` under `make soak`, else a fifth of it."""
    return number if FULL else -(-number // 5)


def choose_cases(cases: Iterable[Case], few: int = 5) -> list[Case]:
    """Return every case under `make soak`, else at most `few` of them, evenly spread."""
    every = list(dict.fromkeys(cases))
    return every if FULL else every[:: -(-len(every) // few)]


def choose_pairs(rows: Sequence[Row], columns: Sequence[Column], few: int = 3) -> list[tuple[Row, Column]]:
    """Return every pair under `make soak`, else `few` columns for each row, in turn."""
    if FULL:
        return list(product(rows, columns))
    return [
        (row, columns[(at * few + step) % len(columns)])
        for at, row in enumerate(rows)
        for step in range(min(few, len(columns)))
    ]

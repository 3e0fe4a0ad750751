"""In what sizes bombs are made, and what one is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

COUNTS = (2_000, 40_000)  # things repeated
DEPTHS = (1_000, 100_000)  # things inside each other
DOUBLINGS = (24, 400)
RECORDS = (1_000, 10_000)  # whole references: each is reported, which costs in proportion
LENGTHS = (100_000, 5_000_000)  # characters of one line or value

Files = dict[str, str]


@dataclass(frozen=True, slots=True)
class Bomb:
    """One kind of bomb: its files by size."""

    files: Callable[[int], Files]
    sizes: tuple[int, int]


def one_file(name: str, make: Callable[[int], str], sizes: tuple[int, int]) -> Bomb:
    """Return a bomb of a single file."""
    return Bomb(lambda size: {name: make(size)}, sizes)


def lines(line: str, count: int) -> str:
    """Return `count` times the line; `%d` in it is its number."""
    return "".join(line.replace("%d", str(number)) for number in range(count))

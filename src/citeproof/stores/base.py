"""What a store of the memory is: a laptop has a SQLite file, servers may share a database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """One work: `body` says what it is, `keys` what it is found by, `at` (RFC 3339) how old it is."""

    name: str
    body: bytes
    at: str
    keys: tuple[str, ...]
    vector: bytes = b""  # of its title, one signed byte a dimension; empty: not known
    cell: int = 0  # of the vector


@dataclass(frozen=True, slots=True)
class MemoryFigures:
    """What is in a memory."""

    entries: int
    vectors: int
    size: int  # bytes
    oldest: str = ""
    newest: str = ""


class MemoryStore(Protocol):
    """Works by key and by vector. A fault costs the memory, never the run: `trouble` says which."""

    @property
    def trouble(self) -> str: ...

    def find(self, key: str) -> list[MemoryEntry]:
        """Return the entries with this key."""
        ...

    def list_near(self, cells: Sequence[int]) -> list[tuple[int, bytes]]:
        """Return the number and the vector of each entry in these cells."""
        ...

    def get(self, numbers: Sequence[int]) -> list[MemoryEntry]:
        """Return the entries with these numbers."""
        ...

    def has(self, name: str, since: str) -> bool:
        """Return whether the entry `name` is there, no older than `since`."""
        ...

    def put(self, entries: Iterable[MemoryEntry], day: int) -> None:
        """Keep entries, in place of those with the same names; what is too much is evicted.

        `day` counts as their last use.
        """
        ...

    def touch(self, name: str, day: int) -> None:
        """Note that an entry was of use on this day."""
        ...

    def list_all(self) -> Iterator[MemoryEntry]:
        """Yield every entry, always in the same order."""
        ...

    def measure(self) -> MemoryFigures: ...

    def clear(self) -> None: ...

    def close(self) -> None: ...

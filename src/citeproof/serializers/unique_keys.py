"""Keys that no two entries of one file share."""

from __future__ import annotations


class UniqueKeys:
    """The keys given out so far."""

    def __init__(self) -> None:
        self._keys: set[str] = set()
        self._last: dict[str, int] = {}

    def make_unique(self, key: str) -> str:
        """Return `key`, or `key-2` and so on where that is taken, and take it."""
        number, free = self._last.get(key, 1), key
        while free in self._keys:
            number += 1
            free = f"{key}-{number}"
        self._last[key] = number
        self._keys.add(free)
        return free

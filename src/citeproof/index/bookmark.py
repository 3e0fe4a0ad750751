"""Where a reader is in its input, so that a build that was stopped can continue there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


class Bookmark:
    """How far a reader has come, and how far an earlier run had come.

    A reader calls `opens` before each piece that can be read without those before it (a file, a member of
    an archive) and passes what it finds there through `list_rest`. Pieces that were read whole are then not
    even unpacked, and of the current piece what was taken before is dropped, at best before it is decoded. A
    reader whose files hang together never calls `opens`: all of its input is one piece.
    """

    def __init__(self, pieces: int = 0, items: int = 0) -> None:
        self._pieces, self._items = pieces, items
        self.pieces = 0  # begun, the one available among them
        self.items = 0  # of the current piece, in any unit that the reader counts by

    def opens(self) -> bool:
        """Begin the next piece; return whether something of it is still to be read."""
        self.pieces += 1
        self.items = 0
        return self.pieces >= self._pieces

    def list_rest(self, items: Iterable[T]) -> Iterator[T]:
        """Yield those items of the current piece that were not taken before."""
        for item in items:
            self.items += 1
            if self.pieces > self._pieces or self.items > self._items:
                yield item

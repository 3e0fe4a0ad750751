"""Which part of the input a shard takes: whole files by turns, or stretches of a file by turns.

All shards of a build go over the same input in the same order. Each takes its turns and skips the others
before they are decoded, so that a record has the same place and the same id as in a build in one go.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from citeproof.index.readers.base import Bookmark

T = TypeVar("T")

STRETCH = 8192  # items of one file that a shard takes at a time
_MANY = 4  # times as many files as shards: then a shard takes whole files
_ARCHIVES = (".tar", ".tar.gz", ".tgz", ".tar.zst", ".zip", ".whl")


@dataclass(frozen=True, slots=True)
class ShardShare:
    """One of `count` shares, by its number from 0."""

    number: int
    count: int
    stretch: int = STRETCH

    def __str__(self) -> str:
        return f"{self.number + 1}/{self.count}"


def takes_whole_files(paths: Sequence[Path], share: ShardShare) -> bool:
    """Return whether there are so many files, or archives of files, that shards share them out whole."""
    return len(paths) >= _MANY * share.count or any(path.name.endswith(_ARCHIVES) for path in paths)


class ShareBookmark(Bookmark):
    """A bookmark that leaves out what belongs to other shards."""

    def __init__(self, pieces: int, items: int, share: ShardShare, *, whole: bool) -> None:
        super().__init__(pieces, items)
        self._share, self._whole = share, whole
        self.unit = (0, 0)  # the piece and the stretch of the item that was yielded last

    def opens(self) -> bool:
        """Begin the next piece; return whether some of it is to be read by this shard."""
        wanted = super().opens()
        return wanted and (not self._whole or self.pieces % self._share.count == self._share.number)

    def list_rest(self, items: Iterable[T]) -> Iterator[T]:
        """Yield the items of the current piece that are this shard's and were not taken before.

        Whose an item is, is worked out once for all to the end of its stretch. The items may begin another
        piece on their way.
        """
        piece, end, wanted = -1, 0, False
        for item in items:
            self.items = at = self.items + 1
            if at > end or piece != self.pieces:
                piece = self.pieces
                end, wanted = self._begin_stretch(at)
            if wanted:
                yield item

    def _begin_stretch(self, at: int) -> tuple[int, bool]:
        """Return up to which item all are treated like the one at `at`, and whether these are yielded."""
        share = self._share
        turn = (at - 1) // share.stretch
        end = (turn + 1) * share.stretch
        if self.pieces <= self._pieces and at <= self._items:
            return min(end, self._items), False
        self.unit = self.pieces, turn
        return end, bool(self._whole and self.pieces) or turn % share.count == share.number

"""The number of an entry -> what it says, read once more from its bundle or the journal's tail."""

from __future__ import annotations

from collections.abc import Sequence

from citeproof.audit.tiles import WIDTH
from citeproof.audit.verify.log_files import BAD, EntryHead, head
from citeproof.audit.verify.tree_damage import TreeDamage
from citeproof.audit.verify.tree_walk import TreeWalk


class EntryRecall:
    """The entries of one log, as far as they can be read and nothing speaks against them."""

    def __init__(self, walk: TreeWalk, tail: Sequence[bytes], doubted: TreeDamage) -> None:
        self._walk, self._tail, self._doubted = walk, tail, doubted

    def read_head(self, seq: int) -> EntryHead | None:
        """Return the head of one entry; None when it is not there, not readable or not proved."""
        late = seq - self._walk.size
        if late >= 0:
            return _decode_head(self._tail[late]) if late < len(self._tail) else None
        if self._doubted.covers(seq):
            return None
        return next((one for one in self.block(seq) if one.seq == seq), None)

    def block(self, seq: int) -> list[EntryHead]:
        """Return the heads of the bundle that `seq` is in."""
        entries = self._walk.entries(seq // WIDTH) if 0 <= seq < self._walk.size else None
        return [one for entry in entries or () if (one := _decode_head(entry))]


def _decode_head(entry: bytes) -> EntryHead | None:
    try:
        return head(entry)
    except BAD:
        return None

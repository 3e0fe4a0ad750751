"""The number of an entry -> what it says, read once more from its bundle or the journal's tail."""

from __future__ import annotations

from collections.abc import Sequence

from citeproof.audit.looking.doubting import Doubt
from citeproof.audit.looking.seeing import BAD, Head, head
from citeproof.audit.looking.walking import Walk
from citeproof.audit.tiles import WIDTH


class Recalling:
    """The entries of one log, as far as they can be read and nothing speaks against them."""

    def __init__(self, walk: Walk, tail: Sequence[bytes], doubted: Doubt) -> None:
        self._walk, self._tail, self._doubted = walk, tail, doubted

    def one(self, seq: int) -> Head | None:
        """Return the head of one entry; None when it is not there, not readable or not proved."""
        late = seq - self._walk.size
        if late >= 0:
            return _head(self._tail[late]) if late < len(self._tail) else None
        if self._doubted.covers(seq):
            return None
        return next((one for one in self.block(seq) if one.seq == seq), None)

    def block(self, seq: int) -> list[Head]:
        """Return the heads of the bundle that `seq` is in."""
        entries = self._walk.entries(seq // WIDTH) if 0 <= seq < self._walk.size else None
        return [one for entry in entries or () if (one := _head(entry))]


def _head(entry: bytes) -> Head | None:
    try:
        return head(entry)
    except BAD:
        return None

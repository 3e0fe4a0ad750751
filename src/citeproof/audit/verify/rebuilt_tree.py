"""The tree rebuilt from entries alone, block by block: 32 bytes of memory for 256 entries.

`RebuiltTree.hashes` are `merkle.Hashes`: roots of every size come out of it, whatever the tiles say. What
is below the level of blocks is asked for again (`leaves_of`), which reads one bundle.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Sequence

from citeproof.audit import merkle
from citeproof.audit.tiles import WIDTH

BLOCK = 8  # the binary level of a block: WIDTH == 2**BLOCK
KEPT = 8  # blocks whose leaves stay available

Leaves = Sequence[bytes]


def hash_entries(entries: Sequence[bytes]) -> list[bytes]:
    """Return the leaf hashes of entries."""
    sha256 = hashlib.sha256
    return [sha256(b"\x00" + entry).digest() for entry in entries]


class RebuiltTree:
    """A Merkle tree that grows by blocks; `size` counts its leaves."""

    def __init__(self, leaves_of: Callable[[int], Leaves]) -> None:
        self.size = 0
        self._rows: list[bytearray] = []  # binary levels from BLOCK up, complete subtrees only
        self._leaves_of = leaves_of
        self._near: OrderedDict[int, Leaves] = OrderedDict()

    def add(self, block: Leaves) -> None:
        """Take the leaves of the next block; only the last block may be narrower than WIDTH."""
        self._remember(self.size // WIDTH, block)
        self.size += len(block)
        if len(block) == WIDTH:
            self._raise(merkle.compute_root(block))

    def extend(self, more: Leaves) -> None:
        """Take leaves after those of the last block, which may be narrow."""
        at = 0
        while at < len(more):
            block, begun = divmod(self.size, WIDTH)
            before = self._near_leaves(block)[:begun] if begun else ()
            taken = [*before, *more[at : at + WIDTH - begun]]
            at += WIDTH - begun
            self.size -= begun
            self.add(taken)

    def hashes(self, level: int, index: int) -> bytes:
        """Return the hash of a complete subtree, as `merkle.Hashes`."""
        if level >= BLOCK:
            row = self._rows[level - BLOCK]
            return bytes(row[32 * index : 32 * index + 32])
        first = index << level
        block, start = divmod(first, WIDTH)
        return merkle.compute_root(self._near_leaves(block)[start : start + (1 << level)])

    def root(self, size: int) -> bytes:
        """Return the root of the first `size` leaves."""
        return merkle.compute_root_at(size, self.hashes)

    def row(self, level: int) -> bytearray:
        """Return all hashes of a binary level from BLOCK up, one after another."""
        at = level - BLOCK
        return self._rows[at] if at < len(self._rows) else bytearray()

    def _raise(self, found: bytes) -> None:
        """Put the hash of a whole block into its row, and close what it closes above."""
        level = 0
        while True:
            if level == len(self._rows):
                self._rows.append(bytearray())
            row = self._rows[level]
            row += found
            if len(row) % 64:
                return
            found = merkle.hash_node(bytes(row[-64:-32]), bytes(row[-32:]))
            level += 1

    def _near_leaves(self, block: int) -> Leaves:
        if block not in self._near:
            self._remember(block, self._leaves_of(block))
        return self._near[block]

    def _remember(self, block: int, found: Leaves) -> None:
        self._near[block] = found
        self._near.move_to_end(block)
        while len(self._near) > KEPT:
            self._near.popitem(last=False)

"""A folder's bundles and tiles, walked once: entries out, the tree rebuilt, files that disagree noted."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from citeproof.proof.audit import merkle, tiles
from citeproof.proof.audit.merkle import SIZE, hash_leaves
from citeproof.proof.audit.tiles import WIDTH
from citeproof.proof.audit.untrusted_files import UnreadableFileError, UntrustedFolder

BLOCK = 8  # the binary level of a block: WIDTH == 2**BLOCK
KEPT = 8  # blocks whose leaves stay available

Leaves = Sequence[bytes]


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
        return merkle.compute_root_at(size, self.hashes)

    def row(self, level: int) -> bytearray:
        """Return all hashes of a binary level from BLOCK up, one after another."""
        at = level - BLOCK
        return self._rows[at] if at < len(self._rows) else bytearray()

    def _raise(self, node: bytes) -> None:
        """Put the hash of a whole block into its row, and close what it closes above."""
        level = 0
        while True:
            if level == len(self._rows):
                self._rows.append(bytearray())
            row = self._rows[level]
            row += node
            if len(row) % 64:
                return
            node = merkle.hash_node(bytes(row[-64:-32]), bytes(row[-32:]))
            level += 1

    def _near_leaves(self, block: int) -> Leaves:
        if block not in self._near:
            self._remember(block, self._leaves_of(block))
        return self._near[block]

    def _remember(self, block: int, leaves: Leaves) -> None:
        self._near[block] = leaves
        self._near.move_to_end(block)
        while len(self._near) > KEPT:
            self._near.popitem(last=False)


LEVELS = 8
UNKNOWN = bytes(SIZE)  # represents a hash that neither an entry nor a tile can give


class TreeWalk:
    """The tree of the first `size` entries of a folder, and which of its files do not fit the entries."""

    def __init__(self, files: UntrustedFolder, size: int) -> None:
        self.files, self.size = files, size
        self.tree = RebuiltTree(self._leaves_of)
        self.unread: dict[int, str] = {}  # bundle -> why its entries cannot be read
        self.odd: list[tuple[int, int]] = []  # (level, number) of tiles that do not fit what is below them
        self._tail: Sequence[bytes] = ()

    def blocks(self) -> Iterator[tuple[int, list[bytes]]]:
        """Yield (first seq, entries) of each bundle, no entries for an unreadable one; the tree grows."""
        for number in range(-(-self.size // WIDTH)):
            width = self._width(0, number)
            entries = self.entries(number)
            tile = self.tile(0, number)
            if entries is None:
                self.tree.add(split_tile(tile) if tile else [UNKNOWN] * width)
                yield number * WIDTH, []
                continue
            made = hash_leaves(entries)
            if tile is None or b"".join(made) != tile:
                self.odd.append((0, number))
            self.tree.add(made)
            yield number * WIDTH, entries

    def look_up(self) -> None:
        """Compare the tiles above the leaves with the tree as it was rebuilt."""
        for level in range(1, LEVELS):
            row = self.tree.row(BLOCK * level)[: SIZE * (self.size >> (BLOCK * level))]
            for number, start in enumerate(range(0, len(row), SIZE * WIDTH)):
                if self.tile(level, number) != bytes(row[start : start + SIZE * WIDTH]):
                    self.odd.append((level, number))

    def add_leaves(self, tail: Sequence[bytes]) -> None:
        """Grow the tree by the leaves of entries that are not in signed tiles yet."""
        self._tail = tail
        self.tree.extend(tail)

    def entries(self, number: int) -> list[bytes] | None:
        """Return the entries of a bundle, or None and a word in `unread`."""
        width = self._width(0, number)
        data, why, wide = self._read(None, number, width, WIDTH * (tiles.LARGEST + 2))
        if data is not None:
            try:
                entries = tiles.unpack_bundle(data)
            except ValueError:
                entries = []
            if len(entries) == wide:
                return entries[:width]
            why = "it was cut off or changed"
        self.unread.setdefault(number, why)
        return None

    def tile(self, level: int, number: int) -> bytes | None:
        """Return the hashes that a tile has in the tree of `size`; None when it is missing or misshapen."""
        width = self._width(level, number)
        data, _, wide = self._read(level, number, width, WIDTH * SIZE)
        return data[: SIZE * width] if data is not None and len(data) == SIZE * wide else None

    def name_tile(self, level: int | None, number: int) -> str:
        return tiles.make_tile_path(level, number, self._width(level or 0, number))

    def read_raw_bundle(self, number: int) -> bytes:
        """Return the bytes of a bundle that could not be read whole, as far as they go."""
        return self._read(None, number, self._width(0, number), WIDTH * (tiles.LARGEST + 2))[0] or b""

    def _width(self, level: int, number: int) -> int:
        return min(WIDTH, (self.size >> (BLOCK * level)) - number * WIDTH)

    def _read(self, level: int | None, number: int, width: int, limit: int) -> tuple[bytes | None, str, int]:
        """Return a file's bytes, why there are none, and how wide the file says it is.

        A tile that has grown since (a crash, a writer at work) is in a wider file.
        """
        why = ""
        for wide in self._widths(level, number, width):
            try:
                return self.files.read(tiles.make_tile_path(level, number, wide), limit), "", wide
            except UnreadableFileError as error:
                if error.denied:
                    raise
                why = why or error.why
                if not error.absent:
                    break
        return None, why, width

    def _widths(self, level: int | None, number: int, width: int) -> Iterator[int]:
        yield width
        if width == WIDTH:
            return
        named = self.files.names(tiles.make_tile_path(level, number) + ".p")
        wider = (int(name) for name in named if name.isascii() and name.isdigit() and len(name) < 4)
        yield from sorted(wide for wide in wider if width < wide < WIDTH)
        yield WIDTH

    def _leaves_of(self, block: int) -> Leaves:
        """Return a block's leaves once more, from the same files and the tail."""
        first = block * WIDTH
        signed: list[bytes] = []
        if first < self.size:
            entries = self.entries(block)
            tile = self.tile(0, block) if entries is None else None
            signed = hash_leaves(entries) if entries is not None else split_tile(tile) if tile else []
            signed += [UNKNOWN] * (self._width(0, block) - len(signed))
        begin = max(0, first - self.size)
        return [*signed, *self._tail[begin : first + WIDTH - self.size]] if self._tail else signed


def split_tile(tile: bytes) -> list[bytes]:
    return [tile[at : at + SIZE] for at in range(0, len(tile), SIZE)]


def salvage_entries(data: bytes) -> list[bytes]:
    """Return the entries at the beginning of a damaged bundle, as far as their lengths lead."""
    entries, at = list[bytes](), 0
    with suppress(IndexError):
        while at + 2 <= len(data):
            end = at + 2 + (data[at] << 8) + data[at + 1]
            if end > len(data):
                break
            entries.append(data[at + 2 : end])
            at = end
    return entries

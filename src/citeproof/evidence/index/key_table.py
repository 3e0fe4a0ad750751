"""The key table: 64-bit keys to record ordinals, one probe one or two cache lines.

    keys.bin   buckets in order of their keys' top bits; a bucket is n remainders (u32), then n ordinals (u32)
    keys.dir   the first entry of each bucket (u32), and the number of entries as the last

A remainder is the 32 bits of the key below the bucket's bits: a false hit has odds of about one in
10^8 a probe, and what a key finds is compared anyway. `key_writer` makes the files, with numpy, which a
lookup need not load.

    links.bin   four arrays of n u32: linked ordinals ascending and the root of each;
                then roots ascending and the member of each

Records that share a title and first author, or an identifier, are one work (preprint, proceedings, journal);
its root is the lowest ordinal. Most records are alone and take no place in the links.
"""

from __future__ import annotations

import struct
from bisect import bisect_left, bisect_right
from pathlib import Path

from citeproof.evidence.index.growing_files import map_file
from citeproof.evidence.index.manifest import make_damage_error

CAP = 48  # records stored under one key: a key with more says nothing
FILES = ("keys.bin", "keys.dir")
LINKS = "links.bin"

_SPAN = struct.Struct("<II")


class KeyTable:
    """The keys of an open snapshot. Safe for many threads: it only reads mapped bytes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._data = map_file(folder / "keys.bin")
        self._directory = map_file(folder / "keys.dir")
        buckets = len(self._directory) // 4 - 1
        self._bits = buckets.bit_length() - 1
        self._shift = 64 - self._bits
        self._low = 32 - self._bits
        last = int.from_bytes(self._directory[4 * buckets : 4 * buckets + 4], "little")
        if len(self._directory) != 4 * ((1 << max(0, self._bits)) + 1) or self._low < 0:
            self.close()
            raise make_damage_error("is not a directory of keys: it is damaged", folder / "keys.dir")
        if len(self._data) != 8 * last:
            self.close()
            raise make_damage_error("has not as many keys as its directory says", folder / "keys.bin")

    def find(self, key: int) -> list[int]:
        """Return the ordinals filed under `key`, ascending."""
        start, end = _SPAN.unpack_from(self._directory, 4 * (key >> self._shift))
        bucket = self._data[8 * start : 8 * end]
        half = len(bucket) // 2
        wanted = (key >> self._low & 0xFFFF_FFFF).to_bytes(4, "little")
        ordinals: list[int] = []
        at = bucket.find(wanted, 0, half)
        while at >= 0:
            if at % 4 == 0:
                ordinals.append(int.from_bytes(bucket[half + at : half + at + 4], "little"))
            at = bucket.find(wanted, at + 1, half)
        return ordinals

    def close(self) -> None:
        for file in (self._data, self._directory):
            if not isinstance(file, bytes):
                file.close()


class WorkLinks:
    def __init__(self, folder: Path) -> None:
        numbers = memoryview(map_file(folder / LINKS)).cast("I")
        count = len(numbers) // 4
        self._members, self._roots, self._by_root, self._member_of = (
            numbers[at * count : (at + 1) * count] for at in range(4)
        )

    def root(self, ordinal: int) -> int | None:
        """Return the root of the work that `ordinal` belongs to; None for a record that is alone."""
        at = bisect_left(self._members, ordinal)
        return self._roots[at] if at < len(self._members) and self._members[at] == ordinal else None

    def members(self, root: int) -> list[int]:
        """Return the ordinals of the records of one work, ascending."""
        start, end = bisect_left(self._by_root, root), bisect_right(self._by_root, root)
        return self._member_of[start:end].tolist()

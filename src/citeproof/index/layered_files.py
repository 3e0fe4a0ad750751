"""The files of a snapshot in layers, read as one: ordinals count on from part to part.

    parts/0/       the base, a whole snapshot
    parts/1/ …     one layer each, a small snapshot of records that are new or replace others
    hidden.bin     ordinals (u32), ascending, of the records that were replaced or removed
    relinked.bin   n ordinals (u32), ascending, then the root of the work of each, or ALONE: what the layers
                   changed of the links of all parts

Facts (DOI prefixes, venues) of the whole are next to these. Files of the base never change, so that only
what is new travels.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

import numpy as np
import numpy.typing as npt

from citeproof.index.key_table import CAP, U32, U64, KeyTable
from citeproof.index.manifest import Manifest, make_damage_error
from citeproof.index.record_blocks import RECORDS, RecordBlocks
from citeproof.index.work_links import WorkLinks, find_present

HIDDEN, RELINKED = "hidden.bin", "relinked.bin"
ALONE = 0xFFFF_FFFF  # the root of a record that is linked to no other any more


def locate_parts(folder: Path, manifest: Manifest) -> list[Path]:
    """Return the folder of each part; of a snapshot without layers its own."""
    return [folder / part.path for part in manifest.parts] or [folder]


def list_starts(manifest: Manifest) -> list[int]:
    """Return the ordinal of the first record of each part."""
    return [0, *accumulate(part.records for part in manifest.parts)][: max(len(manifest.parts), 1)]


class HiddenRecords:
    """The records that readers do not see."""

    def __init__(self, ordinals: U32, count: int) -> None:
        self.ordinals = ordinals
        bits = np.zeros(count // 8 + 1 if len(ordinals) else 0, np.uint8)
        np.bitwise_or.at(bits, ordinals >> 3, np.uint8(1) << (ordinals & 7).astype(np.uint8))
        self._bits = bits.tobytes()
        self._before = ordinals - np.arange(len(ordinals), dtype=np.uint32)

    @classmethod
    def read(cls, folder: Path, manifest: Manifest) -> HiddenRecords:
        """Return those of an open snapshot; none if it has no layers."""
        count = sum(part.records for part in manifest.parts) or manifest.records
        if not manifest.parts:
            return cls(np.zeros(0, np.uint32), count)
        ordinals = np.fromfile(folder / HIDDEN, "<u4").astype(np.uint32)
        rising = bool(np.all(ordinals[1:] > ordinals[:-1]))
        if len(ordinals) != manifest.hidden or not rising or (len(ordinals) and int(ordinals[-1]) >= count):
            raise make_damage_error("does not fit the manifest: it is damaged", folder / HIDDEN)
        return cls(ordinals, count)

    def __contains__(self, ordinal: int) -> bool:
        return bool(self._bits) and bool(self._bits[ordinal >> 3] >> (ordinal & 7) & 1)

    def is_hidden(self, ordinal: int) -> bool:
        """Return whether a record was replaced or removed."""
        return ordinal in self

    def find_hidden(self, ordinals: U32) -> npt.NDArray[np.bool_]:
        """Return which of many records were replaced or removed."""
        if not self._bits:
            return np.zeros(len(ordinals), bool)
        bits = np.frombuffer(self._bits, np.uint8)
        return np.asarray(bits[ordinals >> 3] >> (ordinals & 7).astype(np.uint8) & 1, bool)

    def locate_shown(self, number: int) -> int:
        """Return the ordinal of the `number`-th record that is shown, from 0."""
        return number + int(self._before.searchsorted(np.uint32(number), side="right"))


class LayeredBlocks(RecordBlocks):
    """The records of all parts, by ordinal. A part without such files has empty ones."""

    def __init__(
        self, folders: Sequence[Path], starts: Sequence[int], counts: Sequence[int], stem: str = RECORDS
    ) -> None:
        self.count = sum(counts)
        self._starts = list(starts)
        self._root = folders[0]
        self._parts = [
            RecordBlocks(folder, count, stem) if (folder / f"{stem}.zst").is_file() else None
            for folder, count in zip(folders, counts, strict=True)
        ]

    def __getitem__(self, ordinal: int) -> bytes:
        if not 0 <= ordinal < self.count:
            raise make_damage_error(f"refers to record {ordinal} of {self.count}: it is damaged", self._root)
        at = bisect_right(self._starts, ordinal) - 1
        part = self._parts[at]
        return part[ordinal - self._starts[at]] if part else b""

    def close(self) -> None:
        for part in self._parts:
            if part is not None:
                part.close()


class LayeredKeys(KeyTable):
    """The keys of all parts; what is hidden is not found."""

    def __init__(self, folders: Sequence[Path], starts: Sequence[int], hidden: HiddenRecords) -> None:
        self._parts = [(KeyTable(folder), start) for folder, start in zip(folders, starts, strict=True)]
        self._hidden = hidden

    def find(self, key: int) -> list[int]:
        """Return the ordinals filed under `key` that are shown, ascending."""
        hidden = self._hidden
        found = [start + one for table, start in self._parts for one in table.find(key)]
        return [ordinal for ordinal in found if ordinal not in hidden][:CAP]

    def find_all(self, keys: U64) -> tuple[npt.NDArray[np.intp], U32]:
        """Return the ordinals filed under many keys that are shown, and the place of the key of each.

        They are in the order of the keys, then ascending; of a key with many there may be more than one
        table keeps.
        """
        parts = [(*table.find_all(keys), start) for table, start in self._parts]
        at = np.concatenate([of for of, _, _ in parts])
        found = np.concatenate([ordinals + np.uint32(start) for _, ordinals, start in parts])
        order = np.argsort(at, kind="stable")
        order = order[~self._hidden.find_hidden(found[order])]
        return at[order], found[order]

    def close(self) -> None:
        for table, _ in self._parts:
            table.close()


class LayeredLinks(WorkLinks):
    """The links of all parts, with what the layers changed."""

    def __init__(self, folder: Path, folders: Sequence[Path], starts: Sequence[int]) -> None:
        self._starts = list(starts)
        self._parts = [WorkLinks(part) for part in folders]
        try:
            data = np.fromfile(folder / RELINKED, "<u4").reshape(2, -1)
        except ValueError as error:
            raise make_damage_error(f"is damaged: {error}", folder / RELINKED) from error
        self.ordinals, self.new_roots = data[0].astype(np.uint32), data[1].astype(np.uint32)
        order = np.argsort(self.new_roots, kind="stable")
        self._by_root, self._member_of = self.new_roots[order], self.ordinals[order]

    def root(self, ordinal: int) -> int | None:
        """Return the root of the work that `ordinal` belongs to; None for a record that is alone."""
        at = int(self.ordinals.searchsorted(np.uint32(ordinal)))
        if at < len(self.ordinals) and self.ordinals[at] == ordinal:
            found = int(self.new_roots[at])
            return None if found == ALONE else found
        part = bisect_right(self._starts, ordinal) - 1
        root = self._parts[part].root(ordinal - self._starts[part])
        return None if root is None else root + self._starts[part]

    def find_linked(self, ordinals: U32) -> U32:
        """Return those of many records that belong, or belonged in their part, to a work with others."""
        found = [ordinals[find_present(self.ordinals, ordinals)]]
        for part, start in zip(self._parts, self._starts, strict=True):
            own = ordinals[ordinals >= start] - np.uint32(start)  # none behind the part is in its links
            found.append(part.find_linked(own) + np.uint32(start))
        return np.unique(np.concatenate(found))

    def members(self, root: int) -> list[int]:
        """Return the ordinals of the records of one work, ascending."""
        if found := super().members(root):
            return found
        part = bisect_right(self._starts, root) - 1
        return [one + self._starts[part] for one in self._parts[part].members(root - self._starts[part])]

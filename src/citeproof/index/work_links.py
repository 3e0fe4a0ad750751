"""Links between the records of one work: preprint, proceedings, journal.

    links.bin   four arrays of n u32: linked ordinals ascending and the root of each;
                then roots ascending and the member of each

Records that share a title and first author, or an identifier, are one work; its root is the lowest
ordinal. Most records are alone and take no place here.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np

from citeproof.index.growing_files import map_file
from citeproof.index.key_table import U32, PairSource, find_run_starts

FILE = "links.bin"
MAX_RUN = 12  # records under one shared key; more is a mistake of the data, not one work


class WorkUnion:
    """Sets that grow together; each is known by its lowest member."""

    def __init__(self) -> None:
        self.parent: dict[int, int] = {}

    def root(self, item: int) -> int:
        top = item
        while (above := self.parent.setdefault(top, top)) != top:
            top = above
        while (above := self.parent[item]) != top:
            self.parent[item], item = top, above
        return top

    def join(self, a: int, b: int) -> None:
        low, high = sorted((self.root(a), self.root(b)))
        self.parent[high] = low


def write_links(folder: Path, works: PairSource) -> int:
    """Write the links and return how many records they save: records less works."""
    union = WorkUnion()
    for keys, ordinals in works.sort_partitions():
        starts = np.append(find_run_starts(keys), len(keys))
        long = np.flatnonzero(np.diff(starts) > 1)
        for start, end in zip(starts[long].tolist(), starts[long + 1].tolist(), strict=True):
            _join_run(union, ordinals[start:end])
    members = np.array(sorted(union.parent), "<u4")
    roots = np.array([union.root(int(member)) for member in members], "<u4")
    order = np.argsort(roots, kind="stable")
    (folder / FILE).write_bytes(b"".join(a.tobytes() for a in (members, roots, roots[order], members[order])))
    return len(members) - len(np.unique(roots))


def _join_run(union: WorkUnion, run: U32) -> None:
    members: list[int] = np.unique(run).tolist()
    if len(members) <= MAX_RUN:
        for a, b in pairwise(members):
            union.join(a, b)


class WorkLinks:
    """The links of an open snapshot."""

    def __init__(self, folder: Path) -> None:
        self._data = map_file(folder / FILE)
        arrays = np.frombuffer(self._data, "<u4").reshape(4, -1)
        self._members, self._roots, self._by_root, self._member_of = arrays

    def root(self, ordinal: int) -> int | None:
        """Return the root of the work that `ordinal` belongs to; None for a record that is alone."""
        at = int(self._members.searchsorted(np.uint32(ordinal)))
        if at < len(self._members) and self._members[at] == ordinal:
            return int(self._roots[at])
        return None

    def members(self, root: int) -> list[int]:
        """Return the ordinals of the records of one work, ascending."""
        wanted = np.uint32(root)  # with a number of another type numpy would copy the whole array
        start = int(self._by_root.searchsorted(wanted))
        end = int(self._by_root.searchsorted(wanted, side="right"))
        return [int(ordinal) for ordinal in self._member_of[start:end]]

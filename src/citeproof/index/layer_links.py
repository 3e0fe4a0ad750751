"""Which works change their records when some are added and others hidden, and who is linked to whom then.

Only works that have a new or a hidden record, or share a key with one, are looked at. For these the links
come out as in a build in one go: the records that share a key are found through the key table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import msgspec
import numpy as np

from citeproof.index.index_entry import FamilyCache, IndexEntry, make_entry
from citeproof.index.key_table import U32, KeyTable
from citeproof.index.layered_files import ALONE, HiddenRecords
from citeproof.index.record_blocks import RecordBlocks
from citeproof.index.record_filing import list_linking_keys, list_work_keys
from citeproof.index.record_packing import unpack_record, unpack_stored
from citeproof.index.work_links import MAX_RUN, WorkLinks, WorkUnion

NO_NAME = msgspec.Raw(b"")


@dataclass(slots=True)
class RelinkedWorks:
    """What became of the works: records by ordinal with their new roots; how many records that saves."""

    ordinals: U32
    roots: U32
    saved: int  # records less works among those looked at, now less before


@dataclass(slots=True)
class LinkRevision:
    """The links of a snapshot while a layer is added. `old` answers for what was shown before."""

    blocks: RecordBlocks
    keys: KeyTable  # of all parts, without what is hidden now
    old: WorkLinks
    was_hidden: HiddenRecords
    hidden: HiddenRecords
    old_count: int  # records before the new layer
    _families: FamilyCache = field(default_factory=FamilyCache)
    _entries: dict[int, tuple[list[int], list[int]]] = field(default_factory=dict)

    def relink(self, new: Iterable[int], gone: Iterable[int]) -> RelinkedWorks:
        """Return the links of all works that the records `new` or `gone` touch."""
        union, waiting, seen = WorkUnion(), list[int](), set[int]()
        touched: set[int] = set()  # roots of before
        for ordinal in gone:
            waiting += self._list_old_members(ordinal, touched)
            for run in self._list_runs(ordinal):
                waiting += run
        waiting += new
        while waiting:
            ordinal = waiting.pop()
            if ordinal in seen or ordinal in self.hidden:
                continue
            seen.add(ordinal)
            waiting += self._list_old_members(ordinal, touched)
            for run in self._list_runs(ordinal):
                if 1 < len(run) <= MAX_RUN:
                    for other in run[1:]:
                        union.join(run[0], other)
                if sum(other < self.old_count for other in run) <= MAX_RUN:
                    waiting += run  # also when there are too many now: they were linked before
        return self._collect(union, seen, touched)

    def _collect(self, union: WorkUnion, seen: set[int], touched: set[int]) -> RelinkedWorks:
        rows: list[tuple[int, int]] = []
        roots: set[int] = set()
        linked = 0
        for ordinal in sorted(seen):
            if ordinal in union.parent:
                root = union.root(ordinal)
                roots.add(root)
                linked += 1
                rows.append((ordinal, root))
            elif ordinal < self.old_count and self.old.root(ordinal) is not None:
                rows.append((ordinal, ALONE))
        before = sum(len(self._list_shown(root)) - 1 for root in touched)
        table = np.array(rows, np.uint32).reshape(-1, 2)
        return RelinkedWorks(table[:, 0].copy(), table[:, 1].copy(), linked - len(roots) - before)

    def _list_shown(self, root: int) -> list[int]:
        return [one for one in self.old.members(root) if one not in self.was_hidden]

    def _list_old_members(self, ordinal: int, touched: set[int]) -> list[int]:
        root = self.old.root(ordinal) if ordinal < self.old_count else None
        if root is None or root in touched:
            return []
        touched.add(root)
        return self._list_shown(root)

    def _list_runs(self, ordinal: int) -> Iterator[list[int]]:
        """Yield, for each key that says which work a record is of, the shown records that share it."""
        works, keys = self._read_keys(ordinal)
        others = dict.fromkeys(other for key in keys for other in self.keys.find(key))
        shared = {other: set(self._read_keys(other)[0]) for other in others}
        for work in works:
            yield sorted(other for other in others if work in shared[other])

    def _read_keys(self, ordinal: int) -> tuple[list[int], list[int]]:
        """Return what tells a record's work, and the keys to find its other records by."""
        found = self._entries.get(ordinal)
        if found is None:
            entry = _read_linked_fields(self.blocks[ordinal], self._families)
            found = self._entries[ordinal] = list_work_keys(entry), list_linking_keys(entry)
        return found


def read_stored_entry(packed: bytes, families: FamilyCache) -> IndexEntry:
    """Return a stored record as the entry it was built of."""
    entry = make_entry(unpack_record(packed, source="", work="", read_at=None), families)
    entry.packed = packed
    return entry


def _read_linked_fields(packed: bytes, families: FamilyCache) -> IndexEntry:
    """Return of a stored record only what its links depend on."""
    record = unpack_stored(packed)
    people = [(NO_NAME, *families.fold_family(str(author[0]))) for author in record.authors[:1]]
    pairs = list(zip(record.ids[::2], record.ids[1::2], strict=True))
    versions = [tuple(version) for version in record.versions[:1]]
    return IndexEntry(packed, record.titles, people, versions, pairs)


def carry_over(before: tuple[U32, U32], now: RelinkedWorks, is_hidden: Callable[[int], bool]) -> bytes:
    """Return the bytes of `relinked.bin`: what is new, and what earlier layers changed and still holds."""
    rows = dict(zip(before[0].tolist(), before[1].tolist(), strict=True))
    rows = {ordinal: root for ordinal, root in rows.items() if not is_hidden(ordinal)}
    rows.update(zip(now.ordinals.tolist(), now.roots.tolist(), strict=True))
    ordered = sorted(rows)
    ordinals = np.array(ordered, "<u4")
    roots = np.array([rows[ordinal] for ordinal in ordered], "<u4")
    return ordinals.tobytes() + roots.tobytes()

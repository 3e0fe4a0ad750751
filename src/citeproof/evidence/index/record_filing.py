"""Under which keys and words each record is filed, worked out in batches.

This is the hot loop of a build. What can wait for the batch is done with numpy: the word subsets of the
titles, which are most of the keys, and the partitioning. Titles are bytes here: that is what the hash
takes, and taking bytes apart is three times as fast as taking text apart.
"""

from __future__ import annotations

import re
from array import array
from itertools import chain

import numpy as np
from xxhash import xxh3_64_intdigest as hashed

from citeproof.evidence.index import signature_keys
from citeproof.evidence.index.full_text import MARK
from citeproof.evidence.index.key_table import U32, U64, KeyPartitions
from citeproof.evidence.index.record_packing import IndexEntry
from citeproof.evidence.index.signature_keys import (
    FIRST,
    HEAD,
    ID,
    LAST,
    TITLE,
    cut_edges,
    find_title_head,
    fold_clean_title,
    hash_text,
    is_front_matter,
    make_author_keys,
    make_locator_key,
    make_work_key,
)
from citeproof.evidence.index.snapshot_facts import FactTally, make_name_keys, make_venue_key

BATCH = 8192  # records; well below the 65,536 titles that `make_subset_keys` takes at a time
MAX_CACHED = 400_000  # venues in memory
SHORT = 24  # characters of a title that does not name one work by itself
TOLD_AUTHORS = 2  # family names of a record that full text knows
LOCATED = 6  # parts of a packed version that has volume, issue and pages

_SHARED = frozenset(("doi", "arxiv", "pmid"))  # an identifier that two records of one work may share
_MARKED = f" {MARK}"
_FIRST_PAGE = re.compile(r"[A-Za-z]{0,3}\d{1,9}")


class _FilingBatch:
    """What was filed since the last time it was passed."""

    def __init__(self) -> None:
        self.keys: list[list[int]] = []  # of each record in order
        self.works: list[list[int]] = []  # same: what it shares with other records of its work
        self.titles: list[bytes] = []  # its main title
        self.more_titles: list[tuple[int, bytes]] = []  # further titles, with the record's ordinal
        self.prefixes: list[str] = []
        self.venues: list[int] = []
        self.names: list[int] = []  # of venues that were not met before


class RecordFiler:
    """Takes records in order and hands their keys to the partitions, a batch at a time."""

    def __init__(self, keys: KeyPartitions, works: KeyPartitions, tally: FactTally) -> None:
        self._keys, self._works, self._tally = keys, works, tally
        self._venues: dict[str, int] = {}
        self._batch = _FilingBatch()

    def file(self, ordinal: int, entry: IndexEntry) -> str:
        """File one record; return the words that full text is to know it by."""
        batch = self._batch
        folded, words = fold_clean_title(entry.titles[0])
        keys = _make_title_keys(folded, words)
        people = entry.people
        works: list[int] = []
        if people:
            keys += make_author_keys([person[1] for person in people])
            if not is_front_matter(folded):
                works.append(make_work_key(keys[0], people[0][1], _find_telling_year(entry, folded)))
        for scheme, value in entry.ids:
            own: int = hashed(f"{scheme}:{value}".encode(), ID)
            keys.append(own)
            if scheme in _SHARED:
                works.append(own)
                if scheme == "doi":
                    batch.prefixes.append(value[: value.find("/")])
        batch.titles.append(words)
        marked = self._versions(entry, keys)
        for title in entry.titles[1:]:
            folded, more = fold_clean_title(title)
            keys += _make_title_keys(folded, more)
            batch.more_titles.append((ordinal, more))
            words += b" " + more
        batch.keys.append(keys)
        batch.works.append(works)
        if len(batch.keys) >= BATCH or len(batch.more_titles) >= BATCH:
            self.flush(ordinal)
        marked += [person[2] for person in people[:TOLD_AUTHORS]]
        return f"{words.decode()} {MARK}{_MARKED.join(marked)}"

    def _versions(self, entry: IndexEntry, keys: list[int]) -> list[str]:
        """Count the venues, file the locators; return the years."""
        years: list[str] = []
        for version in entry.versions:
            if venue := version[1]:
                self._batch.venues.append(self._venues.get(venue) or self._venue(venue))
            if not version[0]:
                continue
            if (year := str(version[0])) not in years:
                years.append(year)
            if len(version) == LOCATED and version[3] and (page := _FIRST_PAGE.match(version[5] or "")):
                keys.append(make_locator_key(version[0], version[3], page[0]))
        return years

    def _venue(self, venue: str) -> int:
        if len(self._venues) >= MAX_CACHED:
            self._venues.clear()
        value = self._venues[venue] = make_venue_key(venue)
        self._batch.names += make_name_keys(venue)
        return value

    def flush(self, last: int) -> None:
        """Hand the batch over; `last` is the ordinal of its last record."""
        batch, self._batch = self._batch, _FilingBatch()
        ordinals = np.arange(last + 1 - len(batch.keys), last + 1, dtype=np.uint32)
        subsets, lines = signature_keys.make_subset_keys(
            batch.titles + [title for _, title in batch.more_titles]
        )
        titled = np.concatenate((ordinals, np.array([of for of, _ in batch.more_titles], np.uint32)))
        keys, of = _flatten_keys(batch.keys, ordinals)
        self._keys.add(np.concatenate((keys, subsets)), np.concatenate((of, titled[lines])))
        self._works.add(*_flatten_keys(batch.works, ordinals))
        self._tally.add(batch.prefixes, batch.venues, batch.names)


def _flatten_keys(lists: list[list[int]], ordinals: U32) -> tuple[U64, U32]:
    keys = np.array(array("Q", chain.from_iterable(lists)), np.uint64)
    return keys, np.repeat(ordinals, list(map(len, lists)))


def _make_title_keys(folded: str, words: bytes) -> list[int]:
    """Return the keys of one title, but for its word subsets, which wait for the batch."""
    whole = words.replace(b" ", b"")
    keys: list[int] = [hashed(whole, TITLE)]
    if edge := cut_edges(whole):
        keys.append(hashed(edge[0], FIRST))
        keys.append(hashed(edge[1], LAST))
    if head := find_title_head(folded):
        keys.append(hash_text(HEAD, head))
    return keys


def _find_telling_year(entry: IndexEntry, folded: str) -> int:
    """Return the year that distinguishes short titles of one author: an "Introduction" comes every year."""
    return entry.versions[0][0] or 0 if len(folded) < SHORT and entry.versions else 0

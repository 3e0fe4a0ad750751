"""Under which keys and words each record is filed, worked out in batches.

This is the hot loop of a build. What can wait for the batch is done with numpy: the word subsets of the
titles, which are most of the keys, and the partitioning. Titles are bytes here: that is what the hash
takes, and taking bytes apart is three times as fast as taking text apart.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import chain, combinations

import msgspec
import numpy as np
import numpy.typing as npt
from xxhash import xxh3_64_intdigest as hashed

from citeproof.evidence.index.full_text import MARK
from citeproof.evidence.index.key_writer import U32, U64
from citeproof.evidence.index.record_packing import IndexEntry
from citeproof.evidence.index.signature_keys import (
    FEWEST,
    FIRST,
    HASH,
    HEAD,
    ID,
    LAST,
    LENGTH_AT,
    LETTERS,
    LONGEST,
    MIN_WORD,
    MOST,
    PAIR,
    SPREAD,
    STOP_VALUES,
    TITLE,
    TRIPLE,
    cut_edges,
    find_title_head,
    fold_clean_title,
    hash_text,
    is_front_matter,
    make_author_keys,
    make_locator_key,
    make_work_key,
)  # fmt: skip
from citeproof.evidence.index.snapshot_facts import make_name_keys, make_venue_key
from citeproof.text import lazy_patterns as re
from citeproof.text.title import STOPWORDS

BATCH = 8192  # titles; well below the 65,536 titles that `make_subset_keys` takes at a time
MAX_CACHED = 400_000  # venues in memory
SHORT = 24  # characters of a title that does not name one work by itself
TOLD_AUTHORS = 2  # family names of a record that full text knows
LOCATED = 6  # parts of a packed version that has volume, issue and pages

_SHARED = frozenset(("doi", "arxiv", "pmid"))  # an identifier that two records of one work may share
_MARKED = f" {MARK}"
_FIRST_PAGE = re.compile(r"[A-Za-z]{0,3}\d{1,9}")
_LETTER_ARRAY = np.array(LETTERS, np.uint64)
_STOP_ARRAY = np.array(sorted(STOP_VALUES), np.uint64)
_LONGEST_STOPWORD = max(map(len, STOPWORDS))
_SPACE, _NEWLINE = 32, 10
Lines = npt.NDArray[np.int64]


class FiledStretch(msgspec.Struct):
    """What the records of a stretch are filed under; each by its number in the stretch. Arrays are bytes."""

    keys: bytes = b""  # u64
    keys_of: bytes = b""  # u32: the record of each key
    works: bytes = b""  # u64: what a record shares with others of its work
    works_of: bytes = b""
    prefixes: list[str] = []
    venues: list[int] = []
    names: list[int] = []  # of venues that were not met before

    def list_keys(self, first: int) -> tuple[U64, U32]:
        """Return the keys with the ordinals of their records, of which the first one's is `first`."""
        return _restore_pairs(self.keys, self.keys_of, first)

    def list_works(self, first: int) -> tuple[U64, U32]:
        return _restore_pairs(self.works, self.works_of, first)

    def list_facts(self) -> tuple[list[str], list[int], list[int]]:
        return self.prefixes, self.venues, self.names


def _restore_pairs(keys: bytes, numbers: bytes, first: int) -> tuple[U64, U32]:
    return np.frombuffer(keys, np.uint64), np.frombuffer(numbers, np.uint32) + np.uint32(first)


class RecordFiler:
    """Takes records in order, and gives what all of a stretch are filed under."""

    def __init__(self) -> None:
        self._venues: dict[str, int] = {}
        self._begin()

    def _begin(self) -> None:
        self._keys: list[list[int]] = []  # of each record in order
        self._works: list[list[int]] = []  # same: what it shares with other records of its work
        self._titles: list[bytes] = []  # its main title
        self._more_titles: list[tuple[int, bytes]] = []  # further titles, with the record's number
        self._filed = FiledStretch(prefixes=[], venues=[], names=[])

    def file(self, entry: IndexEntry) -> str:
        """File one record; return the words that full text is to know it by."""
        folded, words = fold_clean_title(entry.titles[0])
        keys = _make_title_keys(folded, words)
        people = entry.people
        works: list[int] = []
        if people:
            keys += make_author_keys([person[1] for person in people])
            if not is_front_matter(folded):
                # a year distinguishes short titles of one author: an "Introduction" comes every year
                year = entry.versions[0][0] or 0 if len(folded) < SHORT and entry.versions else 0
                works.append(make_work_key(keys[0], people[0][1], year))
        for scheme, value in entry.ids:
            own: int = hashed(f"{scheme}:{value}".encode(), ID)
            keys.append(own)
            if scheme in _SHARED:
                works.append(own)
                if scheme == "doi":
                    self._filed.prefixes.append(value[: value.find("/")])
        self._titles.append(words)
        marked = self._versions(entry, keys)
        for title in entry.titles[1:]:
            folded, more = fold_clean_title(title)
            keys += _make_title_keys(folded, more)
            self._more_titles.append((len(self._keys), more))
            words += b" " + more
        self._keys.append(keys)
        self._works.append(works)
        marked += [person[2] for person in people[:TOLD_AUTHORS]]
        return f"{words.decode()} {MARK}{_MARKED.join(marked)}"

    def _versions(self, entry: IndexEntry, keys: list[int]) -> list[str]:
        """Count the venues, file the locators; return the years."""
        years: list[str] = []
        for version in entry.versions:
            if venue := version[1]:
                self._filed.venues.append(self._venues.get(venue) or self._venue(venue))
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
        self._filed.names += make_name_keys(venue)
        return value

    def take(self) -> FiledStretch:
        """Return what was filed since the last time."""
        filed, own = self._filed, np.arange(len(self._keys), dtype=np.uint32)
        titles = self._titles + [title for _, title in self._more_titles]
        titled = np.concatenate((own, np.array([number for number, _ in self._more_titles], np.uint32)))
        parts = [_flatten_keys(self._keys, own)]
        for start in range(0, len(titles), BATCH):
            subsets, lines = make_subset_keys(titles[start : start + BATCH])
            parts.append((subsets, titled[start:][lines]))
        filed.keys = np.concatenate([keys for keys, _ in parts]).tobytes()
        filed.keys_of = np.concatenate([of for _, of in parts]).tobytes()
        works, works_of = _flatten_keys(self._works, own)
        filed.works, filed.works_of = works.tobytes(), works_of.tobytes()
        self._begin()
        return filed


def _flatten_keys(lists: list[list[int]], numbers: U32) -> tuple[U64, U32]:
    keys = np.array(array("Q", chain.from_iterable(lists)), np.uint64)
    return keys, np.repeat(numbers, list(map(len, lists)))


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


def make_subset_keys(titles: Sequence[bytes]) -> tuple[U64, Lines]:
    """Return the keys of all titles, each a line of words between spaces, and the line of each key."""
    values, lines = _rank_words(*_hash_words(titles))
    counts = np.bincount(lines, minlength=len(titles))
    ends = np.cumsum(counts)
    keys, of = [], []
    for size, choose, salt in ((MOST, 3, TRIPLE), (4, 2, PAIR), (FEWEST, 2, PAIR)):
        chosen = np.flatnonzero(counts >= size if size == MOST else counts == size)
        columns = [values[(ends - counts)[chosen] + at] for at in range(size)]
        for subset in combinations(columns, choose):
            keys.append((sum(subset[1:], subset[0]) + np.uint64(salt)) * np.uint64(SPREAD))
            of.append(chosen)
    return np.concatenate(keys), np.concatenate(of)


def _hash_words(titles: Sequence[bytes]) -> tuple[U64, Lines]:
    """Return the value of every word that says something, and the line it is on."""
    text = np.frombuffer(b"\n".join(titles) + b"\n", np.uint8)
    inside = np.concatenate(([False], text > _SPACE))  # before each byte, and after the last
    borders = np.flatnonzero(inside[1:] != inside[:-1])
    starts, ends = borders[::2], borders[1::2]
    total = np.concatenate((np.zeros(1, np.uint64), np.cumsum(_LETTER_ARRAY[text])))
    hashed = (total[ends] - total[starts]) * np.uint64(SPREAD)
    hashed = (hashed ^ hashed >> np.uint64(29)) & np.uint64(HASH)
    length = ends - starts
    values = np.minimum(length, LONGEST).astype(np.uint64) << np.uint64(LENGTH_AT) | hashed
    short = np.flatnonzero((length >= MIN_WORD) & (length <= _LONGEST_STOPWORD))
    telling = length >= MIN_WORD
    telling[short] = ~np.isin(values[short], _STOP_ARRAY)
    lines = np.cumsum(text == _NEWLINE)[starts]
    return values[telling], lines[telling]


def _rank_words(values: U64, lines: Lines) -> tuple[U64, Lines]:
    """Return the distinct words of each line in order, the longest first."""
    order = np.argsort(values)[::-1]
    order = order[np.argsort(lines[order].astype(np.uint16), kind="stable")]  # a radix sort
    values, lines = values[order], lines[order]
    fresh = np.ones(len(values), bool)
    fresh[1:] = (values[1:] != values[:-1]) | (lines[1:] != lines[:-1])
    return values[fresh], lines[fresh]

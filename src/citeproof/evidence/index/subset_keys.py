"""The signature keys of a batch of titles: subsets of their longest words, as `signature_keys` makes them.

The words of the whole batch are cut, valued and sorted with numpy.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from citeproof.evidence.index.key_writer import U64
from citeproof.evidence.index.signature_keys import (
    FEWEST,
    HASH,
    LENGTH_AT,
    LETTERS,
    LONGEST,
    MIN_WORD,
    MOST,
    PAIR,
    SPREAD,
    STOP_VALUES,
    TRIPLE,
)
from citeproof.text.title import STOPWORDS

_LETTER_ARRAY = np.array(LETTERS, np.uint64)
_STOP_ARRAY = np.array(sorted(STOP_VALUES), np.uint64)
_LONGEST_STOPWORD = max(map(len, STOPWORDS))
_SPACE, _NEWLINE = 32, 10
Lines = npt.NDArray[np.int64]


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

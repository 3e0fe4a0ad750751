"""Keys of word subsets: every three of a title's five longest words, every two of its three or four.

A word's value is its length and a hash of its letters in any order, in one 64-bit number: the longest
words are the largest numbers, and two swapped letters change nothing. Words of a whole batch of titles
are cut, valued and sorted with numpy; the words of one query in plain Python, to the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt
from xxhash import xxh3_64_intdigest

from citeproof.index.key_table import U64
from citeproof.text.title import STOPWORDS

FEWEST, MOST = 3, 5  # words of a title that make keys
MIN_WORD = 3  # letters (bytes); shorter words are too common
LONGEST = 63  # a longer word counts as this long
MASK = 0xFFFF_FFFF_FFFF_FFFF

# Parts of the format: changed numbers would make other keys.
_SEED = 6
_LENGTH_AT = 58
_HASH = (1 << _LENGTH_AT) - 1
_MIX = 0xD6E8_FEB8_6659_FD93
_PAIR, _TRIPLE = 0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F  # a pair never equals a triple

_LETTERS: tuple[int, ...] = tuple(xxh3_64_intdigest(bytes((byte,)), _SEED) for byte in range(256))
_LETTER_ARRAY = np.array(_LETTERS, np.uint64)
_SPACE, _NEWLINE = 32, 10
Lines = npt.NDArray[np.int64]


def _hash_word(word: bytes) -> int:
    total = sum([_LETTERS[byte] for byte in word]) * _MIX & MASK
    return min(len(word), LONGEST) << _LENGTH_AT | (total ^ total >> 29) & _HASH


_STOP_VALUES = frozenset(_hash_word(word.encode()) for word in STOPWORDS)
_STOP_ARRAY = np.array(sorted(_STOP_VALUES), np.uint64)
_LONGEST_STOPWORD = max(map(len, STOPWORDS))


def hash_telling_word(word: bytes) -> int:
    """Return a word's length and hash in one number; 0 for a word that says nothing."""
    value = _hash_word(word) if len(word) >= MIN_WORD else 0
    return 0 if value in _STOP_VALUES else value


def pick_longest(values: Iterable[int]) -> list[int]:
    """Return the values of the longest distinct words that say something, at most five."""
    return [value for value in sorted(set(values), reverse=True)[:MOST] if value]


def make_query_keys(values: Sequence[int]) -> list[int]:
    """Return the keys to probe for a query with these longest words.

    A title with five words or more is filed under triples, one with fewer under pairs. A query that
    lost or gained a word may have crossed that border, so both kinds are asked.
    """
    if len(values) < FEWEST:
        return []
    triples = [(a + b + c + _TRIPLE) * _MIX & MASK for a, b, c in combinations(values, 3)]
    return triples + [(a + b + _PAIR) * _MIX & MASK for a, b in combinations(values, 2)]


def make_subset_keys(titles: Sequence[bytes]) -> tuple[U64, Lines]:
    """Return the keys of all titles, each a line of words between spaces, and the line of each key."""
    values, lines = _rank_words(*_hash_words(titles))
    counts = np.bincount(lines, minlength=len(titles))
    ends = np.cumsum(counts)
    keys, of = [], []
    for size, choose, salt in ((MOST, 3, _TRIPLE), (4, 2, _PAIR), (FEWEST, 2, _PAIR)):
        chosen = np.flatnonzero(counts >= size if size == MOST else counts == size)
        columns = [values[(ends - counts)[chosen] + at] for at in range(size)]
        for subset in combinations(columns, choose):
            keys.append((sum(subset[1:], subset[0]) + np.uint64(salt)) * np.uint64(_MIX))
            of.append(chosen)
    return np.concatenate(keys), np.concatenate(of)


def _hash_words(titles: Sequence[bytes]) -> tuple[U64, Lines]:
    """Return the value of every word that says something, and the line it is on."""
    text = np.frombuffer(b"\n".join(titles) + b"\n", np.uint8)
    inside = np.concatenate(([False], text > _SPACE))  # before each byte, and after the last
    borders = np.flatnonzero(inside[1:] != inside[:-1])
    starts, ends = borders[::2], borders[1::2]
    total = np.concatenate((np.zeros(1, np.uint64), np.cumsum(_LETTER_ARRAY[text])))
    hashed = (total[ends] - total[starts]) * np.uint64(_MIX)
    hashed = (hashed ^ hashed >> np.uint64(29)) & np.uint64(_HASH)
    length = ends - starts
    values = np.minimum(length, LONGEST).astype(np.uint64) << np.uint64(_LENGTH_AT) | hashed
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

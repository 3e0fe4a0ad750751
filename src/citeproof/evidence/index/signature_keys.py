"""Signature keys: what a record is filed under, and what a damaged query still has in common with it.

A key is a 64-bit hash, salted by its kind. A whole title gives one key; its head before ":", its
first and last 24 letters one each; every three of its five longest words, or every two of
its three or four, one each. One or two damaged words leave some of these intact, so a handful of probes finds
the record at a cost that does not grow with the number of records.

A word's value is its length and a hash of its letters in any order, in one 64-bit number: the longest words
are the largest numbers, and two swapped letters change nothing. `record_filing` gives the words of a batch of
titles the same numbers. Plain ASCII titles are folded as bytes by a short way (a test holds it to
`text.title`): three times as fast.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from operator import mul

from xxhash import xxh3_64_intdigest

from citeproof.text import lazy_patterns as re
from citeproof.text.title import STOPWORDS, fold_title

EDGE = 24  # letters of a title's beginning and end that make a key
MASK = 0xFFFF_FFFF_FFFF_FFFF
LEADING = 4  # authors in order that make an author key

_HEAD_ENDS = ("? ", ". ", "! ", " - ")  # next to ": "; a folded title has no other dashes
_WORD = re.compile(r"[^\W_]+")

# The seed of each kind of key; part of the format, so never renumbered. Plain numbers: an enum
# member costs more to pass than the hash itself.
ID = 1
TITLE = 2
HEAD = 3
FIRST = 4
LAST = 5
FAMILY = 7
LOCATOR = 8
VENUE = 9

# Multipliers that spread sums over all bits, because a table files by the top ones.
SPREAD = 0xD6E8_FEB8_6659_FD93
AUTHORS_SPREAD = 0xA076_1D64_78BD_642F
_PLACES = (3, 5, 7, 11)  # weights of the leading authors: their order counts
_FRONT = (
    "proceedings of", "preface", "front matter", "frontmatter", "back matter", "table of contents",
    "editorial", "guest editorial", "foreword", "title page", "author index", "subject index", "message from",
)  # fmt: skip
_VOLUME = re.compile(r"\bproceedings\b[^:]{0,80}\b(?:19|20)\d\d\b|, proceedings\b")
_SPLITTER = bytes(c if chr(c).isalnum() else 32 for c in range(128)) + bytes(range(128, 256))
FEWEST, MOST = 3, 5  # words of a title that make keys
MIN_WORD = 3  # letters (bytes); shorter words are too common
LONGEST = 63  # a longer word counts as this long

# Parts of the format: changed numbers would make other keys.
SEED = 6
LENGTH_AT = 58
HASH = (1 << LENGTH_AT) - 1
PAIR, TRIPLE = 0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F  # a pair never equals a triple

LETTERS: tuple[int, ...] = tuple(xxh3_64_intdigest(bytes((byte,)), SEED) for byte in range(256))


def hash_text(salt: int, text: str) -> int:
    """Return the 64-bit key of `text` under one kind."""
    made: int = xxh3_64_intdigest(text.encode("utf-8", "replace"), salt)
    return made


def make_id_key(scheme: str, value: str) -> int:
    return hash_text(ID, f"{scheme}:{value}")


def make_edge_keys(whole: str) -> tuple[int, ...]:
    """Return the keys of a title's first and last letters; none where they are the whole title."""
    if len(whole) <= EDGE:
        return ()
    return hash_text(FIRST, whole[:EDGE]), hash_text(LAST, whole[-EDGE:])


def find_title_head(folded: str) -> str:
    """Return the key of a folded title's part before its subtitle; empty when there is none."""
    end = folded.find(": ")
    if end < 0:
        for mark in _HEAD_ENDS:
            if (end := folded.find(mark)) > 0:
                break
    return "".join(_WORD.findall(folded[:end])) if end > 0 else ""


def hash_family(family: str) -> int:
    """Return the number that represents a folded family name in author keys."""
    return hash_text(FAMILY, family)


def make_author_keys(values: Sequence[int]) -> tuple[int, ...]:
    """Return the keys of a list of family values: its leading ones in order, and all as a set."""
    if len(values) <= 1:  # one name says nothing
        return ()
    leading = sum(map(mul, _PLACES, values)) + len(values[:LEADING])
    return leading * AUTHORS_SPREAD & MASK, sum(values) * SPREAD & MASK


def make_work_key(title: int, family: int, year: int) -> int:
    """Return what records of one work share: title key, first author, for a short title the year."""
    return (title + family * AUTHORS_SPREAD + year) * SPREAD & MASK


def make_locator_key(year: int, volume: str, first_page: str) -> int:
    """Return the key of a place in the literature: year, volume, first page."""
    return hash_text(LOCATOR, f"{year}|{volume.casefold()}|{first_page.casefold()}")


def is_front_matter(folded: str) -> bool:
    """Return whether a folded title is that of a volume or its front matter, not of a paper."""
    if folded.startswith(_FRONT):
        return True
    return "proceedings" in folded and _VOLUME.search(folded[:400]) is not None


def fold_clean_title(title: str) -> tuple[str, bytes]:
    """Return a cleaned title folded, and its words between spaces, as `text.title` folds and splits it."""
    if title.isascii() and "- " not in title:
        folded = title.lower()
        return folded, folded.encode().translate(_SPLITTER)
    folded = fold_title(title)
    return folded, " ".join(_WORD.findall(folded)).encode()


def cut_edges(whole: bytes) -> tuple[bytes, ...]:
    """Return the first and last letters of a title; nothing of one that has no more than those."""
    if whole.isascii():
        return (whole[:EDGE], whole[-EDGE:]) if len(whole) > EDGE else ()
    text = whole.decode()  # letters, not bytes
    return (text[:EDGE].encode(), text[-EDGE:].encode()) if len(text) > EDGE else ()


def _hash_word(word: bytes) -> int:
    total = sum([LETTERS[byte] for byte in word]) * SPREAD & MASK
    return min(len(word), LONGEST) << LENGTH_AT | (total ^ total >> 29) & HASH


STOP_VALUES = frozenset(_hash_word(word.encode()) for word in STOPWORDS)


def hash_telling_word(word: bytes) -> int:
    """Return a word's length and hash in one number; 0 for a word that says nothing."""
    value = _hash_word(word) if len(word) >= MIN_WORD else 0
    return 0 if value in STOP_VALUES else value


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
    triples = [(a + b + c + TRIPLE) * SPREAD & MASK for a, b, c in combinations(values, 3)]
    return triples + [(a + b + PAIR) * SPREAD & MASK for a, b in combinations(values, 2)]

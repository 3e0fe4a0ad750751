"""Signature keys: what a record is filed under, and what a damaged query still has in common with it.

A key is a 64-bit hash, salted by its kind. A whole title gives one key; its head before ":", its
first and last 24 letters one each; subsets of its longest words many (`word_keys`). One or two damaged
words leave some of these intact, so a handful of probes finds the record at a cost that does not grow
with the number of records.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from operator import mul

from xxhash import xxh3_64_intdigest

EDGE = 24  # letters of a title's beginning and end that make a key
MASK = 0xFFFF_FFFF_FFFF_FFFF
LEADING = 4  # authors in order that make an author key

_HEAD_ENDS = ("? ", ". ", "! ", " - ")  # beside ": "; a folded title has no other dashes
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


def hash_text(salt: int, text: str) -> int:
    """Return the 64-bit key of `text` under one kind."""
    made: int = xxh3_64_intdigest(text.encode("utf-8", "replace"), salt)
    return made


def make_id_key(scheme: str, value: str) -> int:
    """Return the key of a normalised identifier."""
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

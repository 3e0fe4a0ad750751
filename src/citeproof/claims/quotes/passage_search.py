"""Where a stretch of words is in a source: every place that has it exactly, or the places most like it.

Pairs of words that are rare in the source vote for the places where the stretch may begin; only the places
with most votes are compared. How many votes and places are looked at is bounded, whatever the source repeats.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq, Levenshtein

from citeproof.claims.quotes.source_index import Places, SourceIndex

MOST_PLACES = 20_000  # exact places of one stretch
_STARTS = 2_000  # places that are compared word by word
_VOTES = 4_000
_RARE = 40  # places of a word that votes on its own
_CANDIDATES = 5
_NOWHERE = np.empty(0, np.int32)
_INWARDS = 12  # words by which an end of a passage may be wrong
_GAP = 0.7  # what a word that does not fit costs, in words that fit


@dataclass(frozen=True, slots=True)
class AlignedPassage:
    """A passage of the source that is like a stretch of the quotation: words from and to (exclusive)."""

    quoted_low: int
    quoted_high: int
    low: int
    high: int
    score: float  # words that fit, less what does not
    longest: int  # words that fit in one run
    fitting: int


def find_exact_places(ids: Sequence[int], source: SourceIndex) -> Places:
    """Return at which words of the source the stretch is, word for word, in order; the first of too many."""
    size = len(ids)
    if not size or size > len(source) or min(ids) < 0:
        return _NOWHERE
    if size == 1:
        return source.find_places(ids[0])[:MOST_PLACES]
    pairs = source.find_pairs(ids)
    rarest = min(range(size - 1), key=lambda at: len(pairs[at]))
    starts = pairs[rarest] - rarest
    starts = starts[(starts >= 0) & (starts <= len(source) - size)]
    if len(starts) == 1:  # most often
        at = int(starts[0])
        return starts if source.ids[at : at + size].tolist() == list(ids) else _NOWHERE
    for at in sorted(range(size), key=lambda at: abs(at - rarest)):
        if size > 100 and len(starts) > _STARTS:  # a long stretch of what is said again and again
            starts = starts[:_STARTS]
        starts = starts[source.ids[starts + at] == ids[at]]
        if not len(starts):
            break
    return starts[:MOST_PLACES]


def find_passages(
    ids: Sequence[int], source: SourceIndex, window: tuple[int, int] | None = None
) -> list[AlignedPassage]:
    """Return the passages that are most like the stretch, the best first."""
    found = [
        passage
        for low, high in _choose_windows(ids, source, window)
        if (passage := _align_window(ids, source, low, high)) is not None
    ]
    return sorted(dict.fromkeys(found), key=lambda passage: (-passage.score, passage.low))


def _choose_windows(
    ids: Sequence[int], source: SourceIndex, window: tuple[int, int] | None
) -> Iterator[tuple[int, int]]:
    """Yield the stretches of the source that got most votes."""
    size = len(ids)
    if window is not None and window[1] - window[0] <= 4 * size + 40:
        yield window
        return
    width, pad = max(6, size // 6), 6 + size // 3
    begins, weights = _collect_votes(ids, source, window)
    if not len(begins):
        return
    buckets, which = np.unique(begins // width, return_inverse=True)
    votes = np.bincount(which, weights)
    beside = np.zeros(len(votes))
    near = np.flatnonzero(np.diff(buckets) == 1)
    beside[near] = votes[near + 1]
    totals = votes + beside
    low, high = window or (0, len(source))
    taken: list[int] = []
    for at in np.argsort(-totals, kind="stable")[: 4 * _CANDIDATES]:
        bucket = int(buckets[at])
        if len(taken) < _CANDIDATES and bucket - 1 not in taken and bucket + 1 not in taken:
            taken.append(bucket)
            yield max(low, bucket * width - pad), min(high, (bucket + 2) * width + size + pad)


def _collect_votes(
    ids: Sequence[int], source: SourceIndex, window: tuple[int, int] | None
) -> tuple[Places, NDArray[np.float64]]:
    """Return where the stretch would begin by each of its rarer pairs of words, and how much that counts."""
    single = [(source.find_places(one), at) for at, one in enumerate(ids) if one >= 0]
    every = [(places, at) for at, places in enumerate(source.find_pairs(ids))]
    every += [(places, at) for places, at in single if len(places) <= _RARE]
    if window is not None:
        every = [(places[slice(*np.searchsorted(places, window))], at) for places, at in [*every, *single]]
    every = sorted((one for one in every if len(one[0])), key=lambda one: len(one[0]))
    if not every:
        every = sorted(single, key=lambda one: len(one[0]))
    begins: list[Places] = []
    sizes: list[int] = []
    left = _VOTES
    for places, at in every:
        if left <= 0 or (len(places) > left and begins):
            break
        taken = places[:left]
        begins.append(taken - at)
        sizes += [len(taken)]
        left -= len(taken)
    if not begins:
        return _NOWHERE, np.empty(0)
    return np.concatenate(begins), np.repeat(1.0 / np.sqrt(sizes), sizes)


def _align_window(ids: Sequence[int], source: SourceIndex, low: int, high: int) -> AlignedPassage | None:
    """Return the part of a window that is like the stretch, or like some of it."""
    read = source.ids[low:high].tolist()
    ahead, score = _choose_blocks(_match_blocks(list(ids), read))
    if not ahead:
        return None
    if sum(block.size for block in ahead) < len(
        ids
    ):  # of two places of a word, this way round the other one is taken
        back, other = _choose_blocks(_match_blocks(list(reversed(ids)), read[::-1]))
        if other > score:
            size, width, score = len(ids), len(read), other
            turned = (_Block(size - b.a - b.size, width - b.b - b.size, b.size) for b in back)
            ahead = sorted(turned, key=lambda block: block.a)
    begin, end = _tighten_ends(ids, read, ahead)
    first, last = ahead[0].a, ahead[-1].a + ahead[-1].size
    more = 0
    while first and begin and ids[first - 1] == read[begin - 1]:  # it took an earlier place of that word
        first, begin, more = first - 1, begin - 1, more + 1
    while last < len(ids) and end < len(read) and ids[last] == read[end]:
        last, end, more = last + 1, end + 1, more + 1
    longest, fitting = max(block.size for block in ahead), sum(block.size for block in ahead)
    return AlignedPassage(first, last, low + begin, low + end, score + more, longest + more, fitting + more)


class _Block(NamedTuple):
    """Words that are the same in a stretch, from `a` on, and in a window, from `b` on."""

    a: int
    b: int
    size: int


def _match_blocks(ids: list[int], read: list[int]) -> list[_Block]:
    blocks = LCSseq.opcodes(ids, read).as_matching_blocks()
    return [_Block(block.a, block.b, block.size) for block in blocks if block.size]


def _choose_blocks(blocks: list[_Block]) -> tuple[list[_Block], float]:
    """Return the blocks that have most words for least gaps, and their score."""
    best: tuple[float, int, int] = (0.0, 0, 0)
    score, first = 0.0, 0
    for at, block in enumerate(blocks):
        if at:
            before = blocks[at - 1]
            score -= _GAP * max(block.a - before.a - before.size, block.b - before.b - before.size)
        if score <= 0:
            score, first = 0.0, at
        score += block.size
        if score > best[0]:
            best = (score, first, at + 1)
    return blocks[best[1] : best[2]], best[0]


def _tighten_ends(ids: Sequence[int], read: Sequence[int], blocks: Sequence[_Block]) -> tuple[int, int]:
    """Return where the passage begins and ends: its first or last word may be there twice."""
    first, last = blocks[0], blocks[-1]
    begin, end = first.b, last.b + last.size
    if len(blocks) < 2:
        return begin, end
    wanted = list(ids[first.a : last.a + last.size])
    limit = min(blocks[1].b, begin + _INWARDS)
    begins = [begin, *(at for at in range(begin + 1, limit) if read[at] == wanted[0])]
    if len(begins) > 1:
        begin = min(begins, key=lambda at: (Levenshtein.distance(wanted, read[at:end]), at))
    limit = max(blocks[-2].b + blocks[-2].size, end - _INWARDS)
    ends = [end, *(at for at in range(end - 1, limit, -1) if read[at - 1] == wanted[-1])]
    if len(ends) > 1:
        end = min(ends, key=lambda at: (Levenshtein.distance(wanted, read[begin:at]), -at))
    return begin, end

"""Which lines of a new version stand where lines of an old one stood.

Lines that are the same but for white space, and occur once in each version, hold the two together; what
is next to them is matched outwards, and so again within each gap that is left. Only what is small then is
given to difflib, which can take the cube of its lines, and only so often: a file costs in proportion to its
size, however many of its lines are asked for.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import accumulate
from operator import itemgetter
from typing import TypeAlias

from citeproof.text import lazy_patterns as re

Piece: TypeAlias = tuple[int, int, int, int]  # lines of the old version, lines of the new: first, up to last

_ROUNDS = 4  # in which gaps are looked through for lines that occur once in them
_GAP = 80  # lines of either version that difflib is given
_GAPS = 200  # of one alignment that it is given
_BLANKS = b" \t\r\n\f\v"
_PARTS = re.compile(rb"(?<=[0-9A-Za-z_\x80-\xff])[ \t\r\n\f\v]+(?=[0-9A-Za-z_\x80-\xff])")


def strip_whitespace(data: bytes) -> bytes:
    return data.translate(None, _BLANKS)


def is_only_respaced(old: bytes, new: bytes) -> bool:
    """Return whether two texts are the same but for white space, and the same words are parted by it."""
    return strip_whitespace(old) == strip_whitespace(new) and _mark_word_gaps(old) == _mark_word_gaps(new)


def _mark_word_gaps(data: bytes) -> bytes:
    """Return `data` without white space but a mark where it parts two words."""
    return strip_whitespace(_PARTS.sub(b"\0", data))


class LineAlignment:
    """The lines of an old version, each with its place in the new one where it has one."""

    def __init__(self, old: Sequence[bytes], new: Sequence[bytes]) -> None:
        self._old = [strip_whitespace(line) for line in old]
        self._new = [strip_whitespace(line) for line in new]
        self._to = [-1] * len(old)
        for _ in range(_ROUNDS):
            for gap in list(self._gaps()):
                self._match_ends(gap)
            if not sum([self._anchor(gap) for gap in list(self._gaps())]):
                break
        self._left = list(self._gaps())
        self._matched: dict[Piece, list[Piece]] = {}  # what difflib said
        self._sizes = list(accumulate(map(len, self._new), initial=0))

    def region(self, first: int, last: int) -> tuple[int, int]:
        """Return the lines of the new version that stand where `first` up to `last` stood; maybe none."""
        start, end = self._locate_lines(first)[0], self._locate_lines(last - 1)[1]
        return start, max(start, end)

    def strip_lines(self, first: int, last: int) -> bytes:
        """Return lines of the old version without white space."""
        return b"".join(self._old[first:last])

    def has_words(self, start: int, end: int, bare: bytes) -> bool:
        """Return whether lines of the new version are these words, but for white space."""
        return self._sizes[end] - self._sizes[start] == len(bare) and b"".join(self._new[start:end]) == bare

    def _match_ends(self, gap: Piece) -> None:
        """Match the lines next to matched ones, downwards and then upwards."""
        first, last, start, end = gap
        while first < last and start < end and self._old[first] == self._new[start]:
            self._to[first] = start
            first, start = first + 1, start + 1
        while first < last and start < end and self._old[last - 1] == self._new[end - 1]:
            last, end = last - 1, end - 1
            self._to[last] = end

    def _gaps(self) -> Iterator[Piece]:
        """Yield the lines that have no place, with those of the new version between the same neighbours."""
        at, start = 0, 0
        while at < len(self._to):
            if self._to[at] >= 0:
                at, start = at + 1, self._to[at] + 1
                continue
            first = at
            while at < len(self._to) and self._to[at] < 0:
                at += 1
            yield first, at, start, self._to[at] if at < len(self._to) else len(self._new)

    def _anchor(self, gap: Piece) -> int:
        """Match lines that are unique on both sides of a gap: the longest run that keeps its order."""
        olds, news = range(*gap[:2]), range(*gap[2:])
        once = Counter(self._old[at] for at in olds), Counter(self._new[at] for at in news)
        where = {self._new[at]: at for at in news if self._new[at] and once[1][self._new[at]] == 1}
        pairs = [
            (at, where[self._old[at]])
            for at in olds
            if once[0][self._old[at]] == 1 and self._old[at] in where
        ]
        chosen = _find_rising_pairs(pairs)
        for at, to in chosen:
            self._to[at] = to
        return len(chosen)

    def _locate_lines(self, line: int) -> tuple[int, int]:
        """Return the lines of the new version that stand where one line stood."""
        if self._to[line] >= 0:
            return self._to[line], self._to[line] + 1
        gap = self._left[bisect_right(self._left, line, key=itemgetter(0)) - 1]
        for i1, i2, j1, j2 in self._pieces(gap):
            if i1 <= line < i2:
                if i2 - i1 == j2 - j1:  # lines replaced one for one represent each other
                    return j1 + line - i1, j1 + line - i1 + 1
                return j1, j2
        return gap[2:]

    def _pieces(self, gap: Piece) -> list[Piece]:
        """Return what represents what within a gap, by difflib; nothing if that is too much to ask."""
        if gap not in self._matched:
            first, last, start, end = gap
            if max(last - first, end - start) > _GAP or len(self._matched) >= _GAPS:
                return []
            codes = SequenceMatcher(None, self._old[first:last], self._new[start:end], autojunk=False)
            self._matched[gap] = [
                (first + i1, first + i2, start + j1, start + j2) for _, i1, i2, j1, j2 in codes.get_opcodes()
            ]
        return self._matched[gap]


def _find_rising_pairs(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest part of `pairs` whose second numbers rise, as the first do."""
    tops, piles, before = list[int](), list[int](), list[int]()
    for index, (_, to) in enumerate(pairs):
        pile = bisect_left(tops, to)
        before.append(piles[pile - 1] if pile else -1)
        if pile == len(tops):
            tops.append(to)
            piles.append(index)
        else:
            tops[pile], piles[pile] = to, index
    chosen, at = list[tuple[int, int]](), piles[-1] if piles else -1
    while at >= 0:
        chosen.append(pairs[at])
        at = before[at]
    return chosen[::-1]

"""Which lines of a new version stand where lines of an old one stood.

Lines that are the same but for white space, and occur once in each version, hold the two together; what
stands beside them is matched outwards. Only what is left between is given to difflib, and only if small,
so that a file of 100,000 lines costs no more than in proportion.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher

_GAP = 1_000  # lines of either version that difflib is given
_BLANKS = b" \t\r\n\f\v"


def squeezed(data: bytes) -> bytes:
    """Return `data` without its white space."""
    return data.translate(None, _BLANKS)


class Alignment:
    """The lines of an old version, each with its place in the new one where it has one."""

    def __init__(self, old: Sequence[bytes], new: Sequence[bytes]) -> None:
        self._old, self._new = [squeezed(line) for line in old], [squeezed(line) for line in new]
        self._to = [-1] * len(old)
        ahead, behind = self._ends()
        self._anchor(ahead, behind)
        self._spread()

    def region(self, first: int, last: int) -> tuple[int, int]:
        """Return the lines of the new version that stand where `first` up to `last` stood; maybe none."""
        start, end = self._place(first)[0], self._place(last - 1)[1]
        return start, max(start, end)

    def _ends(self) -> tuple[int, int]:
        """Match the lines at both ends, and return how many are the same there."""
        most = min(len(self._old), len(self._new))
        ahead = behind = 0
        while ahead < most and self._old[ahead] == self._new[ahead]:
            self._to[ahead] = ahead
            ahead += 1
        while behind < most - ahead and self._old[-1 - behind] == self._new[-1 - behind]:
            behind += 1
            self._to[len(self._old) - behind] = len(self._new) - behind
        return ahead, behind

    def _anchor(self, ahead: int, behind: int) -> None:
        """Match lines that are unique in both middles: the longest run of them that keeps its order."""
        olds, news = range(ahead, len(self._old) - behind), range(ahead, len(self._new) - behind)
        once = Counter(self._old[at] for at in olds), Counter(self._new[at] for at in news)
        where = {self._new[at]: at for at in news if self._new[at] and once[1][self._new[at]] == 1}
        pairs = [
            (at, where[self._old[at]])
            for at in olds
            if once[0][self._old[at]] == 1 and self._old[at] in where
        ]
        for at, to in _rising(pairs):
            self._to[at] = to

    def _spread(self) -> None:
        """Match the lines beside matched ones, downwards and then upwards."""
        for at in range(1, len(self._to)):
            after = self._to[at - 1] + 1  # 0: the line before has no place
            if self._to[at] < 0 < after < len(self._new) and self._new[after] == self._old[at]:
                self._to[at] = after
        self._drop_crossed()
        for at in range(len(self._to) - 2, -1, -1):
            before = self._to[at + 1] - 1
            if self._to[at] < 0 <= before and self._new[before] == self._old[at]:
                self._to[at] = before
        self._drop_crossed()

    def _drop_crossed(self) -> None:
        """Forget matches that a spreading run took from the next one: a line has one place."""
        limit = len(self._new)
        for at in range(len(self._to) - 1, -1, -1):
            if self._to[at] >= limit:
                self._to[at] = -1
            elif self._to[at] >= 0:
                limit = self._to[at]

    def _place(self, line: int) -> tuple[int, int]:
        """Return the lines of the new version that stand where one line stood."""
        if self._to[line] >= 0:
            return self._to[line], self._to[line] + 1
        first, last = line, line + 1  # the gap around it
        while first > 0 and self._to[first - 1] < 0:
            first -= 1
        while last < len(self._to) and self._to[last] < 0:
            last += 1
        start = self._to[first - 1] + 1 if first else 0
        end = self._to[last] if last < len(self._to) else len(self._new)
        if max(last - first, end - start) > _GAP:
            return start, end
        return _within(self._old[first:last], self._new[start:end], line - first, start)


def _within(old: Sequence[bytes], new: Sequence[bytes], line: int, start: int) -> tuple[int, int]:
    """Return where one line of a gap went, by difflib; lines replaced one for one stand for each other."""
    for _, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if i1 <= line < i2:
            if i2 - i1 == j2 - j1:
                return start + j1 + line - i1, start + j1 + line - i1 + 1
            return start + j1, start + j2
    return start, start


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
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

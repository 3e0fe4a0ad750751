"""What became of cited lines between two versions of a file."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from citeproof.corpus.code import lines as ranges
from citeproof.corpus.code.alignment import Alignment, squeezed
from citeproof.corpus.code.differing import differing
from citeproof.corpus.nouns import Change, Drift

MOST_LINES = 300_000  # of one version; beyond, lines are not followed
_PLACES = 1_000  # of the same block that are weighed
_SNIFFED = 8_000  # bytes in which git, too, looks for the NUL that tells a file is not text
_LARGE = 8_000_000  # bytes above which words are not looked for across lines
_LETTER = re.compile(rb"[0-9A-Za-z\x80-\xff]")
_LETTERS = 4  # a block with fewer letters and digits, like `}`, is anywhere and proves nothing


def drift(old: bytes, new: bytes, lines: str) -> Drift:
    """Return what became of the cited lines of `old` in `new`; without lines, of the whole file."""
    if not lines:
        return _whole(old, new)
    if _long(old) or _long(new):
        return Drift(Change.CONTENT, detail="the file changed; it has too many lines to say where")
    before, after = _split(old), _split(new)
    given, count = ranges.span(lines), len(before)
    if given is None or not 0 < given[0] <= min(given[1], count):
        why = ranges.problem(lines, count).replace(
            "of the file, which has", "of the cited version, which had"
        )
        return Drift(Change.UNKNOWN, detail=why)
    first, last = given[0] - 1, min(given[1], count)
    cut = f"the cited version had {count} lines" if given[1] > count else ""
    return _Block(before, after, first, last, cut).drift()


def _whole(old: bytes, new: bytes) -> Drift:
    if old == new:
        return Drift(Change.UNCHANGED)
    if squeezed(old) == squeezed(new):
        return Drift(Change.WHITESPACE)
    if b"\0" in old[:_SNIFFED] or b"\0" in new[:_SNIFFED]:
        return Drift(Change.CONTENT, detail="the file is not text")
    if _long(old) or _long(new):
        return Drift(Change.CONTENT, detail="it has too many lines to show them")
    return Drift(Change.CONTENT, diff=differing(_split(old), _split(new), 0, 0))


class _Block:
    """The cited lines, from `first` up to `last`, counted from 0."""

    def __init__(
        self, old: Sequence[bytes], new: Sequence[bytes], first: int, last: int, detail: str
    ) -> None:
        self._old, self._new = old, new
        self._first, self._last, self._detail = first, last, detail
        self._lines = self._old[first:last]
        self._bare = squeezed(b"".join(self._lines))

    def drift(self) -> Drift:
        """Return what became of them, the mildest thing that is true."""
        if self._new[self._first : self._last] == self._lines:
            return self._at(Change.UNCHANGED, self._first, self._last)
        exact = _places(self._new, self._lines)
        alone = self._telling() and len(_places(self._old, self._lines)) == 1
        if alone and len(exact) == 1:
            return self._at(Change.MOVED, exact[0], exact[0] + len(self._lines))
        start, end = Alignment(self._old, self._new).region(self._first, self._last)
        here = self._new[start : start + len(self._lines)] == self._lines
        if here or (exact and alone):
            place = start if here else min(exact, key=lambda at: abs(at - start))
            return self._at(Change.MOVED, place, place + len(self._lines))
        if (blank := self._blanks(start, end, alone=alone)) is not None:
            return self._at(Change.WHITESPACE, *blank)
        if not squeezed(b"".join(self._new[start:end])):
            return Drift(Change.REMOVED, detail=self._detail)
        if end - start > 4 * len(self._lines) + 50:
            return Drift(Change.CONTENT, detail="too much changed around them to say where they would stand")
        shown = differing(self._lines, self._new[start:end], self._first, start)
        return self._at(Change.CONTENT, start, end, shown)

    def _at(self, change: Change, start: int, end: int, diff: str = "") -> Drift:
        return Drift(change, ranges.written(start + 1, end), diff=diff, detail=self._detail)

    def _telling(self) -> bool:
        """Return whether the same words elsewhere would be these lines and not a chance."""
        return len(_LETTER.findall(self._bare[:200])) >= _LETTERS

    def _blanks(self, start: int, end: int, *, alone: bool) -> tuple[int, int] | None:
        """Return where they stand now but for white space: in their place, or anywhere if they are unique."""
        if start < end and squeezed(b"".join(self._new[start:end])) == self._bare:
            return _trimmed(self._new, start, end) if self._bare else (start, end)
        found = _wrapped(self._new, self._bare) if alone else []
        return min(found, key=lambda at: abs(at[0] - start), default=None)


def _long(data: bytes) -> bool:
    return data.count(b"\n") > MOST_LINES


def _split(data: bytes) -> list[bytes]:
    """Return the lines without their newlines; a last one that has none counts."""
    found = data.split(b"\n")
    return found[:-1] if not found[-1] else found


def _places(lines: Sequence[bytes], block: Sequence[bytes]) -> list[int]:
    """Return the indexes at which a block of lines stands, in order."""
    text, wanted = b"\n" + b"\n".join(lines) + b"\n", b"\n" + b"\n".join(block) + b"\n"
    found, at, index, since = list[int](), text.find(wanted), 0, 0
    while at >= 0 and len(found) < _PLACES:
        index, since = index + text.count(b"\n", since, at), at
        found.append(index)
        at = text.find(wanted, at + 1)
    return found


def _wrapped(lines: Sequence[bytes], bare: bytes) -> list[tuple[int, int]]:
    """Return where words stand, whatever white space is between them; they begin and end where words do."""
    words = [line.split() for line in lines] if sum(map(len, lines)) <= _LARGE else []
    ends = list(accumulate(sum(map(len, line)) for line in words))
    edges = set(accumulate((len(word) for line in words for word in line), initial=0))
    text = b"".join(word for line in words for word in line)
    found, at = list[tuple[int, int]](), text.find(bare)
    for _ in range(_PLACES):
        if at < 0:
            break
        if at in edges and at + len(bare) in edges:
            found.append((bisect_right(ends, at), bisect_right(ends, at + len(bare) - 1) + 1))
        at = text.find(bare, at + 1)
    return found


def _trimmed(lines: Sequence[bytes], start: int, end: int) -> tuple[int, int]:
    """Return the range without blank lines at its ends."""
    while not lines[start].strip():
        start += 1
    while not lines[end - 1].strip():
        end -= 1
    return start, end

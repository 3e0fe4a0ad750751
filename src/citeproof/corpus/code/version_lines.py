"""The lines of one version of a file, and where some of them are in it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

_PLACES = 100  # of the same block that are weighed
_LARGE = 1_000_000  # bytes above which words are not searched for across lines


class VersionLines:
    """The lines without their newlines; a last one that has none counts."""

    def __init__(self, data: bytes) -> None:
        found = data.split(b"\n")
        self.lines = found[:-1] if not found[-1] else found

    def places(self, block: Sequence[bytes]) -> list[int]:
        """Return the indexes at which a block of lines stands, in order."""
        text, wanted = self._text, b"\n" + b"\n".join(block) + b"\n"
        found, at = list[int](), text.find(wanted)
        while at >= 0 and len(found) < _PLACES:
            found.append(bisect_right(self._starts, at) - 1)
            at = text.find(wanted, at + 1)
        return found

    def find_wrapped(self, bare: bytes) -> list[tuple[int, int]]:
        """Return where words stand, whatever white space is between; they begin and end where words do."""
        text, ends, edges = self._words
        found, at = list[tuple[int, int]](), text.find(bare)
        for _ in range(_PLACES):
            if at < 0:
                break
            if at in edges and at + len(bare) in edges:
                found.append((bisect_right(ends, at), bisect_right(ends, at + len(bare) - 1) + 1))
            at = text.find(bare, at + 1)
        return found

    @cached_property
    def _text(self) -> bytes:
        return b"\n" + b"\n".join(self.lines) + b"\n"

    @cached_property
    def _starts(self) -> list[int]:
        """The place in the text of the newline before each line."""
        return list(accumulate((len(line) + 1 for line in self.lines), initial=0))

    @cached_property
    def _words(self) -> tuple[bytes, list[int], set[int]]:
        """The text without white space, where its lines end, and where its words do."""
        words = [line.split() for line in self.lines] if len(self._text) <= _LARGE else []
        ends = list(accumulate(sum(map(len, line)) for line in words))
        edges = set(accumulate((len(word) for line in words for word in line), initial=0))
        return b"".join(word for line in words for word in line), ends, edges

"""What became of cited lines between two versions of a file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from citeproof.corpus.code import line_ranges as ranges
from citeproof.corpus.code.alignment import LineAlignment, is_only_respaced
from citeproof.corpus.code.line_diff import format_line_diff
from citeproof.corpus.code.version_lines import VersionLines
from citeproof.corpus.corpus_types import Drift, LineChange

MOST_LINES = 300_000  # of one version; beyond, lines are not followed
_SNIFFED = 8_000  # bytes in which git, too, looks for the NUL that tells a file is not text
_LETTER = re.compile(rb"[0-9A-Za-z\x80-\xff]")
_LETTERS = 4  # a block with fewer letters and digits, like `}`, is anywhere and proves nothing


class VersionComparison:
    """Two versions of a file, compared once, however many of their lines are asked for."""

    def __init__(self, old: bytes, new: bytes) -> None:
        self._old, self._new = old, new
        self.size = len(old) + len(new)

    def find_drift(self, lines: str) -> Drift:
        """Return what became of the cited lines; without lines, of the whole file."""
        if not lines:
            return self._whole
        if self._long:
            return Drift(LineChange.CONTENT, detail="the file changed; it has too many lines to say where")
        given, count = ranges.parse_line_range(lines), len(self.before.lines)
        if given is None or not 0 < given[0] <= min(given[1], count):
            why = ranges.describe_range_problem(lines, count).replace(
                "the file, which has", "the cited version, which had"
            )
            return Drift(LineChange.UNKNOWN, detail=why)
        first, last = given[0] - 1, min(given[1], count)
        cut = f"the cited version had {count} lines" if given[1] > count else ""
        return _CitedBlock(self, first, last, cut).find_drift()

    @cached_property
    def before(self) -> VersionLines:
        """The cited version."""
        return VersionLines(self._old)

    @cached_property
    def after(self) -> VersionLines:
        """The file now."""
        return VersionLines(self._new)

    @cached_property
    def aligned(self) -> LineAlignment:
        """Which lines stand where others stood."""
        return LineAlignment(self.before.lines, self.after.lines)

    @cached_property
    def _long(self) -> bool:
        return max(self._old.count(b"\n"), self._new.count(b"\n")) > MOST_LINES

    @cached_property
    def _whole(self) -> Drift:
        if self._old == self._new:
            return Drift(LineChange.UNCHANGED)
        if is_only_respaced(self._old, self._new):
            return Drift(LineChange.WHITESPACE)
        if b"\0" in self._old[:_SNIFFED] or b"\0" in self._new[:_SNIFFED]:
            return Drift(LineChange.CONTENT, detail="the file is not text")
        if self._long:
            return Drift(LineChange.CONTENT, detail="it has too many lines to show them")
        return Drift(LineChange.CONTENT, diff=format_line_diff(self.before.lines, self.after.lines, 0, 0))


class _CitedBlock:
    """The cited lines, from `first` up to `last`, counted from 0."""

    def __init__(self, both: VersionComparison, first: int, last: int, detail: str) -> None:
        self._both, self._new = both, both.after.lines
        self._first, self._last, self._detail = first, last, detail
        self._lines = both.before.lines[first:last]

    def find_drift(self) -> Drift:
        """Return what became of them, the mildest thing that is true."""
        if self._new[self._first : self._last] == self._lines:
            return self._make_drift(LineChange.UNCHANGED, self._first, self._last)
        aligned = self._both.aligned
        bare = aligned.strip_lines(self._first, self._last)
        exact = self._both.after.places(self._lines)
        alone = _is_distinctive(bare) and len(self._both.before.places(self._lines)) == 1
        if alone and len(exact) == 1:
            return self._make_drift(LineChange.MOVED, exact[0], exact[0] + len(self._lines))
        start, end = aligned.region(self._first, self._last)
        here = self._new[start : start + len(self._lines)] == self._lines
        if here or (exact and alone):
            place = start if here else min(exact, key=lambda at: abs(at - start))
            return self._make_drift(LineChange.MOVED, place, place + len(self._lines))
        if (blank := self._blanks(start, end, bare, alone=alone)) is not None:
            return self._make_drift(LineChange.WHITESPACE, *blank)
        if aligned.has_words(start, end, b""):
            return Drift(LineChange.REMOVED, detail=self._detail)
        if end - start > 4 * len(self._lines) + 50:
            return Drift(LineChange.CONTENT, detail="too much changed around them to say where they are now")
        shown = format_line_diff(self._lines, self._new[start:end], self._first, start)
        return self._make_drift(LineChange.CONTENT, start, end, shown)

    def _make_drift(self, change: LineChange, start: int, end: int, diff: str = "") -> Drift:
        return Drift(change, ranges.format_line_range(start + 1, end), diff=diff, detail=self._detail)

    def _blanks(self, start: int, end: int, bare: bytes, *, alone: bool) -> tuple[int, int] | None:
        """Return where they are now but for white space: in their place, or anywhere if they are unique."""
        if (
            start < end
            and self._both.aligned.has_words(start, end, bare)
            and self._has_same_words(start, end)
        ):
            return _trim_blank_lines(self._new, start, end) if bare else (start, end)
        found = self._both.after.find_wrapped(bare) if alone else []
        found = [at for at in found if self._has_same_words(*at)]
        return min(found, key=lambda at: abs(at[0] - start), default=None)

    def _has_same_words(self, start: int, end: int) -> bool:
        """Return whether lines of the new version, the same but for white space, have the same words."""
        return is_only_respaced(b"\n".join(self._lines), b"\n".join(self._new[start:end]))


def _is_distinctive(bare: bytes) -> bool:
    """Return whether the same words elsewhere would be the cited ones and not a chance."""
    return len(_LETTER.findall(bare[:200])) >= _LETTERS


def _trim_blank_lines(lines: Sequence[bytes], start: int, end: int) -> tuple[int, int]:
    """Return the range without blank lines at its ends."""
    while not lines[start].strip():
        start += 1
    while not lines[end - 1].strip():
        end -= 1
    return start, end

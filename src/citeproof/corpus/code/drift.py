"""What became of cited lines between two versions of a file: each pair is compared once in a run."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import cached_property
from itertools import accumulate, islice

from citeproof.corpus.code import describe_range_problem, format_line_range, parse_line_range
from citeproof.corpus.code.alignment import LineAlignment, is_only_respaced
from citeproof.corpus.corpus_types import Drift, LineChange
from citeproof.text import lazy_patterns as re
from citeproof.text.unicode import show_controls

_PLACES = 100  # of the same block that are weighed
_LARGE = 1_000_000  # bytes above which words are not searched for across lines

LINES, WIDTH = 20, 200
_WINDOW = 60  # lines of either side that are compared: more is not shown, and difflib can take their cube

MOST_LINES = 300_000  # of one version; beyond, lines are not followed
_SNIFFED = 8_000  # bytes in which git, too, looks for the NUL by which a file is not text
_LETTER = re.compile(rb"[0-9A-Za-z\x80-\xff]")
_LETTERS = 4  # a block with fewer letters and digits, like `}`, is anywhere and proves nothing


class VersionComparison:
    """Two versions of a file, compared once, however many of their lines are asked for."""

    def __init__(self, old: bytes, new: bytes) -> None:
        self._old, self._new = old, new

    def find_drift(self, lines: str) -> Drift:
        """Return what became of the cited lines; without lines, of the whole file."""
        if not lines:
            return self._whole
        if self._long:
            return Drift(LineChange.CONTENT, detail="the file changed; it has too many lines to say where")
        given, count = parse_line_range(lines), len(self.before.lines)
        if given is None or not 0 < given[0] <= min(given[1], count):
            why = describe_range_problem(lines, count).replace(
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
        distinctive = len(_LETTER.findall(bare[:200])) >= _LETTERS
        alone = distinctive and len(self._both.before.places(self._lines)) == 1
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
        return Drift(change, format_line_range(start + 1, end), diff=diff, detail=self._detail)

    def _blanks(self, start: int, end: int, bare: bytes, *, alone: bool) -> tuple[int, int] | None:
        """Return where they are now but for white space: in their place, or anywhere if they are unique."""
        if (
            start < end
            and self._both.aligned.has_words(start, end, bare)
            and self._has_same_words(start, end)
        ):
            return _trim_blank_lines(self._new, start, end) if bare else (start, end)
        places = self._both.after.find_wrapped(bare) if alone else []
        places = [at for at in places if self._has_same_words(*at)]
        return min(places, key=lambda at: abs(at[0] - start), default=None)

    def _has_same_words(self, start: int, end: int) -> bool:
        """Return whether lines of the new version, the same but for white space, have the same words."""
        return is_only_respaced(b"\n".join(self._lines), b"\n".join(self._new[start:end]))


def _trim_blank_lines(lines: Sequence[bytes], start: int, end: int) -> tuple[int, int]:
    while not lines[start].strip():
        start += 1
    while not lines[end - 1].strip():
        end -= 1
    return start, end


def format_line_diff(old: Sequence[bytes], new: Sequence[bytes], old_at: int, new_at: int) -> str:
    """Return a unified diff of lines that begin at these places of their files; bounded, safe to show."""
    most = min(len(old), len(new))
    ahead = next((at for at in range(most) if old[at] != new[at]), most)
    skip = max(0, ahead - 1)  # one line before the first change is shown
    before = [_format_diff_line(line) for line in old[skip : skip + _WINDOW]]
    after = [_format_diff_line(line) for line in new[skip : skip + _WINDOW]]
    shown = list(islice(_format_hunks(before, after, old_at + skip, new_at + skip), LINES + 1))
    return "\n".join(shown if len(shown) <= LINES else [*shown[: LINES - 1], "…"])


def _format_hunks(old: Sequence[str], new: Sequence[str], old_at: int, new_at: int) -> Iterator[str]:
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(1):
        i1, i2, j1, j2 = group[0][1], group[-1][2], group[0][3], group[-1][4]
        yield f"@@ -{_format_diff_range(old_at + i1, i2 - i1)} +{_format_diff_range(new_at + j1, j2 - j1)} @@"
        for tag, a1, a2, b1, b2 in group:
            if tag == "equal":
                yield from (f" {line}" for line in old[a1:a2])
            else:
                yield from (f"-{line}" for line in old[a1:a2])
                yield from (f"+{line}" for line in new[b1:b2])


def _format_diff_range(at: int, count: int) -> str:
    """Return a range as unified diffs write it: an empty one names the line before it."""
    return f"{at + 1 if count else at},{count}"


def _format_diff_line(line: bytes) -> str:
    """Return one line as text that a terminal may see, cut to its width."""
    text = line[: 4 * WIDTH].decode("utf-8", "replace").rstrip("\r").expandtabs(4)
    text = show_controls(text)
    return text if len(text) < WIDTH else text[: WIDTH - 2] + "…"


class VersionLines:
    """The lines without their newlines; a last one that has none counts."""

    def __init__(self, data: bytes) -> None:
        lines = data.split(b"\n")
        self.lines = lines[:-1] if not lines[-1] else lines

    def places(self, block: Sequence[bytes]) -> list[int]:
        """Return the indexes at which a block of lines stands, in order."""
        text, wanted = self._text, b"\n" + b"\n".join(block) + b"\n"
        indexes, at = list[int](), text.find(wanted)
        while at >= 0 and len(indexes) < _PLACES:
            indexes.append(bisect_right(self._starts, at) - 1)
            at = text.find(wanted, at + 1)
        return indexes

    def find_wrapped(self, bare: bytes) -> list[tuple[int, int]]:
        """Return where words stand, whatever white space is between; they begin and end where words do."""
        text, ends, edges = self._words
        ranges, at = list[tuple[int, int]](), text.find(bare)
        for _ in range(_PLACES):
            if at < 0:
                break
            if at in edges and at + len(bare) in edges:
                ranges.append((bisect_right(ends, at), bisect_right(ends, at + len(bare) - 1) + 1))
            at = text.find(bare, at + 1)
        return ranges

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

"""What became of cited lines between two versions of a file: each pair is compared once in a run.

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
from functools import cached_property
from itertools import accumulate, islice
from operator import itemgetter
from typing import TypeAlias

from citeproof.corpus.code import describe_range_problem, format_line_range, parse_line_range
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
Piece: TypeAlias = tuple[int, int, int, int]  # lines of the old version, lines of the new: first, up to last

_ROUNDS = 4  # in which gaps are looked through for lines that occur once in them
_GAP = 80  # lines of either version that difflib is given
_GAPS = 200  # of one alignment that it is given
_BLANKS = b" \t\r\n\f\v"
_PARTS = re.compile(rb"(?<=[0-9A-Za-z_\x80-\xff])[ \t\r\n\f\v]+(?=[0-9A-Za-z_\x80-\xff])")


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

"""What goes of a leaf: citations, with the brackets, separators and blanks that were only there for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from citeproof.answers.fix.formats.markdown.document_shape import ShapeLeaf
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table
from citeproof.text.span_set import SpanSet

_PAIRS = {"(": ")", "[": "]", "（": "）"}
_OPENING, _CLOSING = "([（", ")]）"
_STOPS = ".,;:!?"
_BLANKS = " \t"
_MARGIN = re.compile(r"[ \t>]{0,400}")  # before what a line says, inside quotations and lists
_WORD = re.compile(r"\S")
_NEAR = 400  # characters in which blanks, a stop or a word are searched for
_LINES = 50  # lines of a paragraph in which a place is searched for


@dataclass(slots=True)
class EditedLeaf:
    """A leaf, and the stretches of it that go or change."""

    text: str
    leaf: ShapeLeaf
    cited: SpanSet  # code citations, which no note may be in
    gone: SpanSet = field(default_factory=SpanSet)
    changed: SpanSet = field(default_factory=SpanSet)

    @property
    def cell(self) -> bool:
        return self.leaf.kind == "TableCell"

    def line(self, at: int) -> tuple[int, int]:
        """Return where the words of the line begin and end that `at` is in; a break at its end is not one.

        A line whose end goes is one with the next.
        """
        first = self._line_end(at, back=True)
        if first < 0:
            first = self.leaf.start
        elif margin := _MARGIN.match(self.text, first + 1):
            first = min(margin.end(), self.leaf.end)
        last = self._line_end(at, back=False)
        return first, self._find_words_end(first, self.leaf.end if last < 0 else last)

    def _line_end(self, at: int, *, back: bool) -> int:
        """Return the place of the line end before or behind `at` that stays; -1 if there is none."""
        while True:
            if back:
                at = self.text.rfind("\n", self.leaf.start, at)
            else:
                at = self.text.find("\n", at, self.leaf.end)
            if at < 0 or self.gone.is_free(at, at + 1):
                return at
            at += not back

    def _find_words_end(self, first: int, last: int) -> int:
        """Return the end of the words of a line: before blanks, and before a backslash that breaks it."""
        first = max(first, last - _NEAR)
        words = self.text[first:last].rstrip(" \t\r")
        if last < self.leaf.end and (len(words) - len(words.rstrip("\\"))) % 2:
            words = words[:-1].rstrip(" \t")
        return first + len(words)

    def keep_stretch(self, start: int, end: int) -> str:
        """Return what stays of a short stretch."""
        parts: list[str] = []
        for low, high in self.gone.list_meeting(start, end):
            parts.append(self.text[start : max(start, low)])
            start = max(start, high)
        return "".join(parts) + self.text[start:end]

    def find_last_sign(self, at: int) -> str:
        """Return the last sign that stays before `at` and is no blank, of those near; empty if none is."""
        return self.keep_stretch(max(self.leaf.start, at - _NEAR), at).rstrip()[-1:]

    def keeps_words(self, start: int, end: int) -> bool:
        """Return whether any word of a stretch stays."""
        for low, high in self.gone.list_meeting(start, end):
            if _WORD.search(self.text, start, max(start, low)):
                return True
            start = max(start, high)
        return _WORD.search(self.text, start, end) is not None

    def has_text_before(self, at: int) -> bool:
        """Return whether something stays before `at` on its line: a comment must not begin one."""
        first = self.line(at)[0]
        if self.keeps_words(first, at):
            return True
        begun = self.text.rfind("\n", 0, self.leaf.start) + 1
        before = self.text[begun : self.leaf.start]
        marked = "|" in before if self.cell else self.leaf.kind == "Heading" and "#" in before
        return first == self.leaf.start and marked

    def place_comment(self, at: int) -> int | None:
        """Return where a comment wanted at `at` goes; None if it can only be alone."""
        for wish in self._list_places(at):
            place = self.outside(wish)
            if self.has_text_before(place):
                return place
        return None

    def _list_places(self, at: int) -> Iterator[int]:
        """Yield the places to try: here, the end of the line, of those before it, of those behind it."""
        yield at
        yield self.line(at)[1]
        up, down = at, at - 1
        for _ in range(_LINES):
            up = self.text.rfind("\n", self.leaf.start, up)
            if up < 0:
                break
            yield self.line(up)[1]
        for _ in range(_LINES):
            down = self.text.find("\n", down + 1, self.leaf.end)
            if down < 0:
                break
            yield self.line(down + 1)[1]

    def outside(self, at: int) -> int:
        """Return the next place that is in no element, no code citation, and nothing that goes."""
        for _ in range(20):
            moved = self.leaf.find_element_end(self.cited.find_span_end(self.find_stretch_end(at)))
            if moved == at:
                break
            at = moved
        return at

    def find_stretch_end(self, at: int) -> int:
        """Return the end of the stretch that goes or changes and has `at` inside it, else `at`."""
        return self.changed.find_span_end(self.gone.find_span_end(at))


def _load_word_table() -> dict[str, list[str]]:
    return load_package_table("citeproof.answers.fix.formats.markdown", "words.toml")


@cache
def _compile_joint() -> re.Pattern[str]:
    """Return what may be between two citations of one list."""
    words = "|".join(map(re.escape, _load_word_table()["join"]))
    return re.compile(rf"\s{{0,9}}[,;]?\s{{0,9}}(?:(?:{words})\s{{1,9}})?")


@cache
def _compile_lead() -> re.Pattern[str]:
    words = "|".join(map(re.escape, sorted(_load_word_table()["lead"], key=len, reverse=True)))
    return re.compile(rf"(?<=[(\[（])(?:{words})[ \t]{{0,9}}$", re.IGNORECASE)


@cache
def _compile_trailing() -> re.Pattern[str]:
    """Return a joining word, or a separator, that ends what comes before a citation."""
    words = "|".join(map(re.escape, _load_word_table()["join"]))
    return re.compile(rf"(?:[ \t]{{0,9}}[,;])?(?:[ \t]{{1,9}}(?:{words}))?[ \t]{{0,9}}$")


def group_runs(text: str, spans: Sequence[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Return the spans, those together between which nothing else would stay."""
    made: list[list[tuple[int, int]]] = []
    for span in sorted(spans):
        if made and _compile_joint().fullmatch(text, made[-1][-1][1], span[0]):
            made[-1].append(span)
        else:
            made.append([span])
    return made


def extend_cut(slate: EditedLeaf, start: int, end: int) -> tuple[int, int]:
    """Return all that goes with the citation from `start` to `end`."""
    start, end = _extend_to_wrapping(slate, start, end)
    start, end = _extend_to_separator(slate, start, end)
    return _extend_to_blank(slate, start, end)


def _extend_to_wrapping(slate: EditedLeaf, start: int, end: int) -> tuple[int, int]:
    """Return the span with the brackets, emphasis and links that would be empty without it."""
    text, leaf = slate.text, slate.leaf
    for _ in range(20):
        before = (start, end)
        for element in leaf.list_enclosing(start, end):
            low, high = element.inner
            if low >= 0 and not text[low:start].strip() and not text[end:high].strip():
                start, end = element.start, element.end
        low, high = _skip_blanks_back(text, start, leaf.start), _skip_blanks(text, end, leaf.end)
        led = _compile_lead().search(text, max(leaf.start, low - 40), low)
        low = led.start() if led else low
        paired = leaf.start < low and high < leaf.end and _PAIRS.get(text[low - 1]) == text[high]
        if paired and not _is_link(text, low - 1, high + 1):
            start, end = low - 1, high + 1
        if (start, end) == before:
            break
    return start, end


def _is_link(text: str, start: int, end: int) -> bool:
    """Return whether brackets belong to a link: [here](there), [here][there], (there) behind a bracket."""
    return text[end : end + 1] in ("(", "[") or (text[start] == "(" and text[start - 1 : start] == "]")


def _extend_to_separator(slate: EditedLeaf, start: int, end: int) -> tuple[int, int]:
    """Return the span with the comma or the word that joined it to its neighbours."""
    text, leaf = slate.text, slate.leaf
    after = text[_skip_blanks(text, end, leaf.end) : leaf.end][:1]
    opened = start > leaf.start and text[start - 1] in _OPENING
    if opened or not slate.keeps_words(leaf.start, start):
        joined = _compile_joint().match(text, end, leaf.end)
        end = joined.end() if joined and joined[0].strip() else end
        if not opened:  # the leaf begins with what followed: ". Then" or ": then"
            stops = end
            while stops < leaf.end and text[stops] in _STOPS:
                stops += 1
            end = _skip_blanks(text, stops, leaf.end) if stops > end else end
        return start, end
    if after == "." and slate.find_last_sign(start) in (".", "!", "?"):
        return start, _skip_blanks(text, end, leaf.end) + 1  # a citation that was a sentence of its own
    if not after or after in f"{_CLOSING}{_STOPS}":
        match = _compile_trailing().search(text, max(leaf.start, start - 40), start)
        if match and match[0].strip():
            start = match.start()
    return start, end


def _extend_to_blank(slate: EditedLeaf, start: int, end: int) -> tuple[int, int]:
    """Return the span with one blank next to it, or with the whole line where nothing else was on it."""
    text, leaf = slate.text, slate.leaf
    first = slate.line(start)[0]
    begins = not slate.keeps_words(first, start)
    ends = not slate.keeps_words(end, slate.line(end)[1])
    if begins and ends and not slate.cell:
        return _extend_to_line(slate, first, start, end)
    # emphasis neither begins nor ends with a blank
    inner = [element.inner for element in leaf.list_enclosing(start, end)]
    if begins or text[start - 1] in _OPENING or any(low == start for low, _ in inner):
        return start, _skip_blanks(text, end, leaf.end)
    if ends or text[end] in f"{_BLANKS}{_STOPS}{_CLOSING}" or any(high == end for _, high in inner):
        return max(first, _skip_blanks_back(text, start, first)), end
    return start, end


def _extend_to_line(slate: EditedLeaf, first: int, start: int, end: int) -> tuple[int, int]:
    """Return the span with the end of the line that it leaves empty."""
    text, leaf = slate.text, slate.leaf
    after = text.find("\n", end, leaf.end)
    if first > leaf.start and slate.keeps_words(leaf.start, start):
        before = text.rfind("\n", leaf.start, start)
        before -= text[before - 1] == "\r"
        bare = slate.line(before)[1]
        if not text[bare:before].strip():
            return before, end
        if after < 0 or text[end:after].strip():  # a backslash breaks the line before: it goes, or ours does
            return bare, end
        return first, slate.line(after + 1)[0]
    if after < 0:
        return start, _skip_blanks(text, end, leaf.end)
    return start, slate.line(after + 1)[0]


def _skip_blanks(text: str, at: int, most: int) -> int:
    while at < most and text[at] in _BLANKS:
        at += 1
    return at


def _skip_blanks_back(text: str, at: int, least: int) -> int:
    while at > least and text[at - 1] in _BLANKS:
        at -= 1
    return at

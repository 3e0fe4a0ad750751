"""One leaf of a document while it is fixed: what of it goes, and where a note may be put."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from citeproof.answers.fix.formats.markdown.document_shape import ShapeLeaf
from citeproof.text import lazy_patterns as re
from citeproof.text.span_set import SpanSet

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

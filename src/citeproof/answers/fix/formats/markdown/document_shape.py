"""A Markdown document's shape: its leaves of running text, what is in them, and the order of its blocks.

A leaf is what holds words: a paragraph, a heading, a table cell, the text of a tight list item. Front matter,
code blocks and HTML blocks are none, so nothing is ever written into them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from citeproof.text import lazy_patterns as re
from citeproof.text.markdown_reader import MARKDOWN, map_byte_offsets, skip_front_matter

_INLINE = frozenset(("Emphasis", "Strong", "Strikethrough", "Link", "Image", "Superscript", "Subscript"))
_WHOLE = frozenset(("Code", "InlineHtml", "InlineMath", "DisplayMath", "FootnoteReference"))
_BREAKS = frozenset(("Text", "SoftBreak", "HardBreak"))
_HOLDS = frozenset(("Paragraph", "Heading", "TableCell", "Item", "FootnoteDefinition"))
_SOLID = frozenset(("Code", "Link", "Image", "InlineHtml", "InlineMath", "DisplayMath"))
_NEAR = 200  # elements before a place that are examined for one that holds it
COMMENT = re.compile(r"<!-- [^>]{1,400}-->")  # as `notes.py` writes them
_HTML = frozenset(("InlineHtml", "Html"))


@dataclass(slots=True)
class InlineElement:
    """One inline element: emphasis, link, code span, …; `inner` is what is between its delimiters."""

    kind: str
    start: int
    end: int
    said: str  # what an event says next to its kind
    inner: tuple[int, int] = (-1, -1)


@dataclass(slots=True)
class ShapeLeaf:
    """A stretch of running text and the inline elements in it."""

    kind: str
    start: int
    end: int
    elements: list[InlineElement] = field(default_factory=list)
    outer: list[InlineElement] = field(default_factory=list)  # those that are in no other

    def add(self, element: InlineElement, *, inside: bool) -> None:
        """Take one more element, in the order of their starts."""
        self.elements.append(element)
        if not inside:
            self.outer.append(element)

    def find_element_end(self, at: int) -> int:
        """Return the end of the outermost element that has `at` inside it, else `at`."""
        index = bisect_left(self.outer, at, key=lambda element: element.start) - 1
        return self.outer[index].end if index >= 0 and at < self.outer[index].end else at

    def find_solid_end(self, at: int) -> int:
        """Return the end of the outermost link, code span or the like that has `at` inside, else `at`."""
        return next((element.end for element in self.list_enclosing(at, at) if element.kind in _SOLID), at)

    def list_enclosing(self, start: int, end: int) -> list[InlineElement]:
        """Return the elements that the span is inside, outermost first."""
        last = bisect_left(self.elements, start, key=lambda element: element.start)
        near = self.elements[max(0, last - _NEAR) : last]
        return [element for element in near if end < element.end]


@dataclass(slots=True)
class DocumentShape:
    """The leaves of a document in order, the order of its blocks, and the HTML that is in it."""

    leaves: list[ShapeLeaf] = field(default_factory=list)
    blocks: list[str] = field(default_factory=list)  # starts and ends of blocks; "text": the words in them
    tops: list[int] = field(default_factory=list)  # where blocks begin that are in no other
    html: list[str] = field(default_factory=list)

    def leaf(self, start: int, end: int) -> ShapeLeaf | None:
        """Return the leaf that holds the whole span."""
        at = bisect_right(self.leaves, start, key=lambda leaf: leaf.start) - 1
        leaf = self.leaves[at] if at >= 0 else None
        return leaf if leaf is not None and end <= leaf.end else None

    def find_last_leaf(self, start: int, end: int) -> ShapeLeaf | None:
        """Return the last leaf that a span reaches into: a quotation may have many paragraphs."""
        at = bisect_right(self.leaves, max(start, end - 1), key=lambda leaf: leaf.start) - 1
        leaf = self.leaves[at] if at >= 0 else None
        return leaf if leaf is not None and leaf.end > start else None


def read_shape(text: str, ours: frozenset[str] = frozenset()) -> DocumentShape:
    """Return the shape of a document; HTML that is one of `ours` counts as words, not as a block."""
    made = DocumentShape()
    reader = _ShapeReader(made, ours)
    for name, said, opens, start, end in _read_events(text):
        reader.take(name, said, opens, start, end)
    return made


def _read_events(text: str) -> Iterator[tuple[str, str, bool | None, int, int]]:
    """Yield kind, words, whether it opens (True) or closes (False) and the span in characters."""
    skip = skip_front_matter(text)
    body = text[skip:].encode("utf-8", "replace").decode()  # half a character becomes one question mark
    char = map_byte_offsets(body)
    for event, span in MARKDOWN.events_with_range(body):
        start, end = char(span["start"]) + skip, char(span["end"]) + skip
        if isinstance(event, str):
            yield event, "", None, start, end
            continue
        ((name, value),) = event.items()
        if name in ("Start", "End"):
            kind, said = _split_tag(value)
            yield kind, said, name == "Start", start, end
        else:
            yield name, value if isinstance(value, str) else repr(value), None, start, end


def _split_tag(value: object) -> tuple[str, str]:
    if isinstance(value, Mapping):
        ((kind, said),) = value.items()
        return str(kind), repr(said)
    return str(value), ""


class _ShapeReader:
    """Takes events one by one and fills in a shape."""

    def __init__(self, made: DocumentShape, ours: frozenset[str]) -> None:
        self._made, self._ours = made, ours
        self._blocks: list[str] = []
        self._open: list[InlineElement] = []
        self._leaf: ShapeLeaf | None = None
        self._held: list[str] | None = None  # of an HTML block that is being read

    def take(self, name: str, said: str, opens: bool | None, start: int, end: int) -> None:
        """Take one event."""
        if name in _HTML:
            self._made.html.append(said.strip())
        if name == "HtmlBlock" or self._held is not None:
            self._html(said, opens)
        elif name in _INLINE:
            self._element(name, said, start, end, opens=opens is True)
        elif name in _WHOLE or name in _BREAKS:
            self._words(name, said, start, end)
        else:
            self._block(name, said, end if opens is False else start, opens)

    def _block(self, name: str, said: str, at: int, opens: bool | None) -> None:
        self._leaf = None
        if opens is True:
            if not self._blocks:
                self._made.tops.append(at)
            self._blocks.append(name)
        elif opens is False:
            self._blocks.pop()
        if name != "Paragraph":  # tight and loose items, and a comment alone, count the same
            self._made.blocks.append(f"{name} {said}" if opens is not False else f"/{name}")
        elif opens is True:
            self._begin(at)

    def _html(self, said: str, opens: bool | None) -> None:
        """Count an HTML block of our own comments as words: a citation that stood alone became one."""
        if opens is True:
            self._held, self._leaf = [], None
        elif opens is False:
            held, self._held = self._held or [], None
            rest = COMMENT.sub(lambda comment: "" if comment[0] in self._ours else comment[0], "".join(held))
            self._made.blocks.append(f"HtmlBlock {held!r}" if rest.strip() or not held else "text")
        elif self._held is not None:
            self._held.append(said)

    def _begin(self, start: int) -> ShapeLeaf:
        holder = self._blocks[-1] if self._blocks else "Paragraph"
        self._leaf = ShapeLeaf(holder, start, start)
        if holder in _HOLDS:
            self._made.leaves.append(self._leaf)
        return self._leaf

    def _enter_leaf(self, start: int) -> ShapeLeaf:
        leaf = self._leaf or self._begin(start)
        if leaf.end == leaf.start:
            self._made.blocks.append("text")
        return leaf

    def _words(self, name: str, said: str, start: int, end: int) -> None:
        leaf = self._enter_leaf(start)
        leaf.end = max(leaf.end, end)
        if name in _WHOLE:
            leaf.add(InlineElement(name, start, end, said), inside=bool(self._open))
        self._inner(start, end)

    def _element(self, name: str, said: str, start: int, end: int, *, opens: bool) -> None:
        leaf = self._enter_leaf(start)
        leaf.end = max(leaf.end, end)
        if opens:
            self._inner(start, end)
            made = InlineElement(name, start, end, said)
            leaf.add(made, inside=bool(self._open))
            self._open.append(made)
        else:
            self._open.pop()

    def _inner(self, start: int, end: int) -> None:
        if self._open:
            low, high = self._open[-1].inner
            self._open[-1].inner = (start if low < 0 else low, max(high, end))

"""Markdown to its blocks: the parser's events, and what they say of places."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

from pyromark import Markdown, Options

from citeproof.text import lazy_patterns as re
from citeproof.vocabulary.quick_dataclass import dataclass, field

_LITERAL = re.compile(r"<(/?)(?:code|kbd|samp|pre|script|style)\b", re.IGNORECASE)
_OPENS = re.compile(r"[\s(\[\"'“‘]")
_CLOSES = re.compile(r"[.,;:!?)\]\"'”’]{0,4}(?:\s|\Z)")
_EMPHASIS = {"Emphasis": 1, "Strong": 2, "Strikethrough": 2}
_UNREAD = frozenset(("CodeBlock", "HtmlBlock"))
_SHARED = frozenset(("Item", "FootnoteDefinition"))
_ROWS = frozenset(("TableRow", "TableHead"))
MARKDOWN = Markdown(
    options=Options.ENABLE_TABLES
    | Options.ENABLE_FOOTNOTES
    | Options.ENABLE_STRIKETHROUGH
    | Options.ENABLE_TASKLISTS
    | Options.ENABLE_HEADING_ATTRIBUTES
    | Options.ENABLE_MATH
    | Options.ENABLE_GFM
)
# The parser would take a block between two rules for metadata anywhere in a document: only the first is.
_FRONT = re.compile(r"\ufeff?(?:(---)|\+\+\+)[ \t]{0,99}\r?\n(?=[^\r\n])")
_FRONT_ENDS = {
    True: re.compile(r"\n(?:---|\.\.\.)[ \t]{0,99}(?=[\r\n]|\Z)"),
    False: re.compile(r"\n\+\+\+[ \t]{0,99}(?=[\r\n]|\Z)"),
}
_WIDE = re.compile(r"[^\x00-\x7f]+")
# Characters that take the same number of bytes: between two breaks the way is a straight line.
_EQUAL = re.compile("[\u0080-\u07ff]+|[\u0800-\uffff]+|[\U00010000-\U0010ffff]+")


def read_blocks(text: str) -> PageBlocks:
    """Return the blocks of `text`, places in characters."""
    reader = _BlockReader(text)
    reader.read(skip_front_matter(text))
    return reader.found


class _BlockReader:
    """Follows the events; block structure lives in what is open, running text in the open leaf."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found = PageBlocks()
        self.leaf: PageLeaf | None = None
        self.heading = False
        self.broke = -1  # where a line of the open leaf ended early
        self.hidden = -1  # where literal HTML began: <code>…</code>
        self.unread = 0  # depth of what is not read: code, HTML, images, autolinks
        self.numbers = 0
        self.lists: list[int] = []
        self.shared: list[int] = []  # block numbers of open items and footnotes
        self.table = self.row = -1
        self.quotes: list[bool] = []  # of the open block quotes, whether it is a quotation
        self.note: str | None = None
        self.links: list[tuple[int, str, bool]] = []  # the open ones

    def read(self, skip: int) -> None:
        """Read the document from `skip` on."""
        body = self.text[skip:] if skip else self.text
        char = map_byte_offsets(body)
        for event, where in MARKDOWN.events_with_range(body, merge_text=True):
            start, end = char(where["start"]) + skip, char(where["end"]) + skip
            if isinstance(event, str):
                self._take_break(event, start)
                continue
            ((kind, value),) = event.items()
            if kind == "Text":
                if not self.unread:
                    self._extend_leaf(start, end)
            elif kind == "Start":
                self._start(value, start, end)
            elif kind == "End":
                self._end(value, start, end)
            elif not self.unread:
                self._take_inline(kind, str(value), start, end)
        self._close()

    # --- running text

    def _extend_leaf(self, start: int, end: int) -> None:
        """Let the open leaf reach over one piece of inline content; open one if there is none."""
        leaf = self.leaf
        if leaf is None:
            block = self.shared[-1] if self.shared and self.table < 0 else self._number()
            listed = self.lists[-1] if self.lists else -1
            self.leaf = PageLeaf(start, end, self.heading, block, listed, self.table, self.row, self.note)
            return
        if self.broke >= 0:
            self.found.blanks.append((self.broke, start))
            self.broke = -1
        leaf.end = max(leaf.end, end)

    def _take_break(self, event: str, start: int) -> None:
        if event == "Rule":
            self._close()
        elif self.leaf is not None and self.broke < 0:
            self.broke = start

    def _close(self) -> None:
        if self.leaf is not None:
            self.found.leaves.append(self.leaf)
        self.leaf, self.broke, self.hidden = None, -1, -1

    def _take_inline(self, kind: str, value: str, start: int, end: int) -> None:
        """Take in code, math, tags and footnote references; what belongs to no leaf is not read at all."""
        if kind == "Html" or (kind == "TaskListMarker" and self.leaf is None):
            return
        self._extend_leaf(start, end)
        if kind == "InlineHtml":
            self._tag(value, start, end)
        elif kind == "FootnoteReference":
            self.found.notes.append((start, end, value))
        else:
            self.found.fills.append((start, end))

    def _tag(self, tag: str, start: int, end: int) -> None:
        self.found.blanks.append((start, end))
        if literal := _LITERAL.match(tag):
            if literal[1] and self.hidden >= 0:
                self.found.fills.append((self.hidden, start))
            self.hidden = -1 if literal[1] else end

    def _emphasis(self, kind: str, start: int, end: int, *, at_start: bool) -> None:
        """Hide what makes words bold, but not the underscores of `src/__init__.py`."""
        self._extend_leaf(*((start, start) if at_start else (end, end)))
        width, sign = _EMPHASIS[kind], self.text[start]
        if sign == "~" and self.text[start : start + 2] != "~~":
            return  # "@~/a and @~/b" is no deletion
        before = not start or _OPENS.match(self.text, start - 1)
        if sign == "_" and not (before and _CLOSES.match(self.text, end)):
            return
        self.found.markup.append((start, start + width) if at_start else (end - width, end))

    # --- links and images

    def _start_link(self, value: dict[str, object], start: int, end: int) -> None:
        auto = value["link_type"] in ("Autolink", "Email")
        self.links.append((start + 1, str(value["dest_url"]), auto))
        if not self.unread:
            self._extend_leaf(start, end if auto else start)
            (self.found.fills if auto else self.found.markup).append((start, end if auto else start + 1))
        self.unread += auto

    def _end_link(self, start: int, end: int) -> None:
        first, url, auto = self.links.pop()
        self.unread -= auto
        if self.unread or self.leaf is None:
            return
        last = min(max(first, self.leaf.end), end)
        if self.text[end : end + 2] == "[]":  # a collapsed reference: the parser leaves its brackets out
            end += 2
        self._extend_leaf(end, end)
        if not auto:
            self.found.tails.append((last, end))
        self.found.links.append(PageLink(start, end, (first, last), url, auto))

    # --- structure

    def _number(self) -> int:
        self.numbers += 1
        return self.numbers - 1

    def _start(self, tag: object, start: int, end: int) -> None:
        kind, value = next(iter(tag.items())) if isinstance(tag, dict) else (str(tag), None)
        if kind in _EMPHASIS:
            if not self.unread:
                self._emphasis(kind, start, end, at_start=True)
        elif kind == "Link":
            self._start_link(dict(value or ()), start, end)
        elif kind == "Image":
            if not self.unread:
                self._extend_leaf(start, end)
                self.found.fills.append((start, end))
            self.unread += 1
        else:
            self._close()
            self._start_block(kind, value, start, end)

    def _start_block(self, kind: str, value: object, start: int, end: int) -> None:
        if kind == "Heading":
            self.heading = True
        elif kind == "List":
            self.lists.append(self._number())
        elif kind in _SHARED:
            self.shared.append(self._number())
            self.note = str(value) if kind == "FootnoteDefinition" else self.note
        elif kind == "Table":
            self.table = self._number()
        elif kind in _ROWS:
            self.row = self._number()
        elif kind == "BlockQuote":
            if value is None and not any(self.quotes):
                self.found.quotes.append((start, end))
            self.quotes.append(value is None)
        elif kind in _UNREAD:
            self.unread += 1
            if kind == "CodeBlock":
                self.found.code.append((start, end))

    def _end(self, tag: object, start: int, end: int) -> None:
        kind = next(iter(tag)) if isinstance(tag, dict) else str(tag)
        if kind in _EMPHASIS:
            if not self.unread:
                self._emphasis(kind, start, end, at_start=False)
        elif kind == "Link":
            self._end_link(start, end)
        elif kind == "Image":
            self.unread -= 1
        else:
            self._close()
            self._end_block(kind)

    def _end_block(self, kind: str) -> None:
        if kind == "Heading":
            self.heading = False
        elif kind == "List":
            self.lists.pop()
        elif kind in _SHARED:
            self.shared.pop()
            self.note = None if kind == "FootnoteDefinition" else self.note
        elif kind == "Table":
            self.table = -1
        elif kind in _ROWS:
            self.row = -1
        elif kind == "BlockQuote":
            self.quotes.pop()
        elif kind in _UNREAD:
            self.unread -= 1


@dataclass(slots=True)
class PageLeaf:
    """One block of running text: a paragraph, a heading, a cell, the text of an item."""

    start: int
    end: int
    heading: bool
    block: int  # paragraphs of one item or one footnote share it
    item: int = -1  # the list it is in
    table: int = -1
    row: int = -1
    note: str | None = None  # label of the footnote it belongs to


@dataclass(frozen=True, slots=True)
class PageLink:
    """One link: the whole of it, its text, and where it leads."""

    start: int
    end: int
    inner: tuple[int, int]  # of its text
    url: str
    auto: bool  # <https://…>


@dataclass(slots=True)
class PageBlocks:
    """The blocks of running text of a document, and what in them is not one."""

    leaves: list[PageLeaf] = field(default_factory=list)
    blanks: list[tuple[int, int]] = field(default_factory=list)  # tags, and what each line begins with
    markup: list[tuple[int, int]] = field(default_factory=list)  # of emphasis, and the bracket before a link
    tails: list[tuple[int, int]] = field(default_factory=list)  # behind the text of a link: where it leads
    fills: list[tuple[int, int]] = field(default_factory=list)  # represent a word: code, math, addresses
    notes: list[tuple[int, int, str]] = field(default_factory=list)  # references to footnotes, their labels
    links: list[PageLink] = field(default_factory=list)
    quotes: list[tuple[int, int]] = field(default_factory=list)  # block quotations, the outermost
    code: list[tuple[int, int]] = field(default_factory=list)  # blocks of code


def skip_front_matter(text: str) -> int:
    """Return where the document begins behind its front matter and byte order mark."""
    if (opening := _FRONT.match(text)) and (
        end := _FRONT_ENDS[opening[1] is not None].search(text, opening.end() - 1)
    ):
        return end.end()
    return 1 if text.startswith("\ufeff") else 0


def map_byte_offsets(text: str) -> Callable[[int], int]:
    """Return what turns a byte of `text` in UTF-8 into the character that it belongs to."""
    if text.isascii():
        return int
    at, chars, widths = [0], [0], [1]
    bytes_before, end = 0, 0
    for run in (run for wide in _WIDE.finditer(text) for run in _EQUAL.finditer(text, *wide.span())):
        bytes_before += run.start() - end
        end = run.end()
        width = 2 if text[run.start()] < "\u0800" else 3 if text[run.start()] < "\U00010000" else 4
        at.append(bytes_before)
        chars.append(run.start())
        widths.append(width)
        bytes_before += width * (end - run.start())
        at.append(bytes_before)
        chars.append(end)
        widths.append(1)

    def char(byte: int) -> int:
        index = bisect_right(at, byte) - 1
        return chars[index] + (byte - at[index]) // widths[index]

    return char

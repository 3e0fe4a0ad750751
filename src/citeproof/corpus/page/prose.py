"""Running text of a Markdown document in its own places: everything else is blanks."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property

from citeproof.corpus.corpus_types import Span
from citeproof.text import lazy_patterns as re
from citeproof.text.doi import trim_tail
from citeproof.text.markdown_reader import PageBlocks, PageLink, read_blocks
from citeproof.text.package_tables import load_package_table

WALL = "\ufdd0"  # no character of any language: it is between two blocks, and no pattern reads over it

_SURROGATE = re.compile("[\ud800-\udfff]")
_LINE = re.compile(r"[^\r\n]+")
_BREAK = re.compile(r"[\r\n]")
_ADDRESS = re.compile(r"https?://[^\s<>\"|\ufdd0]{1,2048}")
_INSIDE = re.compile(
    r"[*_~]|<!--|</?(?:a|b|big|del|em|font|i|ins|mark|s|small|span|strong|u|wbr)\b", re.IGNORECASE
)
_PAIRS = {"(": ")", "[": "]"}
# Where in a work: ", p. 5", ", pp. 3-4 and 7", " (p. 5)"; it goes with the citation before it.
_NUMBERS = r"\d{1,6}(?:\s?[-–—]\s?\d{1,6})?"
_PLACES = rf"\s{{0,2}}{_NUMBERS}(?:(?:\s?[,&]|\sand)\s?{_NUMBERS}(?!\w)){{0,5}}(?:\s?ff?\b\.?)?(?![\w%])"
_SHORT = rf"(?:pp?\.|S\.|ch\.|sec\.|§{{1,2}}){_PLACES}"
_LONG = rf"(?:pages?|Seiten?|chapters?|sections?){_PLACES}(?=[.,;:!?)\]\ufdd0]|\Z)"  # not "section 3 says"
_LOCATOR = re.compile(rf"[,:]?\s{{1,3}}(?:{_SHORT}|{_LONG}|\({_SHORT}\)|\({_LONG}\))")


@dataclass(frozen=True)
class Prose:
    """A document's text, the same with everything blank that is no running text, and its blocks."""

    text: str
    masked: str
    scan: str  # the masked text with a wall before each block
    shape: str  # the same on one line, code is a word, with its markup: for ends of sentences and quotes
    blocks: PageBlocks
    addresses: tuple[Span, ...]  # bare http(s) addresses in running text

    @cached_property
    def low(self) -> str:
        """The text to scan in small letters, each in its place."""
        return self.scan.replace("\u0130", "I").lower()  # the one letter that two small ones represent

    @cached_property
    def _inner(self) -> dict[tuple[int, int], PageLink]:
        return {link.inner: link for link in self.blocks.links if not link.auto}

    @cached_property
    def glued(self) -> tuple[Span, ...]:
        """Markup with a letter or digit on both sides: comments, tags and emphasis inside words."""
        spans: list[Span] = []
        text, start, end = self.text, -1, -1
        inside = (span for span in (*self.blocks.blanks, *self.blocks.markup) if _INSIDE.match(text, span[0]))
        for first, last in (*sorted(inside), (len(text) + 1, len(text) + 1)):
            if first == end:
                end = last
                continue
            if start > 0 and text[start - 1].isalnum() and text[end : end + 1].isalnum():
                spans.append(Span(start, end))
            start, end = first, last
        return tuple(spans)

    def is_escaped(self, at: int) -> bool:
        """Return whether the character at `at` comes after a backslash that is not itself escaped."""
        count = 0
        while at - count > 0 and self.text[at - count - 1] == "\\" and count < 99:
            count += 1
        return count % 2 == 1

    def find_surroundings(self, start: int, end: int, *, paged: bool = True) -> Span:
        """Return what goes with a citation: its page, emphasis, brackets or a link that hold nothing else."""
        text = self.text
        end = self.find_citation_end(end) if paged else end
        while start > 0 and end < len(text):
            before, after = text[start - 1], text[end]
            if link := self._inner.get((start, end)):
                start, end = link.start, link.end
            elif (before in "*_" and before == after) or (
                _PAIRS.get(before) == after and not self.is_escaped(start - 1)
            ):
                start, end = start - 1, end + 1
            else:
                break
            end = self.find_citation_end(end) if paged else end
        return Span(start, end)

    def find_citation_end(self, end: int) -> int:
        """Return where a citation ends with the page that comes after it."""
        if self.text[end : end + 1] not in (",", ":", " ", "\n"):
            return end
        match = _LOCATOR.match(self.scan, end, end + 120)
        return match.end() if match else end

    def read_legible(self, start: int, end: int) -> str:
        """Return the running text of a span on one line, with what its code spans say."""
        pieces: list[str] = []
        at = start
        fills = self.blocks.fills
        index = bisect_right(fills, (start, -1))
        while index < len(fills) and fills[index][0] < end:
            first, last = fills[index]
            index += 1
            said = "" if self.text[first] == "!" else self.text[first:last].strip("`$")  # no images
            pieces += self.masked[at:first], said
            at = last
        pieces.append(self.masked[at:end])
        return " ".join("".join(pieces).split())


def replace_surrogates(text: str) -> str:
    """Return a text in which half a character is U+FFFD."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def read_prose(text: str) -> Prose:
    """Return the running text of a Markdown document."""
    text = replace_surrogates(text)
    blocks = read_blocks(text)
    blocks.fills.sort()
    blank = _LINE.sub(lambda line: " " * len(line[0]), text)
    notes = [(start, end) for start, end, _ in blocks.notes]
    hidden = sorted([*blocks.blanks, *blocks.markup, *blocks.tails, *blocks.fills, *notes])
    masked = _mask_text(text, blank, blocks, hidden)
    addresses = _find_addresses(masked)
    blocks.fills = sorted([*blocks.fills, *((span.start, span.end) for span in addresses)])
    masked = _fill_spans(masked, [(span.start, span.end) for span in addresses], blank)
    scan, shape = _insert_walls(masked, blocks), _insert_walls(_make_shape_text(text, masked, blocks), blocks)
    return Prose(text, masked, scan, shape, blocks, addresses)


def _mask_text(text: str, blank: str, blocks: PageBlocks, hidden: list[tuple[int, int]]) -> str:
    pieces: list[str] = []
    at = 0
    for leaf in blocks.leaves:
        pieces += blank[at : leaf.start], text[leaf.start : leaf.end]
        at = max(at, leaf.end)
    pieces.append(blank[at:])
    return _fill_spans("".join(pieces), hidden, blank)


def _fill_spans(text: str, spans: list[tuple[int, int]], with_: str) -> str:
    """Return `text` with the sorted `spans` taken from another text of the same length."""
    if not spans:
        return text
    pieces: list[str] = []
    at = 0
    for start, end in spans:
        if end > at:
            pieces += text[at : max(start, at)], with_[max(start, at) : end]
            at = end
    pieces.append(text[at:])
    return "".join(pieces)


def _find_addresses(masked: str) -> tuple[Span, ...]:
    if "://" not in masked:
        return ()
    spans = []
    for match in _ADDRESS.finditer(masked):
        end = match.start() + len(trim_tail(match[0]))
        spans.append(Span(match.start(), max(end, match.start() + 8)))
    return tuple(spans)


def _insert_walls(masked: str, blocks: PageBlocks) -> str:
    """Return the text with a wall in the place before each block, where only markup or a line's end was."""
    starts = (leaf.start for leaf in blocks.leaves if leaf.start and masked[leaf.start - 1].isspace())
    return _splice_text(masked, ((start - 1, start, WALL) for start in starts))


def _splice_text(text: str, parts: Iterable[tuple[int, int, str]]) -> str:
    """Return `text` with the parts, in order, in the places of others; overlapping ones are left out."""
    pieces: list[str] = []
    at = 0
    for start, end, part in parts:
        if start >= at:
            pieces += text[at:start], part
            at = end
    pieces.append(text[at:])
    return "".join(pieces)


def _make_shape_text(text: str, masked: str, blocks: PageBlocks) -> str:
    """Return the masked text on one line, with a word for each piece of code, with markup and footnotes."""
    words = [(start, end, "X" * (end - start)) for start, end in (*blocks.fills, *blocks.tails)]
    words += [(start, end, text[start:end]) for start, end in blocks.markup]
    words += [(start, end, text[start:end]) for start, end, _ in blocks.notes]
    return _BREAK.sub(" ", _splice_text(masked, sorted(words)))


@cache
def load_words(table: str) -> frozenset[str]:
    """Return the words of one table, in small letters."""
    return frozenset(_load_tables()[table].split())


@cache
def load_phrases(table: str) -> tuple[str, ...]:
    """Return the lines of one table, in small letters, in their order."""
    return tuple(line.strip() for line in _load_tables()[table].splitlines() if line.strip())


def _load_tables() -> dict[str, str]:
    return load_package_table("citeproof.corpus.page", "words.toml")

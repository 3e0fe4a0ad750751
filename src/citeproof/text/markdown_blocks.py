"""What a Markdown document consists of, as far as citations are concerned; places in characters."""

from __future__ import annotations

from dataclasses import dataclass, field


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

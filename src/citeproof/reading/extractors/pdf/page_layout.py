"""What a page is made of: words with their boxes, and lines of words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

from citeproof.text import lazy_patterns as re

_NUMBERS = re.compile(r"\d{1,3}(?:[,–‐-]\d{1,3}){0,12}[,–]?$")


class PdfWord(NamedTuple):
    """One word: `base` is its baseline and `size` its height, in points from the top of the page."""

    text: str
    left: float
    right: float
    base: float
    size: float
    raised: bool = False  # a superscript


class PdfRun(NamedTuple):
    """Words that follow each other on one line, as the page was written."""

    words: list[PdfWord]
    bold: bool
    upright: bool


@dataclass(slots=True, eq=False)
class PdfLine:
    """One line of one column; places are in points from the top left corner of the page."""

    page: int
    words: list[PdfWord]
    bold: bool = False
    margin: float = 0.0  # left edge of the column it is in
    column: int = 0
    note: bool = False  # is in the footnote area
    left: float = 0.0
    right: float = 0.0
    base: float = 0.0
    size: float = 0.0
    text: str = ""
    numbered: bool = False  # begins with a raised number, as a footnote does
    marked: str = ""  # the text with its raised numbers in brackets, where it has some

    def shares_column(self, other: PdfLine) -> bool:
        return self.page == other.page and self.column == other.column

    def measure_line(self) -> PdfLine:
        """Fill text and edges from the words; the size is that of most of the letters."""
        words = self.words
        self.text = " ".join([word.text for word in words])
        if "\x02" in self.text[:-1]:  # a soft hyphen that was not needed
            self.words = words = [*(w._replace(text=w.text.rstrip("\x02")) for w in words[:-1]), words[-1]]
            self.text = " ".join([word.text for word in words])
        self.left = words[0].left
        self.right = max([word.right for word in words])
        plain = [word for word in words if not word.raised] or words
        sizes = [word.size for word in plain]
        if min(sizes) < max(sizes):  # most lines are of one size
            plain = sorted(plain, key=itemgetter(4))
        usual = plain[len(plain) // 2]
        self.base, self.size = usual.base, usual.size
        if min([word.size for word in words]) < 0.85 * self.size:
            self.words = [_mark_superscript(word, self) for word in words]
        return self

    def drop_words(self) -> PdfLine:
        """Give up the words, which take most of the memory of a long document."""
        if any(word.raised for word in self.words):
            self.marked = _bracket_raised(self.words)
            self.numbered = self.words[0].raised and self.words[0].text.isdecimal()
        self.words = []
        return self

    @property
    def indent(self) -> float:
        return self.left - self.margin

    @property
    def top(self) -> float:
        return self.base - 0.8 * self.size

    @property
    def bottom(self) -> float:
        return self.base + 0.25 * self.size


@dataclass(slots=True, eq=False)
class PageText:
    """One page: its number from 1, its size in points and its lines in reading order."""

    number: int
    width: float
    height: float
    lines: list[PdfLine]
    garbled: float = 0.0  # share of characters that represent no letter
    characters: int = 0
    unmapped: bool = False  # its fonts do not say which letters they show
    leading: float = 0.0  # the usual distance of two lines
    broken: bool = False  # pdfium cannot read it
    scanned: bool = False  # a picture of a page
    beyond: bool = False  # one of more pictures than are recognised

    def measure_lines(self) -> PageText:
        """Fill in the distance of lines."""
        steps = sorted(
            lower.base - upper.base
            for upper, lower in pairwise(self.lines)
            if upper.column == lower.column and 3 < lower.base - upper.base < 60
        )
        self.leading = steps[len(steps) // 2] if steps else 0.0
        return self


def _bracket_raised(words: list[PdfWord]) -> str:
    """Return the words as one text; raised numbers, which may cite, become `[3]`."""
    text = ""
    for word in words:
        if word.raised and _NUMBERS.match(word.text):
            text += f" [{word.text.rstrip(',–')}]"
        elif text.endswith("]") and word.text[0] in ".,;:)":
            text += word.text
        else:
            text += f" {word.text}" if text else word.text
    return text


def _mark_superscript(word: PdfWord, line: PdfLine) -> PdfWord:
    """Return the word marked as a superscript if it is small and is above the line."""
    small = word.size < 0.85 * line.size and line.base - word.base > 0.12 * line.size
    return word._replace(raised=True) if small else word


def measure_usual_size(lines: Iterable[PdfLine]) -> float:
    """Return the size of most letters; 0.0 without any."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(line.size, 1)] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0

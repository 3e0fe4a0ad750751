"""What a page carries besides its text: running heads, page numbers, line numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from citeproof.reading.extractors.pdf.page_layout import (
    PageText,
    PdfLine,
    PdfRun,
    PdfWord,
    measure_usual_size,
)
from citeproof.reading.extractors.prose.text_lines import is_reference_heading

_NUMBER = re.compile(r"\W{0,4}(?:\d{1,5}|[ivxlc]{1,7})\W{0,4}$", re.IGNORECASE)
_PAGE_WORD = re.compile(
    r"(?i)(?:page|seite|página|pagina|p\.|s\.)\s?\d{1,4}(?:\s?(?:of|von|de|/)\s?\d{1,4})?$"
)
_PRINTED = re.compile(r"\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4},? \d{1,2}:\d\d(?: ?[AP]M)?(?: |$)")  # by a browser
_DIGITS = re.compile(r"\d+")
_ZONE = 3  # rows from the top and from the bottom that may be furniture
_NEAR = 2.5  # points that a running head may move from page to page
_LARGE = 1.3  # times the usual size of letters is a heading
_STACK = 15  # numbers below each other, at least, are line numbers
_FIVES = 4  # that count by fives, outside of all text


class LineNumbers:
    """Takes the numbers that count the lines of a manuscript out of page after page."""

    def __init__(self) -> None:
        self._edges: set[tuple[str, int]] = set()  # where such numbers was on pages before

    def strip_numbers(self, runs: list[PdfRun]) -> list[PdfRun]:
        """Return the runs of a page without the numbers in its margin."""
        digits = [word for run in runs for word in run.words if word.text.isdecimal() and len(word.text) < 5]
        if len(digits) < (1 if self._edges else _FIVES):
            return runs
        rows = len({round(run.words[0].base / 3) for run in runs})
        text = [word for run in runs for word in run.words if not word.text.isdecimal()]
        edges = (
            min((word.left for word in text), default=0.0),
            max((word.right for word in text), default=0.0),
        )
        counted: set[PdfWord] = set()
        for side in ("right", "left"):
            stacks: dict[int, list[PdfWord]] = {}
            for word in digits:
                stacks.setdefault(round(getattr(word, side) / 3), []).append(word)
            for place, stack in stacks.items():
                known = any((side, place + move) in self._edges for move in (-1, 0, 1))
                fives = _is_margin_of_fives(stack, edges, least=1 if known else _FIVES)
                enough = len(stack) >= (2 if known else _STACK) or fives
                if enough and ((known and fives) or _is_line_count(stack, rows, known=known)):
                    counted.update(stack)
                    self._edges.add((side, place))
        if not counted:
            return runs
        left = [(run, [word for word in run.words if word not in counted]) for run in runs]
        return [run._replace(words=words) for run, words in left if words]


def _is_margin_of_fives(stack: list[PdfWord], edges: tuple[float, float], least: int) -> bool:
    """Return whether numbers count by fives outside of the text, which is between its `edges`."""
    if len(stack) < least or any(int(word.text) % 5 for word in stack):
        return False
    return max(word.right for word in stack) < edges[0] or min(word.left for word in stack) > edges[1]


def _is_line_count(stack: list[PdfWord], rows: int, *, known: bool) -> bool:
    """Return whether numbers below each other count lines: every row, or evenly every fifth."""
    stack.sort(key=lambda word: word.base)
    pairs = list(pairwise(stack))
    steps = Counter(int(lower.text) - int(upper.text) for upper, lower in pairs)
    gaps = sorted(lower.base - upper.base for upper, lower in pairs)
    middle = gaps[len(gaps) // 2]
    even = sum(abs(gap - middle) < 0.2 * middle for gap in gaps) >= 0.75 * len(pairs)
    if steps[1] >= 0.85 * len(pairs):
        return known or even or len(stack) >= 0.8 * rows
    return even and steps[5] >= 0.85 * len(pairs)


def remove_page_furniture(pages: Sequence[PageText]) -> None:
    """Take running heads, feet and page numbers out of the pages."""
    usual = sorted(page.leading for page in pages if len(page.lines) > 5)
    for page in pages:
        if usual and page.leading > usual[len(usual) // 2]:  # a page of a few lines
            page.leading = usual[len(usual) // 2]
    zones = {id(page): _find_edge_lines(page) for page in pages}
    seen = Counter(key for page in pages for key in {_make_line_key(line) for line in zones[id(page)]})
    often = max(3, 0.35 * sum(bool(page.lines) for page in pages))
    heads: Counter[int] = Counter()
    for page in pages:
        for line in zones[id(page)]:
            if _is_repeated(line, seen):
                heads[round(line.base / _NEAR)] += 1
    usual_size = measure_usual_size(line for page in pages for line in page.lines)
    known = Counter(
        text for page in pages for text in {line.text for line in page.lines if len(line.text) > 20}
    )
    for page in pages:
        edge = zones[id(page)]
        drop = {
            id(line)
            for line in edge
            if _is_furniture(line, page, seen, heads, often)
            and not (_is_inner(line, page) and line.size > _LARGE * usual_size)  # "Chapter 2" over a chapter
        }
        drop |= {id(line) for line in edge if _PRINTED.match(line.text) and _is_outermost(line, page)}
        drop |= {id(line) for line in edge if known[line.text] > 1 and _is_page_head(line, page, seen)}
        page.lines = [line for line in page.lines if id(line) not in drop]


def _is_inner(line: PdfLine, page: PageText) -> bool:
    return 0.13 * page.height <= line.base <= 0.87 * page.height


def _is_page_head(line: PdfLine, page: PageText, seen: Counter[tuple[str, int]]) -> bool:
    """Return whether a line whose words are on another page too is the head of this one."""
    return not _is_inner(line, page) and _is_outermost(line, page) and _is_set_apart(line, page, seen)


def _find_edge_lines(page: PageText) -> list[PdfLine]:
    """Return the lines of the first and last rows of a page."""
    lines = sorted(page.lines, key=lambda line: line.base)
    rows = sorted({round(line.base / 3) for line in lines})
    if len(rows) < 2:
        return lines if lines and len(lines[0].text) < 12 else []
    edge = {*rows[:_ZONE], *rows[-_ZONE:]}
    return [line for line in lines if round(line.base / 3) in edge]


def _make_line_key(line: PdfLine) -> tuple[str, int]:
    return _mask_numbers(line.text), round(line.base / (2 * _NEAR))


@lru_cache(maxsize=5000)
def _mask_numbers(text: str) -> str:
    """Return a text with a sign for each number, so that the heads of all pages are alike."""
    return _DIGITS.sub("#", text.lower())


def _count_repeats(line: PdfLine, seen: Counter[tuple[str, int]]) -> int:
    words, place = _make_line_key(line)
    return max(seen[words, place], seen[words, place - 1], seen[words, place + 1])


def _is_repeated(line: PdfLine, seen: Counter[tuple[str, int]]) -> bool:
    words, times = _make_line_key(line)[0], _count_repeats(line, seen)
    # "[#]" or "# #" alone may repeat in a list; words do not
    return times >= 2 and (sum(c.isalpha() for c in words) >= 3 or times >= 3)


def _is_furniture(
    line: PdfLine, page: PageText, seen: Counter[tuple[str, int]], heads: Counter[int], often: float
) -> bool:
    if not _is_set_apart(line, page, seen) and not (
        _count_repeats(line, seen) >= often and _is_outermost(line, page)
    ):
        return False  # the first or last line of the text may repeat by chance
    outer = not _is_inner(line, page)
    if _is_repeated(line, seen):
        return outer or not is_reference_heading(line.text)  # which repeats from chapter to chapter
    if _NUMBER.match(line.text) or _PAGE_WORD.match(line.text):
        return _is_outermost(line, page)
    slot = round(line.base / _NEAR)
    return outer and heads[slot] + heads[slot - 1] + heads[slot + 1] >= 2 and _is_outermost(line, page)


def _is_outermost(line: PdfLine, page: PageText) -> bool:
    above = all(other.base >= line.base - 3 for other in page.lines)
    return above or all(other.base <= line.base + 3 for other in page.lines)


def _is_set_apart(line: PdfLine, page: PageText, seen: Counter[tuple[str, int]]) -> bool:
    near = [
        abs(other.base - line.base)
        for other in page.lines
        if 3 < abs(other.base - line.base) < 60 and not _is_repeated(other, seen)
    ]
    return not near or min(near) > max(1.25 * page.leading, 1.1 * line.size)

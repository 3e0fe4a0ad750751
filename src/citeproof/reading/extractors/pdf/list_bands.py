"""The order of lines on a page whose columns end above a reference list that has columns of its own.

Some journals balance the two columns of the text and set the reference list below both, in two columns again.
Read column by column, what is at the top of the second column would cut the list in two.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from citeproof.reading.extractors.pdf import reference_signs
from citeproof.reading.extractors.pdf.page_layout import PdfLine

_NEAR = 2.0  # points: the first lines of both columns of a list are at one height
_WHITE = 1.5  # times the size of its letters stand white above a list in the other column
_SAME_SIZE = 0.6  # points
_DENSE = 0.15  # of the lines of a list begin an entry at least
_NUMBER = re.compile(r"[\[(]?(\d{1,4})(?:[\])][.:]?|\.)\s")


def order_list_bands(lines: Sequence[PdfLine], headings: Sequence[int]) -> list[PdfLine]:
    """Return the lines; those of a further column that are above a list's heading come before it."""
    ordered = list(lines)
    for heading in headings:
        if above := _find_lines_above(ordered, heading):
            ordered[heading : above[-1] + 1] = [*(ordered[i] for i in above), *ordered[heading : above[0]]]
    return ordered


def _find_lines_above(lines: Sequence[PdfLine], heading: int) -> range | None:
    """Return which lines of the next column are the end of the text above the list, None if none are."""
    first = lines[heading]
    stop = heading + 1
    while stop < len(lines) and _is_same_column(lines[stop], first):
        stop += 1
    own = lines[heading + 1 : stop]
    if not own or stop == len(lines):
        return None
    end = stop
    while (
        end < len(lines)
        and _is_same_column(lines[end], lines[stop])
        and lines[end].base < own[0].base - _NEAR
    ):
        end += 1
    low = end
    while low < len(lines) and _is_same_column(lines[low], lines[stop]):
        low += 1
    adjacent = lines[stop].page == first.page and stop < end < low
    return range(stop, end) if adjacent and _is_list_continued(own, lines[stop:end], lines[end:low]) else None


def _is_list_continued(own: Sequence[PdfLine], above: Sequence[PdfLine], below: Sequence[PdfLine]) -> bool:
    """Return whether the list `own` continues with the lines `below`, apart from the text `above`."""
    then = below[0]
    white = then.base - above[-1].base > _WHITE * max(then.size, above[-1].size)
    if not white or abs(then.base - own[0].base) > _NEAR or abs(then.size - own[0].size) > _SAME_SIZE:
        return False
    if numbers := _read_numbers(own):
        return max(numbers) + 1 in _read_numbers(below) and max(numbers) + 1 not in _read_numbers(above)
    return _measure_starts(below) > _DENSE > _measure_starts(above)


def _read_numbers(lines: Sequence[PdfLine]) -> set[int]:
    return {int(match[1]) for line in lines if (match := _NUMBER.match(line.text))}


def _measure_starts(lines: Sequence[PdfLine]) -> float:
    return sum(
        reference_signs.is_reference_start(line.text)
        and reference_signs.YEAR.search(" ".join(line.text for line in lines[i : i + 3])) is not None
        for i, line in enumerate(lines)
    ) / len(lines)


def _is_same_column(line: PdfLine, other: PdfLine) -> bool:
    return line.page == other.page and line.column == other.column

"""The lines of an entry that belong to it: what a page put between or behind them is left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from citeproof.reading.extractors.pdf import reference_signs
from citeproof.reading.extractors.pdf.list_entries import PdfEntry
from citeproof.reading.extractors.pdf.page_layout import PdfLine
from citeproof.text.year_pattern import MODERN_YEAR

_CAPTION = re.compile(
    r"(?i)(?:table|figure|fig\.|tabelle|abbildung|abb\.|tab\.|tableau|tabla|figura|scheme)"
    r" (?:[a-z]?\.?\d{1,3}|[ivx]{1,5})[:. ]"
)

_NOTICE = re.compile(rf"(?i)(?:copyright )?(?:©|\(c\)) ?{MODERN_YEAR}")
_TELLING = 8  # lines of an entry that tell what is usual: the last one may have an appendix behind it
_CELL = re.compile(r"[-–+±<>~]?\d{1,9}(?:[.,]\d{1,9})?%?$")


def _is_table_row(text: str) -> bool:
    """Return whether a line is a row of a table: nearly nothing but numbers."""
    cells = text.split()
    return len(cells) >= 4 and sum(_CELL.match(cell) is not None for cell in cells) >= 0.75 * len(cells)


class UsualSpacing(NamedTuple):
    """What is usual in a list: the distance of lines, their size, the indent of continuation lines.

    And where entries begin in the columns that have several.
    """

    step: float
    size: float
    hang: float | None
    margins: dict[tuple[int, int], float]


def drop_unfitting_lines(entries: Sequence[PdfEntry]) -> list[PdfEntry]:
    """Return the entries without the lines that do not fit: captions, tables, paragraphs behind the list."""
    # what is behind the list, tables above all, does not tell what is usual in it
    sure = [entry for entry in entries if reference_signs.is_reference(entry.rough)] or entries
    every = (
        [
            lower.base - upper.base
            for upper, lower in pairwise(entry.lines[:_TELLING])
            if _is_same_column(upper, lower) and lower.base > upper.base
        ]
        for entry in sure
    )
    steps = sorted(sorted(mine)[len(mine) // 2] for mine in every if mine)
    step = steps[len(steps) // 2] if steps else 0.0
    sizes = sorted(line.size for entry in sure for line in entry.lines[:_TELLING])
    size = sizes[len(sizes) // 2] if sizes else 0.0
    usual = UsualSpacing(step, size, _measure_hang(sure), _find_entry_margins(entries))
    for entry in entries:
        entry.lines = _keep_fitting_lines(entry.lines, usual)
    return _drop_captions(entries)


def _drop_captions(entries: Sequence[PdfEntry]) -> list[PdfEntry]:
    """Return the entries without captions, and without what follows one and is not a reference."""
    fitting: list[PdfEntry] = []
    after = False
    for entry in entries:
        text = entry.lines[0].text
        if not entry.label and (_CAPTION.match(text) or _NOTICE.match(text) or _is_table_row(text)):
            after = True
        elif not after or entry.label or reference_signs.is_reference(entry.rough):
            fitting.append(entry)
            after = False
    return fitting


def _is_same_column(upper: PdfLine, lower: PdfLine) -> bool:
    return upper.page == lower.page and upper.column == lower.column


def _measure_hang(entries: Sequence[PdfEntry]) -> float | None:
    """Return how far continuation lines are indented, None unless nearly all of them are so."""
    offsets = [
        round(line.left - entry.lines[0].left)
        for entry in entries
        for line in entry.lines[1:_TELLING]
        if _is_same_column(entry.lines[0], line)
    ]
    if len(offsets) < 4:
        return None
    usual, _ = Counter(offsets).most_common(1)[0]
    near = [offset for offset in offsets if abs(offset - usual) <= 12]  # labels of other lengths
    return float(min(near)) if min(near) > 3 and len(near) >= 0.85 * len(offsets) else None


def _find_entry_margins(entries: Sequence[PdfEntry]) -> dict[tuple[int, int], float]:
    """Return where entries begin in each column of each page that has at least three."""
    lefts: dict[tuple[int, int], list[float]] = {}
    for entry in entries:
        first = entry.lines[0]
        lefts.setdefault((first.page, first.column), []).append(first.left)
    return {column: min(values) for column, values in lefts.items() if len(values) > 2}


def _keep_fitting_lines(lines: list[PdfLine], usual: UsualSpacing) -> list[PdfLine]:
    fitting = lines[:1]
    strange = False
    for line in lines[1:]:
        fits = _is_fitting(fitting, line, usual)
        if fits and not (strange and _has_end_sign(fitting[-1])):
            fitting.append(line)
            continue
        strange = True
    return fitting


def _is_fitting(fitting: list[PdfLine], line: PdfLine, usual: UsualSpacing) -> bool:
    first, before = fitting[0], fitting[-1]
    if _CAPTION.match(line.text) or _NOTICE.match(line.text) or _is_table_row(line.text):
        return False
    if line.size > 1.3 * usual.size or line.size < 0.5 * usual.size:
        return False
    if not _is_same_column(before, line) and line.size < 0.85 * usual.size:
        return False  # a table or a caption at the top of the next column
    if _is_same_column(before, line) and usual.step and line.base - before.base > 1.7 * usual.step + 1:
        return False
    if usual.hang is None:
        return True
    if not _is_same_column(first, line):  # above the rest of the list, a column may have other text
        margin = usual.margins.get((line.page, line.column))
        return margin is None or line.left - margin > usual.hang - 3
    return line.left - first.left > usual.hang - 3 or not _has_end_sign(before)


def _has_end_sign(line: PdfLine) -> bool:
    return line.text[-1:] in ".)]”" or line.text[-1:].isdigit() or "/" in line.text.rpartition(" ")[2]

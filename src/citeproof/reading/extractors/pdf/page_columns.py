"""The runs of a page to lines in reading order, column by column."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

from citeproof.reading.extractors.pdf.page_layout import PdfLine, PdfRun, PdfWord

_STEP = 1.0  # points of one bin when looking for gutters
_NARROWEST = 0.2  # of the text's width: a column is no narrower
_CROSSING = 0.3  # of the rows may cross a gutter: titles, figures, footers
_MOST_COLUMNS = 4


def order_lines(runs: Sequence[PdfRun], page: int, width: float) -> list[PdfLine]:
    """Return the lines of a page in reading order."""
    runs = [run for run in runs if run.upright]
    gutters = _find_page_gutters(runs, width)
    parts = [part for run in runs for part in _split_run(run, gutters)]
    rows = _join_rows([PdfLine(page, part.words, part.bold).measure_line() for part in parts], gutters)
    return _order_rows(rows, gutters)


def _find_page_gutters(runs: Sequence[PdfRun], width: float) -> list[float]:
    """Return the gutters of a page, or of its lower or upper part where a title or a figure is large."""
    if len(runs) < 8:
        return []
    inked = [(run.words[0].base, _find_stretches(run.words)) for run in runs]
    if gutters := _find_gutters([spans for _, spans in inked], width):
        return gutters
    bases = sorted([base for base, _ in inked])
    low, high = bases[int(0.4 * len(bases))], bases[int(0.6 * len(bases))]
    below = _find_gutters([spans for base, spans in inked if base > low], width)
    return below or _find_gutters([spans for base, spans in inked if base < high], width)


def _find_gutters(runs: Sequence[Sequence[tuple[float, float]]], width: float) -> list[float]:
    """Return the middles of the vertical white stripes that part the page into columns."""
    bins = int(min(width, 3000) / _STEP) + 2
    steps = [0] * (bins + 1)
    rows = 0
    for spans in runs:
        rows += bool(spans)
        for start, stop in spans:
            low = min(max(int(start / _STEP), 0), bins)
            steps[low] += 1
            steps[min(max(int(stop / _STEP) + 1, low), bins)] -= 1
    return _find_white_stripes(list(accumulate(steps[:bins])), rows)


def _find_stretches(words: Sequence[PdfWord]) -> list[tuple[float, float]]:
    """Return the spans of words that stand close together; none of a run that is hardly a word."""
    if len(words) < 3 and sum([len(word.text) for word in words]) < 3:
        return []
    spans: list[tuple[float, float]] = []
    _, start, stop, _, _, _ = words[0]
    for _, left, right, _, size, _ in words[1:]:
        gap = left - stop
        if gap > 6.0 and gap > 0.75 * size:
            spans.append((start, stop))
            start, stop = left, right
        elif right > stop:
            stop = right
    spans.append((start, stop))
    return spans


def _find_white_stripes(cover: list[int], rows: int) -> list[float]:
    """Return the middles of stripes that few rows cross, with text on either side."""
    least = max(1, 0.03 * rows)
    inked = [index for index, count in enumerate(cover) if count > least]
    if not inked:
        return []
    left, right = inked[0], inked[-1]
    ordered = sorted(cover[left : right + 1])
    place = 0.75 * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    peak = ordered[low] + (place - low) * (ordered[high] - ordered[low])
    for level in (1.0, 0.1 * peak, _CROSSING * peak):  # the emptiest stripes first
        if stripes := _find_stripes(cover, left, right, level):
            return [(middle + 0.5) * _STEP for middle in stripes[: _MOST_COLUMNS - 1]]
    return []


def _find_stripes(cover: list[int], left: int, right: int, level: float) -> list[int]:
    """Return the middles of stripes that at most `level` rows cross, parting wide and filled columns."""
    stripes = [
        (start, stop)
        for start, stop in _find_low_stretches(cover, left, right, level)
        if (stop - start) * _STEP >= 7
    ]
    narrowest = _NARROWEST * (right - left)
    middles: list[int] = []
    edge = left
    for position, (start, stop) in enumerate(stripes):
        if start - edge < narrowest or right - stop < narrowest:
            continue
        # a narrow island behind the stripe is the labels of the column that follows
        ends = [other for other, _ in stripes[position + 1 :] if other - stop >= narrowest / 2]
        following = [*ends, right + 1]
        least = min(_count_filled_rows(cover[edge:start]), _count_filled_rows(cover[stop : following[0]]))
        if least >= 3 and min(cover[start:stop]) <= max(0.3 * least, 1.0):
            middles.append((start + stop) // 2)
            edge = stop
    return middles


def _count_filled_rows(cover: list[int]) -> float:
    """Return how many rows fill a column; a column of labels or of a table's cells is not filled."""
    peak = max(cover, default=0)
    return peak if sum(cover) > 0.45 * peak * len(cover) else 0.0


def _find_low_stretches(cover: list[int], left: int, right: int, level: float) -> list[tuple[int, int]]:
    """Return the stretches from `left` to `right` that at most `level` rows cross, as (start, stop)."""
    stretches: list[tuple[int, int]] = []
    start = -1
    for index in range(left, right + 1):
        if cover[index] > level:
            if start >= 0:
                stretches.append((start, index))
            start = -1
        elif start < 0:
            start = index
    return [*stretches, (start, right + 1)] if start >= 0 else stretches


def _split_run(run: PdfRun, gutters: Sequence[float]) -> list[PdfRun]:
    if not gutters:
        return [run]
    parts: list[list[PdfWord]] = [[run.words[0]]]
    for before, word in pairwise(run.words):
        wide = word.left - before.right > 0.6 * word.size
        if wide and any(before.right <= gutter <= word.left for gutter in gutters):
            parts.append([word])
        else:
            parts[-1].append(word)
    return [run] if len(parts) == 1 else [PdfRun(part, run.bold, run.upright) for part in parts]


def _find_column(line: PdfLine, gutters: Sequence[float]) -> int:
    """Return the column a line is in; -1 if it goes across a gutter."""
    for gutter in gutters:
        if line.left < gutter < line.right:
            inside = min(gutter - line.left, line.right - gutter)
            if inside > 0.25 * (line.right - line.left) or inside > 40:
                return -1
            return sum(edge < (line.left + line.right) / 2 for edge in gutters)
    return sum(edge < line.left for edge in gutters)


def _join_rows(parts: list[PdfLine], gutters: Sequence[float]) -> list[PdfLine]:
    """Join what is on one row of one column, though it was written at different times."""
    for line in parts:
        line.column = _find_column(line, gutters)
    joined: list[PdfLine] = []
    for column in sorted({line.column for line in parts}):
        mine = [line for line in parts if line.column == column]
        joined += _join_column_rows(mine)
    return joined


def _join_column_rows(mine: list[PdfLine]) -> list[PdfLine]:
    mine.sort(key=lambda line: (line.base, line.left))
    rows: list[PdfLine] = []
    for line in mine:
        host = next((row for row in rows[:-5:-1] if _is_same_row(row, line)), None)
        if host is None:
            rows.append(line)
            continue
        bold = host.bold and line.bold
        lifted = host.base - line.base > 0.12 * host.size and line.size < 0.9 * host.size
        host.words = _join_touching_words(
            sorted(
                host.words + ([word._replace(raised=True) for word in line.words] if lifted else line.words),
                key=lambda word: word.left,
            )
        )
        host.measure_line()
        host.bold = bold
    return rows


def _join_touching_words(words: list[PdfWord]) -> list[PdfWord]:
    """Return the words of a row, those joined that touch: a word may be drawn in parts."""
    joined = words[:1]
    for word in words[1:]:
        before = joined[-1]
        touching = -0.15 * word.size < word.left - before.right < 0.06 * word.size
        level = abs(before.base - word.base) < 0.1 * word.size and not (before.raised or word.raised)
        if touching and level and before.text[-1:].isalpha() and word.text[:1].isalpha():
            joined[-1] = before._replace(text=before.text + word.text, right=word.right)
        else:
            joined.append(word)
    return joined


def _is_same_row(row: PdfLine, line: PdfLine) -> bool:
    """Return whether two parts are next to each other: on one baseline, or one raised a little."""
    size = max(row.size, line.size)
    away = abs(row.base - line.base)
    if away > 0.65 * size:
        return False
    ratio = min(row.size, line.size) / max(size, 0.1)
    most = 0.3 if ratio > 0.9 else 0.45 if ratio > 0.8 else 0.65
    if away > most * size:
        return False
    if min(row.right, line.right) - max(row.left, line.left) < 1:
        return True
    words = sorted(row.words + line.words, key=lambda word: word.left)
    return all(
        before.right - word.left < 0.4 * min(before.right - before.left, word.right - word.left) + 1
        for before, word in pairwise(words)
    )


def _widen_short_lines(rows: list[PdfLine]) -> None:
    """Count short lines of a full-width stretch to it: the end of a paragraph, the heading above.

    Such a line is in the first column alone, right below a line that goes across, or right
    above one and set larger.
    """
    rows.sort(key=lambda line: (line.base, line.left))
    for before, line in pairwise(rows):
        if before.column < 0 <= line.column and _is_alone_on_row(line, rows) and line.left > before.left - 3:
            close = line.base - before.base < 1.7 * max(line.size, before.size)
            line.column = -1 if close and line.column == 0 else line.column
    for line, after in pairwise(rows):
        if line.column == 0 and after.column < 0 and _is_alone_on_row(line, rows):
            heading = line.bold or line.size > 1.1 * after.size
            line.column = -1 if heading and after.base - line.base < 3 * line.size else 0


def _is_alone_on_row(line: PdfLine, rows: list[PdfLine]) -> bool:
    return not any(abs(other.base - line.base) < 0.7 * line.size for other in rows if other is not line)


def _order_rows(rows: list[PdfLine], gutters: Sequence[float]) -> list[PdfLine]:
    """Return the lines band by band between the lines that go across, and column by column in a band."""
    if not gutters:
        rows.sort(key=lambda line: (line.base, line.left))
        return _fill_margins(rows)
    _widen_short_lines(rows)
    across = sorted((line for line in rows if line.column < 0), key=lambda line: line.base)
    within = [line for line in rows if line.column >= 0]
    ordered: list[PdfLine] = []
    top = float("-inf")
    for line in [*across, None]:
        floor = line.base if line else float("inf")
        band = [line for line in within if top <= line.base < floor]
        ordered += sorted(band, key=lambda line: (line.column, line.base, line.left))
        if line:
            ordered.append(line)
        top = floor
    return _fill_margins(ordered)


def _fill_margins(rows: list[PdfLine]) -> list[PdfLine]:
    """Fill in the left edge of each column: the leftmost place where several of its lines begin."""
    for column in {line.column for line in rows}:
        mine = [line for line in rows if line.column == column]
        lefts = sorted(line.left for line in mine)
        several = min(3, len(lefts))  # lines begin there, within a point and a half
        ends = zip(lefts, lefts[several - 1 :], strict=False)
        margin = next((first for first, last in ends if last - first <= 1.5), lefts[0])
        for line in mine:
            line.margin = margin
    return rows

"""A bar for every figure of every system, with its interval; the confusion table as a picture."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from citeproof.laboratory.measure.charts.svg_sheet import (
    COLOURS,
    ChartFrame,
    SvgSheet,
    estimate_text_width,
    get_series_colour,
)
from citeproof.laboratory.measure.intervals import Interval
from citeproof.laboratory.measure.metrics import CLASSES, Integers
from citeproof.laboratory.measure.result_tables import format_figure

BAR, GAP = 34.0, 26.0
WIDE, HIGH = 96.0, 62.0


@dataclass(frozen=True, slots=True)
class ChartBar:
    """One figure of one system; NaN where it has none."""

    value: float
    interval: Interval | None = None


def draw_bar_chart(title: str, figures: Sequence[str], systems: Mapping[str, Sequence[ChartBar]]) -> str:
    """Return the chart: figures side by side, in each a bar a system."""
    names = list(systems)
    wide = GAP + max(BAR * len(names), *(estimate_text_width(name) for name in figures))
    sheet = SvgSheet(max(76 + wide * len(figures), 480), 0, title, _describe_bars(figures, systems))
    frame = ChartFrame(56, sheet.legend(56, 52, names) + 38, wide * len(figures), 210)
    sheet.height = frame.bottom + 60
    frame.draw(sheet, x="", y="", columns=False)
    for at, name in enumerate(figures):
        middle = frame.left + wide * (at + 0.5)
        sheet.text(middle, frame.bottom + 20, name, anchor="middle")
        for place, system in enumerate(names):
            left = middle + BAR * (place - len(names) / 2)
            _draw_bar(sheet, frame, left, systems[system][at], get_series_colour(place))
    sheet.note("Whiskers: 95 % bootstrap intervals over documents.")
    return sheet.render_svg()


def _draw_bar(sheet: SvgSheet, frame: ChartFrame, left: float, bar: ChartBar, fill: str) -> None:
    if math.isnan(bar.value):
        return
    top = frame.y(bar.value)
    sheet.box(left + 2, top, BAR - 4, frame.bottom - top, colour=fill, more='rx="2"')
    high = top
    if bar.interval is not None and not any(map(math.isnan, bar.interval)):
        middle, low, high = left + BAR / 2, frame.y(bar.interval[0]), min(top, frame.y(bar.interval[1]))
        sheet.line(middle, low, middle, high, kind="stem")
        for end in (low, high):
            sheet.line(middle - 4, end, middle + 4, end, kind="stem")
    sheet.text(left + BAR / 2, high - 5, format_figure(bar.value).removeprefix("0"), anchor="middle", size=10)


def _describe_bars(figures: Sequence[str], systems: Mapping[str, Sequence[ChartBar]]) -> str:
    described = (
        f"{system}: "
        + ", ".join(f"{name} {format_figure(b.value)}" for name, b in zip(figures, own, strict=True))
        for system, own in systems.items()
    )
    return "; ".join(described)


def draw_confusion_chart(title: str, table: Integers) -> str:
    """Return the chart of a confusion table; the darker, the greater the share of its row."""
    counts = table.tolist()
    answers = (*(label.value for label in CLASSES), "unchecked")
    rows = zip(CLASSES, counts, strict=True)
    counted = "; ".join(f"{label.value}: {', '.join(map(str, row))}" for label, row in rows)
    sheet = SvgSheet(
        96 + WIDE * len(answers), 104 + HIGH * len(CLASSES), title, f"{', '.join(answers)}. {counted}"
    )
    for column, name in enumerate(answers):
        sheet.text(80 + WIDE * (column + 0.5), 66, name, anchor="middle")
    for row, label in enumerate(CLASSES):
        sheet.text(70, 76 + HIGH * (row + 0.5) + 4, label.value, anchor="end")
        whole = sum(counts[row])
        for column, count in enumerate(counts[row]):
            share = count / whole if whole else 0.0
            x, y = 80 + WIDE * column, 76 + HIGH * row
            fill = COLOURS[0] if row == column else COLOURS[1]
            shade = f'rx="3" fill-opacity="{0.08 + 0.52 * share:.2f}"'
            sheet.box(x + 2, y + 2, WIDE - 4, HIGH - 4, colour=fill, more=shade)
            sheet.text(x + WIDE / 2, y + HIGH / 2 + 1, str(count), anchor="middle", size=15)
            sheet.text(x + WIDE / 2, y + HIGH / 2 + 18, f"{share:.1%}", anchor="middle", size=11)
    sheet.note("Rows: true class. Columns: answer.")
    return sheet.render_svg()

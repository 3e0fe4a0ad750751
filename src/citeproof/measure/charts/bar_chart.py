"""A bar for every figure of every system, with its interval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from citeproof.measure.charts.chart_frame import ChartFrame
from citeproof.measure.charts.svg_sheet import SvgSheet, estimate_text_width, get_series_colour
from citeproof.measure.intervals import Interval
from citeproof.measure.result_tables import format_figure

BAR, GAP = 34.0, 26.0


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
    told = (
        f"{system}: "
        + ", ".join(f"{name} {format_figure(b.value)}" for name, b in zip(figures, own, strict=True))
        for system, own in systems.items()
    )
    return "; ".join(told)

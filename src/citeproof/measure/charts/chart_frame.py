"""The frame of a chart: two scales, their rules and their names."""

from __future__ import annotations

import math
from dataclasses import dataclass

from citeproof.measure.charts.svg_sheet import SvgSheet

STEPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1.0)


@dataclass(frozen=True, slots=True)
class ChartFrame:
    """Where values fall on the sheet."""

    left: float
    top: float
    width: float
    height: float
    low: tuple[float, float] = (0.0, 0.0)  # of x and y
    high: tuple[float, float] = (1.0, 1.0)

    def x(self, value: float) -> float:
        """Return where a value of the horizontal scale stands."""
        return self.left + (value - self.low[0]) / (self.high[0] - self.low[0]) * self.width

    def y(self, value: float) -> float:
        """Return where a value of the vertical scale stands."""
        return self.top + self.height - (value - self.low[1]) / (self.high[1] - self.low[1]) * self.height

    @property
    def bottom(self) -> float:
        return self.top + self.height

    def draw(self, sheet: SvgSheet, *, x: str, y: str, columns: bool = True) -> None:
        """Draw rules and numbers; the horizontal scale only where it has one (`columns`)."""
        for tick in choose_ticks(self.low[1], self.high[1]):
            sheet.line(self.left, self.y(tick), self.left + self.width, self.y(tick), kind="rule")
            sheet.text(self.left - 8, self.y(tick) + 4, format_tick(tick), anchor="end", kind="faint")
        for tick in choose_ticks(self.low[0], self.high[0]) if columns else ():
            sheet.line(self.x(tick), self.bottom, self.x(tick), self.bottom + 4)
            sheet.text(self.x(tick), self.bottom + 18, format_tick(tick), anchor="middle", kind="faint")
        sheet.line(self.left, self.bottom, self.left + self.width, self.bottom)
        sheet.text(self.left + self.width / 2, self.bottom + 38, x, anchor="middle", kind="faint")
        sheet.text(self.left, self.top - 10, y, kind="faint")


def choose_ticks(low: float, high: float) -> list[float]:
    """Return round values between two, about five of them."""
    step = next((s for s in STEPS if (high - low) / s <= 6), 1.0)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(at * step, 6) for at in range(first, last + 1)]


def format_tick(value: float) -> str:
    """Return a number of a scale without idle noughts."""
    return f"{value:.3f}".rstrip("0").rstrip(".") or "0"


def round_scale_end(value: float) -> float:
    """Return the next round number above, at most 1: where a scale may end."""
    return next((step for step in STEPS if step >= value), 1.0)

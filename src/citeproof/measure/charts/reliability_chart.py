"""The reliability diagram: how often answers of one confidence are right."""

from __future__ import annotations

import math
from collections.abc import Mapping

from citeproof.measure.charts.chart_frame import ChartFrame
from citeproof.measure.charts.svg_sheet import SvgSheet, get_series_colour
from citeproof.measure.reliability import Rated, compute_reliability
from citeproof.measure.reliability import bin_answers as binned
from citeproof.measure.result_tables import format_figure

BINS = 10


def draw_reliability_chart(title: str, systems: Mapping[str, Rated]) -> str:
    """Return the diagram of one or several systems' answers: how sure, and whether right."""
    made = {name: binned(rated, BINS) for name, rated in systems.items()}
    names = [
        f"{n} (n {len(rated)}, ECE {format_figure(compute_reliability(rated)['ece'])})"
        for n, rated in systems.items()
    ]
    sheet = SvgSheet(460, 0, title, "; ".join(names))
    low = _find_scale_start([min(one.confidence, one.low) for bins in made.values() for one in bins])
    frame = ChartFrame(62, sheet.legend(62, 52, names) + 44, 370, 310, (low, low), (1.0, 1.0))
    sheet.height = frame.bottom + 74
    frame.draw(sheet, x="mean confidence of a tenth of the answers", y="share that was right")
    sheet.line(frame.x(low), frame.y(low), frame.x(1), frame.y(1), more='stroke-dasharray="4 4"')
    for place, bins in enumerate(made.values()):
        for one in bins:
            x = frame.x(one.confidence)
            sheet.line(x, frame.y(one.low), x, frame.y(one.high), kind="stem", more='opacity="0.5"')
            sheet.dot(x, frame.y(one.right), 4.5, colour=get_series_colour(place))
    sheet.note("Whiskers: Wilson's 95 % intervals. On the stroked line confidence is right.")
    return sheet.render_svg()


def _find_scale_start(values: list[float]) -> float:
    """Return where the scales begin: the next tenth below all that is drawn."""
    return max(0.0, math.floor(min(values, default=0.0) * 10 - 1e-9) / 10)

"""The risk–coverage curve: what share of answers is wrong if only the surest are given."""

from __future__ import annotations

from collections.abc import Mapping

from citeproof.measure.charts.chart_frame import ChartFrame, round_scale_end
from citeproof.measure.charts.svg_sheet import SvgSheet, get_series_colour
from citeproof.measure.reliability import Rated, compute_aurc, compute_risk_curve
from citeproof.measure.result_tables import format_figure


def draw_risk_chart(title: str, systems: Mapping[str, tuple[Rated, int]]) -> str:
    """Return the curves of systems: their rated answers, and how many questions there were.

    Questions and not answers are the whole, so that what could not be checked is never covered.
    """
    curves = {name: compute_risk_curve(rated) for name, (rated, _) in systems.items()}
    names = [f"{name} (AURC {format_figure(compute_aurc(rated))})" for name, (rated, _) in systems.items()]
    sheet = SvgSheet(560, 0, title, "; ".join(names))
    highest = max((point.risk for curve in curves.values() for point in curve), default=0.0)
    top = sheet.legend(62, 52, names) + 44
    frame = ChartFrame(62, top, 470, 250, high=(1.0, round_scale_end(max(highest, 0.01))))
    sheet.height = frame.bottom + 74
    frame.draw(sheet, x="coverage: share of all citations that are answered", y="risk: share of these wrong")
    for place, (name, (rated, total)) in enumerate(systems.items()):
        reached = len(rated) / total if total else 0.0
        points = [(frame.x(point.coverage * reached), frame.y(point.risk)) for point in curves[name]]
        if points:
            sheet.path([(frame.x(0), points[0][1]), *points], colour=get_series_colour(place))
            sheet.dot(*points[-1], 4, colour=get_series_colour(place))
    sheet.note("What could not be checked is never covered.")
    return sheet.render_svg()

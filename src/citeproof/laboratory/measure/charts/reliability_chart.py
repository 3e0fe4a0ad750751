"""How often answers of one confidence are right, and how risk falls if only the surest are given."""

from __future__ import annotations

import math
from collections.abc import Mapping

from citeproof.laboratory.measure.charts.svg_sheet import (
    ChartFrame,
    SvgSheet,
    get_series_colour,
    round_scale_end,
)
from citeproof.laboratory.measure.reliability import (
    Rated,
    compute_aurc,
    compute_reliability,
    compute_risk_curve,
)
from citeproof.laboratory.measure.reliability import bin_answers as binned
from citeproof.laboratory.measure.result_tables import format_figure

BINS = 10


def draw_reliability_chart(title: str, systems: Mapping[str, Rated]) -> str:
    """Return the diagram of one or several systems' answers: how sure, and whether right."""
    made = {name: binned(rated, BINS) for name, rated in systems.items()}
    names = [
        f"{n} (n {len(rated)}, ECE {format_figure(compute_reliability(rated)['ece'])})"
        for n, rated in systems.items()
    ]
    sheet = SvgSheet(460, 0, title, "; ".join(names))
    drawn = (min(answers_bin.confidence, answers_bin.low) for bins in made.values() for answers_bin in bins)
    low = max(0.0, math.floor(min(drawn, default=0.0) * 10 - 1e-9) / 10)  # the next tenth below all of it
    frame = ChartFrame(62, sheet.legend(62, 52, names) + 44, 370, 310, (low, low), (1.0, 1.0))
    sheet.height = frame.bottom + 74
    frame.draw(sheet, x="mean confidence of a tenth of the answers", y="share that was right")
    sheet.line(frame.x(low), frame.y(low), frame.x(1), frame.y(1), more='stroke-dasharray="4 4"')
    for place, bins in enumerate(made.values()):
        for answers_bin in bins:
            x = frame.x(answers_bin.confidence)
            sheet.line(
                x, frame.y(answers_bin.low), x, frame.y(answers_bin.high), kind="stem", more='opacity="0.5"'
            )
            sheet.dot(x, frame.y(answers_bin.right), 4.5, colour=get_series_colour(place))
    sheet.note("Whiskers: Wilson's 95 % intervals. On the stroked line confidence is right.")
    return sheet.render_svg()


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

"""Charts against golden files; and that text from files stays text.

To write the golden files anew: `CITEPROOF_GOLDEN=write` in the environment.
"""

from __future__ import annotations

import os
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from citeproof.laboratory.measure.charts.figure_charts import (
    ChartBar,
    choose_ticks,
    draw_bar_chart,
    draw_confusion_chart,
    draw_reliability_chart,
    draw_risk_chart,
    round_scale_end,
)

GOLDEN = Path(__file__).parent / "golden"
NASTY = '<script>alert(1)</script> & "quoted" \x1b[31m \ud800 ' + "long " * 60
NAN = float("nan")


def _rated(seed=1):
    random = np.random.default_rng(seed)
    confidence = np.round(random.uniform(0.6, 1.0, 120), 2)
    right = random.uniform(size=120) < confidence
    return list(zip(confidence.tolist(), right.tolist(), strict=True))


def _bars(one="citeproof", other="another"):
    return draw_bar_chart("macro-F1 of two systems", ["macro-F1", "accuracy", "ECE"], {
        one: [ChartBar(0.95, (0.93, 0.97)), ChartBar(0.9), ChartBar(NAN)],
        other: [ChartBar(0.887, (0.86, 0.91)), ChartBar(0.0, (0.0, 0.02)), ChartBar(1.0, (NAN, NAN))],
    })  # fmt: skip


CHARTS = {
    "bars": _bars,
    "reliability": lambda: draw_reliability_chart("Reliability", {"one": _rated(), "two": _rated(2)}),
    "risk": lambda: draw_risk_chart("Risk and coverage", {"one": (_rated(), 150), "two": (_rated(2), 120)}),
    "confusion": lambda: draw_confusion_chart(
        "792 items", np.array([[270, 12, 3, 0], [9, 230, 5, 1], [0, 0, 0, 0]])
    ),
}


@pytest.mark.parametrize("name", CHARTS)
def test_golden(name):
    path, drawn = GOLDEN / f"{name}.svg", CHARTS[name]()
    if os.environ.get("CITEPROOF_GOLDEN") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(drawn, encoding="utf-8")
    assert drawn == path.read_text(encoding="utf-8")
    ET.fromstring(drawn)


@pytest.mark.parametrize(
    "drawn",
    [
        _bars(NASTY),
        draw_reliability_chart(NASTY, {NASTY: _rated()}),
        draw_risk_chart(NASTY, {NASTY: (_rated(), 120)}),
        draw_confusion_chart(NASTY, np.zeros((3, 4), dtype=np.int64)),
    ],
)
def test_text_stays_text(drawn):
    root = ET.fromstring(drawn.encode())
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert tags <= {"svg", "title", "desc", "style", "rect", "line", "text", "circle", "polyline"}
    assert "\x1b" not in drawn
    assert max(len(element.text or "") for element in root.iter() if element.tag.endswith("text")) < 130


def test_everything_lies_on_the_sheet():
    many = {f"system number {at}": [ChartBar(0.5, (0.4, 0.6))] * 2 for at in range(9)}
    root = ET.fromstring(draw_bar_chart("nine", ["a", "b"], many))
    width, height = float(root.get("width")), float(root.get("height"))
    boxes = [e for e in root.iter() if e.tag.endswith("rect") and e.get("x")]
    assert len(boxes) == 9 + 18
    for box in boxes:
        x, y, wide, high = (float(box.get(name)) for name in ("x", "y", "width", "height"))
        assert x >= 0
        assert x + wide <= width
        assert y >= 0
        assert y + high <= height


def test_nothing_to_draw():
    assert "polyline" not in draw_risk_chart("empty", {"none": ([], 0)})


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]), (0.9, 1, [0.9, 0.92, 0.94, 0.96, 0.98, 1]),
     (0, 0.02, [0, 0.005, 0.01, 0.015, 0.02])],
)  # fmt: skip
def test_ticks(low, high, expected):
    assert choose_ticks(low, high) == expected


@pytest.mark.parametrize(
    ("value", "expected"), [(0.0, 0.001), (0.03, 0.05), (0.3, 0.5), (0.99, 1.0), (1.0, 1.0)]
)
def test_ceiling(value, expected):
    assert round_scale_end(value) == expected

"""The chart of the comparison: an SVG drawn by hand, readable on a light and on a dark page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

WIDTH, LEFT, ROW, TOP = 760, 170, 24, 56
MIDDLE = 470  # where the second column of bars begins
SPAN = 210  # pixels of a full bar
HEAD = 34  # pixels above the rows of a section
STYLE = """
text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328 }
.head { font-weight: 600 } .small { font-size: 11px; fill: #59636e }
.bar { fill: #8c959f } .own { fill: #0969da } .axis { stroke: #d1d9e0 }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc } .small { fill: #9198a1 } .bar { fill: #656c76 } .own { fill: #4493f8 }
  .axis { stroke: #3d444d }
}
"""
Tool = Mapping[str, Any]


def draw_chart(tools: Sequence[Tool], sections: Mapping[str, str], caption: str) -> str:
    """Return the chart: for each set, errors caught and good entries flagged, fewest flagged first."""
    shown = {name: _sort_rows(tools, name) for name in sections}
    worst = max([0.05, *(flagged for rows in shown.values() for _, _, flagged in rows)])
    parts = [
        _text(LEFT, 20, "wrong entries caught", "head"), _text(MIDDLE, 20, "correct entries flagged", "head"),
        _text(LEFT, 36, "longer is better", "small"), _text(MIDDLE, 36, "shorter is better", "small"),
    ]  # fmt: skip
    y = TOP
    for name, rows in shown.items():
        parts.append(_text(12, y + 14, sections[name], "small"))
        y += HEAD - 10
        parts += [part for at, row in enumerate(rows) for part in _draw_row(row, y + at * ROW, worst)]
        bottom = y + ROW * len(rows)
        parts += [
            f'<line class="axis" x1="{x}" x2="{x}" y1="{y - 3}" y2="{bottom}"/>' for x in (LEFT, MIDDLE)
        ]
        y = bottom + 8
    title = "; ".join(f"{sections[name]}: {_describe(rows)}" for name, rows in shown.items())
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + 24}" role="img">'
    lines = [head, f"<title>{escape(title)}</title>", f"<style>{STYLE}</style>", *parts]
    return "\n".join([*lines, _text(12, y + 14, caption, "small"), "</svg>"]) + "\n"


def _sort_rows(tools: Sequence[Tool], name: str) -> list[tuple[Tool, float, float]]:
    rows = []
    for tool in tools:
        figures = tool["sets"].get(name)
        if figures:
            caught, flagged = figures["caught"] / figures["bad"], figures["false_alarms"] / figures["good"]
            rows.append((tool, caught, flagged))
    return sorted(rows, key=lambda row: (row[2], -row[1]))


def _draw_row(row: tuple[Tool, float, float], y: float, worst: float) -> list[str]:
    tool, caught, flagged = row
    kind = "own" if tool["name"] == "citeproof" else "bar"
    return [
        _text(LEFT - 12, y + 13, tool["name"], "head" if kind == "own" else "", "end"),
        _bar(LEFT, y, caught, kind), _text(LEFT + 6 + SPAN * caught, y + 13, f"{100 * caught:.0f} %"),
        _bar(MIDDLE, y, flagged / worst, kind),
        _text(MIDDLE + 6 + SPAN * flagged / worst, y + 13, f"{100 * flagged:.1f} %"),
    ]  # fmt: skip


def _describe(rows: Sequence[tuple[Tool, float, float]]) -> str:
    told = (f"{t['name']} caught {100 * c:.0f} % and flagged {100 * f:.1f} %" for t, c, f in rows)
    return ", ".join(told)


def _bar(x: float, y: float, share: float, kind: str) -> str:
    return f'<rect class="{kind}" x="{x}" y="{y}" width="{max(1.0, SPAN * share):.1f}" height="17" rx="2"/>'


def _text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y}" class="{kind}" text-anchor="{anchor}">{escape(words)}</text>'

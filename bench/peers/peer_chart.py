"""The chart of the comparison: an SVG drawn by hand, readable on a light and on a dark page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

WIDTH, LEFT, ROW, TOP = 760, 170, 34, 64
MIDDLE = 470  # where the second column of bars begins
SPAN = 210  # pixels of a full bar
STYLE = """
text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328 }
.head { font-weight: 600 } .small { font-size: 11px; fill: #59636e }
.bar { fill: #8c959f } .own { fill: #0969da } .axis { stroke: #d1d9e0 }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc } .small { fill: #9198a1 } .bar { fill: #656c76 } .own { fill: #4493f8 }
  .axis { stroke: #3d444d }
}
"""


def draw_chart(tools: Sequence[Mapping[str, Any]], sets: Sequence[str], caption: str) -> str:
    """Return the chart: errors caught and good entries flagged, over all sets together."""
    rows = [(tool, *_add_up(tool, sets)) for tool in tools if all(name in tool["sets"] for name in sets)]
    rows.sort(key=lambda row: -(row[1] - row[2]))
    worst = max([0.05, *(row[2] for row in rows)])
    height = TOP + ROW * len(rows) + 34
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        f"<title>{escape(_describe(rows))}</title>",
        f"<style>{STYLE}</style>",
        _text(LEFT, 24, "wrong entries caught", "head"), _text(MIDDLE, 24, "correct entries flagged", "head"),
        _text(LEFT, 42, "longer is better", "small"), _text(MIDDLE, 42, "shorter is better", "small"),
    ]  # fmt: skip
    for at, (tool, caught, flagged) in enumerate(rows):
        y = TOP + at * ROW
        kind = "own" if tool["name"] == "citeproof" else "bar"
        parts += [
            _text(LEFT - 12, y + 16, tool["name"], "head" if kind == "own" else "", "end"),
            _bar(LEFT, y, caught, kind), _text(LEFT + 6 + SPAN * caught, y + 16, f"{100 * caught:.0f} %"),
            _bar(MIDDLE, y, flagged / worst, kind),
            _text(MIDDLE + 6 + SPAN * flagged / worst, y + 16, f"{100 * flagged:.1f} %"),
        ]  # fmt: skip
    bottom = TOP + ROW * len(rows)
    parts += [f'<line class="axis" x1="{x}" x2="{x}" y1="{TOP - 6}" y2="{bottom}"/>' for x in (LEFT, MIDDLE)]
    parts += [_text(LEFT - 158, bottom + 20, caption, "small"), "</svg>"]
    return "\n".join(parts) + "\n"


def _add_up(tool: Mapping[str, Any], sets: Sequence[str]) -> tuple[float, float]:
    figures = [tool["sets"][name] for name in sets]
    bad, good = sum(f["bad"] for f in figures), sum(f["good"] for f in figures)
    return sum(f["caught"] for f in figures) / bad, sum(f["false_alarms"] for f in figures) / good


def _describe(rows: Sequence[tuple[Mapping[str, Any], float, float]]) -> str:
    told = (f"{t['name']} {100 * c:.0f} % and {100 * f:.1f} %" for t, c, f in rows)
    return "Wrong entries caught and correct entries flagged: " + "; ".join(told)


def _bar(x: float, y: float, share: float, kind: str) -> str:
    return f'<rect class="{kind}" x="{x}" y="{y}" width="{max(1.0, SPAN * share):.1f}" height="22" rx="2"/>'


def _text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y}" class="{kind}" text-anchor="{anchor}">{escape(words)}</text>'

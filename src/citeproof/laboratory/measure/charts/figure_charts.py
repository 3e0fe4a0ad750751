"""The charts of `citeproof bench plot`.

A bar for every figure of every system, with its interval; the confusion table as a picture; how often answers
of one confidence are right; how risk falls if only the surest are given. They are drawn on a `SvgSheet`:
marks in order, text escaped, colours for light and dark.
"""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from citeproof.answers.reporters.wording import show_line as one_line
from citeproof.laboratory.measure.metrics import (
    CLASSES,
    Integers,
    Interval,
    Rated,
    compute_aurc,
    compute_reliability,
    compute_risk_curve,
)
from citeproof.laboratory.measure.metrics import bin_answers as binned
from citeproof.laboratory.measure.result_tables import format_figure

BAR, GAP = 34.0, 26.0
WIDE, HIGH = 96.0, 62.0
BINS = 10
# Okabe and Ito's colours without yellow: distinguished by colour-blind readers, on light and dark ground.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#8a8a8a")
FONT = "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif"
LETTER = 6.7  # width of a letter of 12 pixels, on the safe side
STEPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1.0)  # of a scale
TITLE = 8.2  # the same of the title's 15 pixels
STYLE = """
.ground{fill:#fff}.ink{fill:#1f2328}.faint{fill:#59636e}.rule{stroke:#d1d9e0}.axis{stroke:#59636e}
.stem{stroke:#1f2328}
@media(prefers-color-scheme:dark){.ground{fill:#0d1117}.ink{fill:#f0f6fc}.faint{fill:#9198a1}
.rule{stroke:#3d444d}.axis{stroke:#9198a1}.stem{stroke:#f0f6fc}}
""".strip()


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


def format_coordinate(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _format_place(**values: float) -> str:
    return " ".join(f'{name}="{format_coordinate(value)}"' for name, value in values.items())


def escape_svg_text(text: str, limit: int = 120) -> str:
    """Return text of a file, safe inside SVG: one line, bounded, no markup."""
    return html.escape(one_line(text, limit).encode("utf-8", "replace").decode())


def estimate_text_width(text: str) -> float:
    """Return how wide a text of 12 pixels is, at most."""
    return LETTER * len(text)


@dataclass(slots=True)
class SvgSheet:
    width: float
    height: float
    title: str
    about: str = ""  # what a reader who cannot see the chart gets
    marks: list[str] = field(default_factory=list)

    def line(self, x1: float, y1: float, x2: float, y2: float, *, kind: str = "axis", more: str = "") -> None:
        at = _format_place(x1=x1, y1=y1, x2=x2, y2=y2)
        self.marks.append(f'<line {at} class="{kind}"{_format_attributes(more)}/>')

    def box(self, x: float, y: float, width: float, height: float, *, colour: str, more: str = "") -> None:
        """Draw a filled rectangle."""
        at = _format_place(x=x, y=y, width=width, height=height)
        self.marks.append(f'<rect {at} fill="{colour}"{_format_attributes(more)}/>')

    def dot(self, x: float, y: float, radius: float, *, colour: str) -> None:
        self.marks.append(f'<circle {_format_place(cx=x, cy=y, r=radius)} fill="{colour}"/>')

    def path(self, points: list[tuple[float, float]], *, colour: str) -> None:
        """Draw a line through points."""
        at = " ".join(f"{format_coordinate(x)},{format_coordinate(y)}" for x, y in points)
        self.marks.append(f'<polyline points="{at}" fill="none" stroke="{colour}" stroke-width="2"/>')

    def text(
        self, x: float, y: float, said: str, *, size: int = 12, anchor: str = "start", kind: str = "ink"
    ) -> None:
        at = f'{_format_place(x=x, y=y)} font-size="{size}" text-anchor="{anchor}"'
        self.marks.append(f'<text {at} class="{kind}">{escape_svg_text(said)}</text>')

    def note(self, said: str) -> None:
        self.text(16, self.height - 14, said, size=11, kind="faint")

    def legend(self, x: float, y: float, names: list[str]) -> float:
        """Write which colour is whose, as many a line as fit; return where it ends."""
        left = x
        for at, name in enumerate(names):
            shown = one_line(name, int((self.width - x - 40) / LETTER))
            wide = estimate_text_width(shown) + 34
            if left > x and left + wide > self.width - 10:
                left, y = x, y + 18
            self.box(left, y - 10, 12, 12, colour=get_series_colour(at), more='rx="2"')
            self.text(left + 18, y, shown)
            left += wide
        return y

    def render_svg(self) -> str:
        size = _format_place(width=self.width, height=self.height)
        box = f'viewBox="0 0 {format_coordinate(self.width)} {format_coordinate(self.height)}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box} role="img" font-family="{FONT}">'
        ground = f'<rect class="ground" {size}/>'
        named = (
            f"<title>{escape_svg_text(self.title)}</title><desc>{escape_svg_text(self.about, 2000)}</desc>"
        )
        bold = 'x="16" y="26" font-size="15" font-weight="600" class="ink"'
        title = f"<text {bold}>{escape_svg_text(self.title, int((self.width - 32) / TITLE))}</text>"
        return "\n".join([head, named, f"<style>{STYLE}</style>", ground, title, *self.marks, "</svg>", ""])


def get_series_colour(at: int) -> str:
    return COLOURS[at % len(COLOURS)]


def _format_attributes(more: str) -> str:
    return f" {more}" if more else ""


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

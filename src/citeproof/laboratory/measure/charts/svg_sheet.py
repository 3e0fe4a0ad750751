"""A sheet to draw on: marks in order, text escaped, colours for light and dark; and the frame of a chart."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass, field

from citeproof.answers.reporters.wording import show_line as one_line

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

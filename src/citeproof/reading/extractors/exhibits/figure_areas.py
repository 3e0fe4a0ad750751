"""Which part of a page a caption belongs to: the pictures, rules and words next to it."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import pypdfium2.raw as pdfium
from pypdfium2 import PdfPage

from citeproof.reading.extractors.pdf.page_glyphs import PageFrame
from citeproof.reading.extractors.pdf.page_layout import PageText, PdfLine
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary.source_texts import ExhibitKind

if TYPE_CHECKING:
    from citeproof.reading.extractors.exhibits.pdf_exhibits import PdfCaption

_WORD = re.compile(r"[^\W\d_]{2,}")
_NEAR = 60.0  # points between a caption and what it is about
_TOUCHING = 14.0  # points between the parts of one figure
_LEAST = 15.0  # points: a figure is no lower and no narrower
_ROUNDS = 3
_TALLEST = 450.0  # points between two rules of one table
_MOST_RULES = 500
MAX_OBJECTS = 100_000  # of one page that are looked at
MAX_BOXES = 20_000  # that are stored
_MAX_DEPTH = 3  # of forms in forms
_BACKGROUND = 0.7  # of the page: what covers more is paper
_LARGE_FORM = 0.3  # of the page: it may hold more than a figure
_THIN = 2.5  # points; a rule is no thicker
_SPECK = 1.0  # points


class FigureArea(NamedTuple):
    """A part of a page, and how far it is from its caption."""

    left: float
    top: float
    right: float
    bottom: float
    away: float
    rules: int = 0  # lines across, in a table

    @property
    def box(self) -> tuple[float, float, float, float]:
        return round(self.left, 1), round(self.top, 1), round(self.right, 1), round(self.bottom, 1)


class PageAreas:
    """The areas of one page: asked for each caption on it."""

    def __init__(
        self, page: PageText, graphics: Sequence[GraphicBox], captions: Sequence[PdfCaption], body: float
    ) -> None:
        self._graphics = graphics
        self._captions = captions
        own = {id(line) for caption in captions for line in caption.lines}
        self._lines = [line for line in page.lines if id(line) not in own]
        wide = sorted(line.right - line.left for line in page.lines if len(line.text) > 30)
        self._usual = wide[len(wide) // 2] if wide else 0.0
        large = [box for box in graphics if box.bottom - box.top > 20 and box.right - box.left > 40]
        rows = self._find_table_rows()
        self._prose = [
            line for line in self._lines if id(line) not in rows and self._is_prose(line, body, large)
        ]

    def is_parted(self, upper: float, lower: float, left: float, right: float) -> bool:
        """Return whether a rule is between two heights."""
        return any(
            box.rule and upper < box.top < lower and box.left < right and left < box.right
            for box in self._graphics
        )

    def find_area(self, caption: PdfCaption, *, above: bool) -> FigureArea | None:
        """Return what is above or below a caption, up to the running text; None: nothing."""
        left, right = caption.left, caption.right
        best: FigureArea | None = None
        for _ in range(_ROUNDS):
            low, high = self._find_limits(caption, left, right, above=above)
            area = self._join_parts(caption, low, high, left, right, above=above)
            if area is None:
                return best
            best = area
            if area.left >= left and area.right <= right:
                break
            left, right = min(left, area.left), max(right, area.right)
        return best

    def _find_table_rows(self) -> set[int]:
        """Return the lines between rules of the same width, as tables have them; no caption between."""
        rules: dict[tuple[int, int], list[float]] = {}
        for box in self._graphics:
            if box.rule:
                rules.setdefault((round(box.left / 3), round(box.right / 3)), []).append(box.top)
        rows: set[int] = set()
        for (left, right), heights in rules.items():
            heights.sort()
            for upper, lower in pairwise(heights[:_MOST_RULES]):
                if lower - upper < _TALLEST and not self._has_caption(upper, lower, 3 * left, 3 * right):
                    rows |= self._find_rows(upper, lower, 3 * left, 3 * right)
        return rows

    def _has_caption(self, upper: float, lower: float, left: float, right: float) -> bool:
        return any(
            upper < each.top < lower and each.left < right and left < each.right for each in self._captions
        )

    def _find_rows(self, upper: float, lower: float, left: float, right: float) -> set[int]:
        """Return the lines between two rules; none where they are a column of running text."""
        mine = [
            line
            for line in self._lines
            if upper < line.base < lower + 2 and line.left > left - 8 and line.right < right + 8
        ]
        full = sum(line.right - line.left > 0.95 * self._usual for line in mine)
        return {id(line) for line in mine} if full < max(2, 0.5 * len(mine)) else set()

    def _is_prose(self, line: PdfLine, body: float, large: Sequence[GraphicBox]) -> bool:
        """Return whether a line is running text: wide, of words, and outside of pictures."""
        if line.size < 0.93 * body or line.right - line.left < 0.6 * self._usual:
            return False
        words = _WORD.findall(line.text)
        if len(words) < 4 or sum(map(len, words)) < 0.6 * len(line.text):
            return False
        middle = (line.top + line.bottom) / 2
        return not any(
            box.top < middle < box.bottom and box.left < line.left + 5 and line.right - 5 < box.right
            for box in large
        )

    def _find_limits(
        self, caption: PdfCaption, left: float, right: float, *, above: bool
    ) -> tuple[float, float]:
        """Return from where to where the area may go: to the running text, or the next caption."""
        stops = [
            (line.top, line.bottom)
            for line in self._prose
            if min(line.right, right) - max(line.left, left) > 10
        ]
        stops += [
            (other.top, other.bottom)
            for other in self._captions
            if other is not caption and min(other.right, right) - max(other.left, left) > 10
        ]
        if above:
            return max((low for _, low in stops if low <= caption.top + 2), default=0.0), caption.top
        return caption.bottom, min((high for high, _ in stops if high >= caption.bottom - 2), default=1e5)

    def _join_parts(
        self, caption: PdfCaption, low: float, high: float, left: float, right: float, *, above: bool
    ) -> FigureArea | None:
        """Return the box around the graphics within limits, with the words in and next to it."""
        inside = [
            box
            for box in self._graphics
            if (box.top + box.bottom) / 2 > low - 1
            and (box.top + box.bottom) / 2 < high + 1
            and min(box.right, right) - max(box.left, left) > -_TOUCHING
        ]
        figure = caption.label.kind is ExhibitKind.FIGURE
        drawn = [box for box in inside if not (figure and box.rule)] or inside
        lines = [
            line
            for line in self._lines
            if low - 1 < line.base < high + 1 and min(line.right, right) - max(line.left, left) > -_TOUCHING
        ]
        if figure:
            parts = _gather_parts(drawn, lines, caption, above=above)
        else:
            parts = _gather_table(inside, lines, caption, above=above)
        if not parts:
            return None
        box = (
            min(part[0] for part in parts), max(min(part[1] for part in parts), low),
            max(part[2] for part in parts), min(max(part[3] for part in parts), high),
        )  # fmt: skip
        if box[2] - box[0] < _LEAST or box[3] - box[1] < _LEAST:
            return None
        away = caption.top - box[3] if above else box[1] - caption.bottom
        return FigureArea(*box, away=max(away, 0.0), rules=sum(graphic.rule for graphic in inside))


Box = tuple[float, float, float, float]


def _gather_parts(
    drawn: Sequence[GraphicBox], lines: Sequence[PdfLine], caption: PdfCaption, *, above: bool
) -> list[Box]:
    """Return the boxes of a figure: its drawings, and words that touch them."""
    boxes: list[Box] = [box[:4] for box in drawn]
    if not boxes:
        return []
    edge = max(box[3] for box in boxes) if above else min(box[1] for box in boxes)
    away = caption.top - edge if above else edge - caption.bottom
    if away > _NEAR + 40:
        return []
    whole = _unite_boxes(boxes)
    for line in sorted(lines, key=lambda line: -line.base if above else line.base):
        mine = (line.left, line.top, line.right, line.bottom)
        across = max(whole[0] - mine[2], mine[0] - whole[2], 0.0)
        down = max(whole[1] - mine[3], mine[1] - whole[3], 0.0)
        if max(across, down) < _TOUCHING:
            boxes.append(mine)
            whole = _unite_boxes([whole, mine])
    return boxes


def _gather_table(
    inside: Sequence[GraphicBox], lines: Sequence[PdfLine], caption: PdfCaption, *, above: bool
) -> list[Box]:
    """Return the boxes of a table: rows and rules that follow each other without a wide gap."""
    parts: list[Box] = [box[:4] for box in inside]
    parts += [(line.left, line.top, line.right, line.bottom) for line in lines]
    parts.sort(key=lambda box: -box[3] if above else box[1])
    edge = caption.top if above else caption.bottom
    rows: list[Box] = []
    widest = _NEAR / 2
    for box in parts:
        gap = edge - box[3] if above else box[1] - edge
        if gap > widest:
            break
        rows.append(box)
        edge = min(edge, box[1]) if above else max(edge, box[3])
        widest = 22.0
    return rows


def _unite_boxes(boxes: Sequence[Box]) -> Box:
    return (
        min(box[0] for box in boxes), min(box[1] for box in boxes),
        max(box[2] for box in boxes), max(box[3] for box in boxes),
    )  # fmt: skip


class GraphicBox(NamedTuple):
    """Where a picture or drawing is; points from the top left corner of the page."""

    left: float
    top: float
    right: float
    bottom: float
    rule: bool  # a line across, as tables have them


def read_page_graphics(page: PdfPage, frame: PageFrame) -> list[GraphicBox]:
    """Return the boxes of pictures, drawings and rules of a page; what covers the page is left out."""
    reader = _GraphicReader(frame)
    reader.read_objects(
        pdfium.FPDFPage_CountObjects(page.raw), lambda index: pdfium.FPDFPage_GetObject(page.raw, index)
    )
    return reader.found


class _GraphicReader:
    """Collects boxes; counts every object it looks at."""

    def __init__(self, frame: PageFrame) -> None:
        self.found: list[GraphicBox] = []
        self._frame = frame
        turned = frame.turns % 2
        self._width = frame.height if turned else frame.width
        self._height = frame.width if turned else frame.height
        self._left_over = MAX_OBJECTS
        self._sides = [ctypes.c_float() for _ in range(4)]
        self._matrix = pdfium.FS_MATRIX()

    def read_objects(
        self, count: int, get: object, matrix: Sequence[float] = (1, 0, 0, 1, 0, 0), depth: int = 0
    ) -> None:
        """Add the boxes of some objects; those of a form that fills the page one by one."""
        for index in range(count):
            if self._left_over <= 0 or len(self.found) >= MAX_BOXES:
                return
            self._left_over -= 1
            graphic = get(index)  # type: ignore[operator]
            kind = pdfium.FPDFPageObj_GetType(graphic) if graphic else pdfium.FPDF_PAGEOBJ_TEXT
            if kind == pdfium.FPDF_PAGEOBJ_TEXT:
                continue
            if not pdfium.FPDFPageObj_GetBounds(graphic, *map(ctypes.byref, self._sides)):
                continue
            box = self._place_box(matrix)
            if box is None:
                continue
            wide, high = box.right - box.left, box.bottom - box.top
            share = wide * high / max(self._width * self._height, 1.0)
            if kind == pdfium.FPDF_PAGEOBJ_FORM and share > _LARGE_FORM and depth < _MAX_DEPTH:
                self._read_form(graphic, matrix, depth)
            elif share < _BACKGROUND and (wide > _SPECK or high > _SPECK):
                self.found.append(box)

    def _read_form(self, form: object, matrix: Sequence[float], depth: int) -> None:
        own = self._matrix
        if not pdfium.FPDFPageObj_GetMatrix(form, ctypes.byref(own)):
            return
        inner = _multiply_matrices((own.a, own.b, own.c, own.d, own.e, own.f), matrix)
        self.read_objects(
            pdfium.FPDFFormObj_CountObjects(form),
            lambda index: pdfium.FPDFFormObj_GetObject(form, index),
            inner,
            depth + 1,
        )

    def _place_box(self, matrix: Sequence[float]) -> GraphicBox | None:
        """Return the box that was asked for last as it is seen, cut to the page."""
        low_x, low_y, high_x, high_y = (side.value for side in self._sides)
        if not all(abs(side) < 1e6 for side in (low_x, low_y, high_x, high_y)):
            return None
        a, b, c, d, e, f = matrix
        corners = [
            self._frame.place_point(a * x + c * y + e, b * x + d * y + f)
            for x, y in ((low_x, low_y), (high_x, high_y), (low_x, high_y), (high_x, low_y))
        ]
        left, right = min(x for x, _ in corners), max(x for x, _ in corners)
        top, bottom = min(y for _, y in corners), max(y for _, y in corners)
        left, top = max(left, 0.0), max(top, 0.0)
        right, bottom = min(right, self._width), min(bottom, self._height)
        if right < left or bottom < top:
            return None
        return GraphicBox(left, top, right, bottom, bottom - top < _THIN and right - left > 20)


def _multiply_matrices(inner: Sequence[float], outer: Sequence[float]) -> tuple[float, ...]:
    a, b, c, d, e, f = inner
    p, q, r, s, t, u = outer
    return (
        a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u,
    )  # fmt: skip

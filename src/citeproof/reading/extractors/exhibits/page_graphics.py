"""The pictures and drawings of a page as boxes, within limits."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import NamedTuple

import pypdfium2.raw as pdfium
from pypdfium2 import PdfPage

from citeproof.reading.extractors.pdf.page_glyphs import PageFrame

MAX_OBJECTS = 100_000  # of one page that are looked at
MAX_BOXES = 20_000  # that are stored
_MAX_DEPTH = 3  # of forms in forms
_BACKGROUND = 0.7  # of the page: what covers more is paper
_LARGE_FORM = 0.3  # of the page: it may hold more than a figure
_THIN = 2.5  # points; a rule is no thicker
_SPECK = 1.0  # points


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

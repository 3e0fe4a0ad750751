"""The figures and tables of a PDF: caption, page, and the part of the page that shows it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from pypdfium2 import PdfDocument, PdfiumError

from citeproof.reading.extractors.body.body_writer import MAX_CAPTION, MAX_CONTENT
from citeproof.reading.extractors.exhibits.figure_areas import (
    FigureArea,
    GraphicBox,
    PageAreas,
    read_page_graphics,
)
from citeproof.reading.extractors.exhibits.pdf_captions import (
    PdfCaption,
    extend_caption,
    find_pdf_captions,
)
from citeproof.reading.extractors.pdf.line_joining import DocumentWords, join_lines
from citeproof.reading.extractors.pdf.page_layout import PageText, measure_usual_size
from citeproof.reading.extractors.pdf.pdf_pages import read_frame
from citeproof.vocabulary.source_texts import Exhibit, ExhibitKind

_NEARER = 10.0  # points that make one side of a caption likelier than the other

Areas = tuple[PdfCaption, FigureArea | None, FigureArea | None]  # above and below the caption


def find_pdf_exhibits(pdf: PdfDocument, pages: Sequence[PageText]) -> tuple[Exhibit, ...]:
    """Return the figures and tables in order, each with the box of its image; the images are cut later."""
    captions = find_pdf_captions(pages)
    if not captions:
        return ()
    body = measure_usual_size(line for page in pages for line in page.lines)
    areas: list[Areas] = []
    for number, mine in groupby(captions, key=lambda caption: caption.page.number):
        areas += _find_page_areas(pdf, number, list(mine), body)
    words = DocumentWords(line for page in pages for line in page.lines)
    sides = {kind: _is_usually_above(areas, kind) for kind in ExhibitKind}
    return tuple(
        _build_exhibit(caption, _choose_area(above, below, sides[caption.label.kind]), words)
        for caption, above, below in areas
    )


def _find_page_areas(pdf: PdfDocument, number: int, captions: list[PdfCaption], body: float) -> list[Areas]:
    page_text = captions[0].page
    graphics = _read_graphics(pdf, number)
    areas = PageAreas(page_text, graphics, captions, body)
    for caption in captions:
        extend_caption(caption, areas.is_parted)
    areas = PageAreas(page_text, graphics, captions, body)  # what is left when the captions are known
    return [
        (each, areas.find_area(each, above=True), areas.find_area(each, above=False)) for each in captions
    ]


def _read_graphics(pdf: PdfDocument, number: int) -> list[GraphicBox]:
    try:
        page = pdf[number - 1]
    except PdfiumError:
        return []
    try:
        return read_page_graphics(page, read_frame(page))
    finally:
        page.close()


def _is_usually_above(areas: Sequence[Areas], kind: ExhibitKind) -> bool:
    """Return whether the figures, or tables, of this work are above their captions."""
    votes = 0
    for caption, above, below in areas:
        if caption.label.kind is kind and (above or below):
            votes += 1 if _is_nearer(above, below) else -1 if _is_nearer(below, above) else 0
    return votes > 0 if votes else kind is ExhibitKind.FIGURE


def _is_nearer(area: FigureArea | None, other: FigureArea | None) -> bool:
    if area is None or other is None:
        return area is not None
    if bool(area.rules) != bool(other.rules):
        return bool(area.rules)
    return area.away + _NEARER < other.away


def _choose_area(above: FigureArea | None, below: FigureArea | None, usually: bool) -> FigureArea | None:
    first, second = (above, below) if usually else (below, above)
    return first or second


def _build_exhibit(caption: PdfCaption, area: FigureArea | None, words: DocumentWords) -> Exhibit:
    text = join_lines(caption.lines, words, MAX_CAPTION)
    label = caption.label
    return Exhibit(
        label.kind,
        label.number,
        label.text,
        text.removeprefix(label.text).strip(),
        page=caption.page.number,
        box=area.box if area else None,
        content=_read_rows(caption, area) if area and label.kind is ExhibitKind.TABLE else "",
    )


def _read_rows(caption: PdfCaption, area: FigureArea) -> str:
    """Return the rows of a table: the lines in its area."""
    rows = [
        line.text.replace("\x02", "-")
        for line in sorted(caption.page.lines, key=lambda line: (line.base, line.left))
        if area.top - 1 < line.base < area.bottom + 1
        and area.left - 1 < line.left < area.right
        and line not in caption.lines
    ]
    return "\n".join(rows)[:MAX_CONTENT]

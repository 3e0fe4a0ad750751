"""The figures and tables of a PDF: caption, page, and the part of the page that shows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias

from pypdfium2 import PdfDocument, PdfiumError

from citeproof.reading.extractors.body.body_writer import MAX_CAPTION, MAX_CONTENT
from citeproof.reading.extractors.exhibits.figure_areas import (
    FigureArea,
    GraphicBox,
    PageAreas,
    read_page_graphics,
)
from citeproof.reading.extractors.pdf.line_joining import DocumentWords, join_lines
from citeproof.reading.extractors.pdf.page_layout import PageText, PdfLine, measure_usual_size
from citeproof.reading.extractors.pdf.pdf_pages import read_frame
from citeproof.text import lazy_patterns as re
from citeproof.text.exhibit_labels import CaptionLabel, read_caption_label
from citeproof.vocabulary.source_texts import Exhibit, ExhibitKind

_NEARER = 10.0  # points that make one side of a caption likelier than the other
Areas: TypeAlias = "tuple[PdfCaption, FigureArea | None, FigureArea | None]"  # above and below the caption
MAX_CAPTIONS = 500  # of one work
MAX_LINES = 60  # of one caption
_LEADERS = re.compile(r"(?:\. ?){5}")  # in a list of figures
_LISTED = re.compile(r"(?:\. ?){5}|\s\d{1,4}$")
_FEWEST_LISTED = 3  # entries that make a list of figures
_SURE = 2.5  # a line with less is running text
_ENDED = re.compile(r"[.!?:;)\]”\"][\s\d\[\],]{0,12}$")
_OPENING = re.compile(r"[A-Z\d(\[“\"‘'À-ÖØ-ÞΑ-ΩА-Я]")


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


@dataclass(slots=True, eq=False)
class PdfCaption:
    """A caption on its page; places are in points from the top left corner."""

    label: CaptionLabel
    page: PageText
    lines: list[PdfLine]
    score: float = 0.0

    @property
    def left(self) -> float:
        return min(line.left for line in self.lines)

    @property
    def right(self) -> float:
        return max(line.right for line in self.lines)

    @property
    def top(self) -> float:
        return min(line.top for line in self.lines)

    @property
    def bottom(self) -> float:
        return max(line.bottom for line in self.lines)


def find_pdf_captions(pages: Sequence[PageText]) -> list[PdfCaption]:
    """Return the captions in order, one for each figure and table."""
    body = measure_usual_size(line for page in pages for line in page.lines)
    captions = [caption for page in pages for caption in _find_page_captions(page, body)]
    best: dict[tuple[ExhibitKind, str], PdfCaption] = {}
    usual = {kind: _find_usual_mark(captions, kind) for kind in ExhibitKind}
    for caption in captions:
        if caption.label.mark != usual[caption.label.kind] and caption.score < _SURE + 1.5:
            continue  # running text, where the captions of this work look otherwise
        key = caption.label.kind, caption.label.number
        if key not in best or caption.score > best[key].score + 0.9:
            best[key] = caption
    ordered = sorted(best.values(), key=lambda caption: caption.page.number)
    return ordered[:MAX_CAPTIONS]


def extend_caption(caption: PdfCaption, is_parted: Callable[[float, float, float, float], bool]) -> None:
    """Add the lines that go on below; `is_parted` says whether a rule is between two heights."""
    step = 0.0
    while len(caption.lines) < MAX_LINES:
        last = caption.lines[-1]
        line = _find_line_below(caption, last, step)
        if line is None or is_parted(last.base, line.base - 0.3 * line.size, line.left, line.right):
            return
        step = step or line.base - last.base
        caption.lines.append(line)


def _find_line_below(caption: PdfCaption, last: PdfLine, step: float) -> PdfLine | None:
    """Return the line that continues a caption: as near as the one before, of the same size, below it."""
    first = caption.lines[0]
    alone = len(caption.lines) == 1 and len(first.text) <= len(caption.label.text) + 1
    farthest = 1.25 * step if step else 1.2 * max(caption.page.leading, 1.3 * last.size)
    farthest = min(farthest, 3 * last.size) if not alone else 2.2 * last.size
    left, right = caption.left - 6, caption.right + 6
    if alone:
        left, right = left - 150, right + 300
    near = [
        line
        for line in caption.page.lines
        if 0.5 * last.size < line.base - last.base <= farthest
        and abs(line.size - first.size) <= (0.3 if alone else 0.1) * first.size
        and min(line.right, right) - max(line.left, left) > 0.5 * (line.right - line.left)
    ]
    nearest = min(near, key=lambda line: (line.base, line.left), default=None)
    if nearest is None or read_caption_label(nearest.text):
        return None
    widest = max(line.right - line.left for line in caption.lines)
    if len(caption.lines) > 1 and last.right - last.left < 0.6 * widest and nearest.left < last.left - 3:
        return None  # the last line was short: a paragraph ended
    return nearest


def _find_page_captions(page: PageText, body: float) -> Iterator[PdfCaption]:
    leaders = sum(_LEADERS.search(line.text) is not None for line in page.lines)
    labels = sum(
        read_caption_label(line.text[:120]) is not None and _LISTED.search(line.text) is not None
        for line in page.lines
    )
    if leaders >= _FEWEST_LISTED or labels > _FEWEST_LISTED:
        return
    for line in page.lines:
        label = read_caption_label(line.text[:120])
        if label is None or _LEADERS.search(line.text[len(label.text) :]):
            continue
        score = _score_caption(label, line, page, body)
        if score >= _SURE:
            yield PdfCaption(label, page, [line], score)


def _score_caption(label: CaptionLabel, line: PdfLine, page: PageText, body: float) -> float:
    """Return how much a line looks like the beginning of a caption."""
    rest = line.text[len(label.text) :].strip()
    above = _find_line_above(line, page)
    score = 3.0 if label.mark in (":", "|") else 1.0 if label.mark else 0.0
    if above is None:
        score += 2
    elif abs(above.size - line.size) < 0.04 * line.size and above.bold == line.bold:
        score += _score_line_above(above, line, label)
    if rest and not _OPENING.match(rest):
        score -= 0.5 if label.mark in (":", "|", "–") or (label.mark and above is None) else 3
    score += abs(line.size - body) > 0.04 * body
    score += line.bold
    score += label.text.isupper()
    score += 0.5 if rest[:1].isupper() else 0
    return score + (1 if not rest and above is None else 0)


def _score_line_above(above: PdfLine, line: PdfLine, label: CaptionLabel) -> float:
    """Return what a line of the same font right above means: running text goes on, or something ended."""
    short = above.right < line.right - 0.25 * (line.right - line.left) or above.left > line.left + 20
    if short and label.mark and (_ENDED.search(above.text) or len(above.text) < 40):
        return 1.0  # the names of the panels, or the axis of a plot
    if _ENDED.search(above.text) or len(above.text) < 25:
        return -1.0
    return -2.0 if label.mark == ":" else -4.0


def _find_line_above(line: PdfLine, page: PageText) -> PdfLine | None:
    leading = max(1.25 * line.size, min(page.leading, 2.6 * line.size))
    for other in page.lines:
        away = line.base - other.base
        if 0.5 * line.size < away < 1.25 * leading and other.left < line.right and line.left < other.right:
            return other
    return None


def _find_usual_mark(captions: Sequence[PdfCaption], kind: ExhibitKind) -> str:
    marks = Counter(caption.label.mark for caption in captions if caption.label.kind is kind)
    return marks.most_common(1)[0][0] if marks else ""

"""A PDF's bytes to pages of lines, within limits; what cannot be read is said."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from pypdfium2 import PdfDocument, PdfiumError, PdfPage
from pypdfium2 import raw as pdfium

from citeproof.errors import InputError
from citeproof.reading.extractors.pdf import page_furniture
from citeproof.reading.extractors.pdf.page_columns import order_lines
from citeproof.reading.extractors.pdf.page_glyphs import Glyphs, PageFrame
from citeproof.reading.extractors.pdf.page_layout import PageText, PdfLine, PdfRun, PdfWord
from citeproof.reading.extractors.pdf.page_words import read_runs
from citeproof.reading.extractors.reading_progress import report_progress
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import Document, Place, Problem

NO_LETTER = re.compile("[\ufffd\ue000-\uf8ff]")
_FEWEST = 30  # characters; a page with fewer and a large picture is a scan
_MOST_PICTURES = 200
_WIDEST = 20_000.0  # points; no page is wider
MAX_PAGES = 5000
_GARBLED = 0.4  # of the characters represent no letter
_DOUBTFUL = 0.02  # of the characters represent no letter: the others may be wrong
_UNMAPPED = 0.6  # of the characters have no Unicode
_COMMON = re.compile(
    r"(?i)\b(?:the|of|and|in|to|der|die|und|von|de|la|le|el|et|di|il|van|en|og|och|na|не|на)\b"
)
_RARE = 300  # characters for each common word; a text in any language has more of them
_MOST_SCANNED = 8  # pages of one document that are recognised, from its end: up to ten seconds each
_MOST_LETTERS = 50_000  # of a page that is only looked at
MAX_TEXT = 5_000_000  # characters of one document
_PIXELS = 12_000_000  # of one picture, at most
_SHORT = 0.75  # of a row's height is the size of its letters


def open_pdf(document: Document) -> PdfDocument:
    """Return the document as pdfium sees it; an InputError says why it cannot be read."""
    try:
        pdf = PdfDocument(document.data)
        pages = len(pdf)
    except PdfiumError as error:
        raise _make_refusal(document.name, error) from error
    if not pages:
        raise InputError("a PDF without pages", place=document.name, hint="create the PDF again")
    return pdf


def _make_refusal(name: str, error: Exception) -> InputError:
    if getattr(error, "err_code", None) == pdfium.FPDF_ERR_PASSWORD or "assword" in str(error):
        return InputError("the PDF is encrypted", place=name, hint="save a copy without a password")
    return InputError("the PDF is broken", place=name, hint="open it in a viewer and print it to a new PDF")


def read_pages(pdf: PdfDocument, name: str) -> tuple[list[PageText], list[Problem]]:
    """Return the pages, their lines without running heads and line numbers, and what was not read."""
    total = min(len(pdf), MAX_PAGES)
    pages: list[PageText] = []
    numbers = page_furniture.LineNumbers()
    letters = 0
    for index in range(total):
        page = _read_page(pdf, index, numbers)
        pages.append(page)
        report_progress(index + 1, total)
        letters += page.characters
        if letters > MAX_TEXT:
            break
    _recognise_pages(pdf, pages)
    page_furniture.remove_page_furniture(pages)
    problems = _report_unread_pages(pages, name)
    if len(pages) < len(pdf):
        message = f"only the first {len(pages)} of {len(pdf)} pages were read"
        problems.append(Problem(Place(file=name, page=len(pages) + 1), message, "split the PDF"))
    return pages, problems


def read_opening_pages(pdf: PdfDocument, most: int) -> tuple[list[PageText], list[str]]:
    """Return the first pages as they are printed, and all letters of each, turned lines among them."""
    pages: list[PageText] = []
    letters: list[str] = []
    numbers = page_furniture.LineNumbers()
    for index in range(min(len(pdf), most)):
        pages.append(_read_page(pdf, index, numbers))
        letters.append(_read_letters(pdf, index))
    return pages, letters


def _read_letters(pdf: PdfDocument, index: int) -> str:
    try:
        page = pdf[index]
        text = page.get_textpage()
    except PdfiumError:
        return ""
    try:
        return str(text.get_text_range(0, min(text.count_chars(), _MOST_LETTERS)))
    finally:
        text.close()
        page.close()


def _recognise_pages(pdf: PdfDocument, pages: Sequence[PageText]) -> None:
    """Read the last pages that are pictures, or whose letters are none, by what they look like."""
    wanted = [page for page in pages if _find_trouble(page) in ("scan", "garbled", "unmapped")]
    if not wanted or not is_ocr_available():
        for page in pages:
            page.lines = [] if page.unmapped else page.lines  # other letters than those that are seen
        return
    for page in wanted[:-_MOST_SCANNED]:
        page.beyond = True
    wanted = wanted[-_MOST_SCANNED:]
    for done, page in enumerate(wanted, 1):
        seen = pdf[page.number - 1]
        try:
            page.lines = [line.drop_words() for line in recognise_page(seen, page.number)]
        finally:
            seen.close()
        page.scanned, page.garbled, page.unmapped = False, 0.0, False
        page.measure_lines()
        report_progress(len(pages) + done, len(pages) + len(wanted))


def _report_unread_pages(pages: Sequence[PageText], name: str) -> list[Problem]:
    """Return a problem for each run of pages that hold no text that can be read."""
    why = [_find_trouble(page) for page in pages]
    problems: list[Problem] = []
    start = 0
    while start < len(why):
        stop = start + 1
        while stop < len(why) and why[stop] == why[start]:
            stop += 1
        if why[start]:
            which = f"page {start + 1}" if stop == start + 1 else f"pages {start + 1} to {stop}"
            table = load_package_table("citeproof.reading.extractors.pdf", "page_troubles.toml")
            message, hint = table[why[start]]
            problems.append(
                Problem(
                    Place(file=name, page=start + 1), f"{which}: {message.format(most=_MOST_SCANNED)}", hint
                )
            )
        start = stop
    return problems


def _find_trouble(page: PageText) -> str:
    if page.broken:
        return "broken"
    if page.beyond:
        return "beyond"
    if page.unmapped:
        return "unmapped"
    if page.garbled > _GARBLED and page.characters > 50:
        return "garbled"
    return "scan" if page.scanned else ""


def _read_page(pdf: PdfDocument, index: int, numbers: page_furniture.LineNumbers) -> PageText:
    """Return one page; one that cannot be read has no lines."""
    try:
        page = pdf[index]
        text = page.get_textpage()
    except PdfiumError:
        return PageText(index + 1, 0, 0, [], broken=True)
    try:
        frame = read_frame(page)
        glyphs = Glyphs(text, frame)
        lines = order_lines(numbers.strip_numbers(read_runs(glyphs)), index + 1, frame.width)
        lines = [line.drop_words() for line in lines]
        solid = "".join(glyphs.text.split())
        bad = len(NO_LETTER.findall(solid)) / max(len(solid), 1)
        scanned = len(solid) < _FEWEST and _has_page_picture(page)
        unmapped = bad > _DOUBTFUL and len(solid) > _FEWEST and _is_unmapped(glyphs)
        return PageText(
            index + 1, frame.width, frame.height, lines, bad, len(solid), unmapped, scanned=scanned
        ).measure_lines()
    finally:
        text.close()
        page.close()


def _is_unmapped(glyphs: Glyphs) -> bool:
    """Return whether the text is made of other letters than those that are seen.

    Old fonts of TeX do not name their letters either, but have the codes of ASCII: then there are words.
    """
    words = len(_COMMON.findall(glyphs.text))
    return words * _RARE < len(glyphs.text) and glyphs.measure_unmapped() > _UNMAPPED


def _has_page_picture(page: PdfPage) -> bool:
    area = max(page.get_width() * page.get_height(), 1.0)
    pictures = page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE], max_depth=3)
    for picture in islice(pictures, _MOST_PICTURES):
        left, bottom, right, top = picture.get_bounds()
        if (right - left) * (top - bottom) > 0.4 * area:
            return True
    return False


def read_frame(page: PdfPage) -> PageFrame:
    """Return the visible part of a page."""
    left, bottom, right, top = (side if abs(side) < _WIDEST else 0.0 for side in page.get_cropbox())
    turns = (page.get_rotation() // 90) % 4
    return PageFrame(left, bottom, abs(right - left), abs(top - bottom), turns)


def is_ocr_available() -> bool:
    """Return whether pictures can be read."""
    from citeproof.reading.extractors.pdf import ocr  # noqa: PLC0415 (loads an inference engine's finder)

    return ocr.is_ocr_installed()


def recognise_page(page: PdfPage, number: int) -> list[PdfLine]:
    """Return the lines of a page that is a picture, in reading order."""
    from citeproof.reading.extractors.pdf import ocr  # noqa: PLC0415 (loads an inference engine)

    width, height = page.get_width(), page.get_height()
    scale = min(ocr.SCALE, (_PIXELS / max(width * height, 1.0)) ** 0.5)
    picture = page.render(scale=scale, rev_byteorder=True).to_numpy()
    rows = ocr.recognise_lines(picture, scale)
    runs = [PdfRun(words, bold=False, upright=True) for row in rows if (words := _split_row(*row))]
    return order_lines(runs, number, width)


def _split_row(text: str, left: float, top: float, right: float, bottom: float) -> list[PdfWord]:
    """Return the words of a row, each as wide as its letters are many."""
    step = (right - left) / max(len(text), 1)
    words: list[PdfWord] = []
    at = 0
    for piece in text.split():
        at = text.index(piece, at)
        size, start = _SHORT * (bottom - top), left + at * step
        words.append(PdfWord(piece, start, start + len(piece) * step, bottom - 0.2 * size, size))
        at += len(piece)
    return words

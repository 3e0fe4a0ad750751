"""A PDF's bytes to pages of lines, within limits; what cannot be read is said."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from pypdfium2 import PdfDocument, PdfiumError, PdfPage
from pypdfium2 import raw as pdfium

from citeproof.errors import InputError
from citeproof.extractors.pdf import page_furniture, scanned_pages
from citeproof.extractors.pdf.page_columns import order_lines
from citeproof.extractors.pdf.page_glyphs import Glyphs, PageFrame
from citeproof.extractors.pdf.page_layout import PageText
from citeproof.extractors.pdf.page_words import read_runs
from citeproof.extractors.reading_progress import report_progress
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
_TROUBLES = {
    "broken": ("the page is broken", "open the file in a viewer and print it to a new PDF"),
    "unmapped": (
        "the letters have no Unicode: the fonts do not say which letters they show",
        "install citeproof[ocr], print the document to a new PDF, or give the references as a text file",
    ),
    "garbled": ("the text layer is garbled", "install citeproof[ocr], or give the references as a text file"),
    "beyond": (
        f"scanned; only the last {scanned_pages.MOST} scanned pages are recognised",
        "pass the pages with the references as a separate file",
    ),
    "scan": ("a scan without text", "install citeproof[ocr], or pass the references as a text file"),
}
_MOST_LETTERS = 50_000  # of a page that is only looked at
MAX_TEXT = 5_000_000  # characters of one document


def open_pdf(document: Document) -> PdfDocument:
    """Return the document as pdfium sees it; an InputError says why it cannot be read."""
    try:
        found = PdfDocument(document.data)
        pages = len(found)
    except PdfiumError as error:
        raise _make_refusal(document.name, error) from error
    if not pages:
        raise InputError("a PDF without pages", place=document.name, hint="create the PDF again")
    return found


def _make_refusal(name: str, error: Exception) -> InputError:
    if getattr(error, "err_code", None) == pdfium.FPDF_ERR_PASSWORD or "assword" in str(error):
        return InputError("the PDF is encrypted", place=name, hint="save a copy without a password")
    return InputError("the PDF is broken", place=name, hint="open it in a viewer and print it to a new PDF")


def read_pages(pdf: PdfDocument, name: str) -> tuple[list[PageText], list[Problem]]:
    """Return the pages, their lines without running heads and line numbers, and what was not read."""
    total = min(len(pdf), MAX_PAGES)
    found: list[PageText] = []
    numbers = page_furniture.LineNumbers()
    letters = 0
    for index in range(total):
        page = _read_page(pdf, index, numbers)
        found.append(page)
        report_progress(index + 1, total)
        letters += page.characters
        if letters > MAX_TEXT:
            break
    _recognise_pages(pdf, found)
    page_furniture.remove_page_furniture(found)
    problems = _report_unread_pages(found, name)
    if len(found) < len(pdf):
        message = f"only the first {len(found)} of {len(pdf)} pages were read"
        problems.append(Problem(Place(file=name, page=len(found) + 1), message, "split the PDF"))
    return found, problems


def read_opening_pages(pdf: PdfDocument, most: int) -> tuple[list[PageText], list[str]]:
    """Return the first pages as they are printed, and all letters of each, turned lines among them."""
    found: list[PageText] = []
    letters: list[str] = []
    numbers = page_furniture.LineNumbers()
    for index in range(min(len(pdf), most)):
        found.append(_read_page(pdf, index, numbers))
        letters.append(_read_letters(pdf, index))
    return found, letters


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


def _recognise_pages(pdf: PdfDocument, found: Sequence[PageText]) -> None:
    """Read the last pages that are pictures, or whose letters are none, by what they look like."""
    wanted = [page for page in found if _find_trouble(page) in ("scan", "garbled", "unmapped")]
    if not wanted or not scanned_pages.is_ocr_available():
        for page in found:
            page.lines = [] if page.unmapped else page.lines  # other letters than those that are seen
        return
    for page in wanted[: -scanned_pages.MOST]:
        page.beyond = True
    wanted = wanted[-scanned_pages.MOST :]
    for done, page in enumerate(wanted, 1):
        seen = pdf[page.number - 1]
        try:
            page.lines = [line.drop_words() for line in scanned_pages.recognise_page(seen, page.number)]
        finally:
            seen.close()
        page.scanned, page.garbled, page.unmapped = False, 0.0, False
        page.measure_lines()
        report_progress(len(found) + done, len(found) + len(wanted))


def _report_unread_pages(found: Sequence[PageText], name: str) -> list[Problem]:
    """Return a problem for each run of pages that hold no text that can be read."""
    why = [_find_trouble(page) for page in found]
    problems: list[Problem] = []
    start = 0
    while start < len(why):
        stop = start + 1
        while stop < len(why) and why[stop] == why[start]:
            stop += 1
        if why[start]:
            which = f"page {start + 1}" if stop == start + 1 else f"pages {start + 1} to {stop}"
            message, hint = _TROUBLES[why[start]]
            problems.append(Problem(Place(file=name, page=start + 1), f"{which}: {message}", hint))
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
        found = order_lines(numbers.strip_numbers(read_runs(glyphs)), index + 1, frame.width)
        found = [line.drop_words() for line in found]
        solid = "".join(glyphs.text.split())
        bad = len(NO_LETTER.findall(solid)) / max(len(solid), 1)
        scanned = len(solid) < _FEWEST and _has_page_picture(page)
        unmapped = bad > _DOUBTFUL and len(solid) > _FEWEST and _is_unmapped(glyphs)
        return PageText(
            index + 1, frame.width, frame.height, found, bad, len(solid), unmapped, scanned=scanned
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
    """Return whether a picture covers most of the page."""
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

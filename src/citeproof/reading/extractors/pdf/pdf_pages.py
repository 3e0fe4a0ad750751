"""A PDF's bytes to pages of lines, within limits; what cannot be read is said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice, pairwise

from pypdfium2 import PdfDocument, PdfiumError, PdfPage
from pypdfium2 import raw as pdfium

from citeproof.errors import InputError
from citeproof.reading.extractors.base import report_progress
from citeproof.reading.extractors.pdf.page_columns import order_lines
from citeproof.reading.extractors.pdf.page_glyphs import Glyphs, PageFrame
from citeproof.reading.extractors.pdf.page_layout import (
    PageText,
    PdfLine,
    PdfRun,
    PdfWord,
    measure_usual_size,
)
from citeproof.reading.extractors.pdf.page_words import read_runs
from citeproof.reading.extractors.prose.text_lines import is_reference_heading
from citeproof.text import lazy_patterns as re
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
_NUMBER = re.compile(r"\W{0,4}(?:\d{1,5}|[ivxlc]{1,7})\W{0,4}$", re.IGNORECASE)
_PAGE_WORD = re.compile(
    r"(?i)(?:page|seite|página|pagina|p\.|s\.)\s?\d{1,4}(?:\s?(?:of|von|de|/)\s?\d{1,4})?$"
)
_PRINTED = re.compile(r"\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4},? \d{1,2}:\d\d(?: ?[AP]M)?(?: |$)")  # by a browser
_DIGITS = re.compile(r"\d+")
_ZONE = 3  # rows from the top and from the bottom that may be furniture
_NEAR = 2.5  # points that a running head may move from page to page
_LARGE = 1.3  # times the usual size of letters is a heading
_STACK = 15  # numbers below each other, at least, are line numbers
_FIVES = 4  # that count by fives, outside of all text


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
    numbers = LineNumbers()
    letters = 0
    for index in range(total):
        page = _read_page(pdf, index, numbers)
        pages.append(page)
        report_progress(index + 1, total)
        letters += page.characters
        if letters > MAX_TEXT:
            break
    _recognise_pages(pdf, pages)
    remove_page_furniture(pages)
    problems = _report_unread_pages(pages, name)
    if len(pages) < len(pdf):
        message = f"only the first {len(pages)} of {len(pdf)} pages were read"
        problems.append(Problem(Place(file=name, page=len(pages) + 1), message, "split the PDF"))
    return pages, problems


def read_opening_pages(pdf: PdfDocument, most: int) -> tuple[list[PageText], list[str]]:
    """Return the first pages as they are printed, and all letters of each, turned lines among them."""
    pages: list[PageText] = []
    letters: list[str] = []
    numbers = LineNumbers()
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


def _read_page(pdf: PdfDocument, index: int, numbers: LineNumbers) -> PageText:
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


class LineNumbers:
    """Takes the numbers that count the lines of a manuscript out of page after page."""

    def __init__(self) -> None:
        self._edges: set[tuple[str, int]] = set()  # where such numbers was on pages before

    def strip_numbers(self, runs: list[PdfRun]) -> list[PdfRun]:
        """Return the runs of a page without the numbers in its margin."""
        digits = [word for run in runs for word in run.words if word.text.isdecimal() and len(word.text) < 5]
        if len(digits) < (1 if self._edges else _FIVES):
            return runs
        rows = len({round(run.words[0].base / 3) for run in runs})
        text = [word for run in runs for word in run.words if not word.text.isdecimal()]
        edges = (
            min((word.left for word in text), default=0.0),
            max((word.right for word in text), default=0.0),
        )
        counted: set[PdfWord] = set()
        for side in ("right", "left"):
            stacks: dict[int, list[PdfWord]] = {}
            for word in digits:
                stacks.setdefault(round(getattr(word, side) / 3), []).append(word)
            for place, stack in stacks.items():
                known = any((side, place + move) in self._edges for move in (-1, 0, 1))
                fives = _is_margin_of_fives(stack, edges, least=1 if known else _FIVES)
                enough = len(stack) >= (2 if known else _STACK) or fives
                if enough and ((known and fives) or _is_line_count(stack, rows, known=known)):
                    counted.update(stack)
                    self._edges.add((side, place))
        if not counted:
            return runs
        left = [(run, [word for word in run.words if word not in counted]) for run in runs]
        return [run._replace(words=words) for run, words in left if words]


def _is_margin_of_fives(stack: list[PdfWord], edges: tuple[float, float], least: int) -> bool:
    """Return whether numbers count by fives outside of the text, which is between its `edges`."""
    if len(stack) < least or any(int(word.text) % 5 for word in stack):
        return False
    return max(word.right for word in stack) < edges[0] or min(word.left for word in stack) > edges[1]


def _is_line_count(stack: list[PdfWord], rows: int, *, known: bool) -> bool:
    """Return whether numbers below each other count lines: every row, or evenly every fifth."""
    stack.sort(key=lambda word: word.base)
    pairs = list(pairwise(stack))
    steps = Counter(int(lower.text) - int(upper.text) for upper, lower in pairs)
    gaps = sorted(lower.base - upper.base for upper, lower in pairs)
    middle = gaps[len(gaps) // 2]
    even = sum(abs(gap - middle) < 0.2 * middle for gap in gaps) >= 0.75 * len(pairs)
    if steps[1] >= 0.85 * len(pairs):
        return known or even or len(stack) >= 0.8 * rows
    return even and steps[5] >= 0.85 * len(pairs)


def remove_page_furniture(pages: Sequence[PageText]) -> None:
    """Take running heads, feet and page numbers out of the pages."""
    usual = sorted(page.leading for page in pages if len(page.lines) > 5)
    for page in pages:
        if usual and page.leading > usual[len(usual) // 2]:  # a page of a few lines
            page.leading = usual[len(usual) // 2]
    zones = {id(page): _find_edge_lines(page) for page in pages}
    seen = Counter(key for page in pages for key in {_make_line_key(line) for line in zones[id(page)]})
    often = max(3, 0.35 * sum(bool(page.lines) for page in pages))
    heads: Counter[int] = Counter()
    for page in pages:
        for line in zones[id(page)]:
            if _is_repeated(line, seen):
                heads[round(line.base / _NEAR)] += 1
    usual_size = measure_usual_size(line for page in pages for line in page.lines)
    known = Counter(
        text for page in pages for text in {line.text for line in page.lines if len(line.text) > 20}
    )
    for page in pages:
        edge = zones[id(page)]
        drop = {
            id(line)
            for line in edge
            if _is_furniture(line, page, seen, heads, often)
            and not (_is_inner(line, page) and line.size > _LARGE * usual_size)  # "Chapter 2" over a chapter
        }
        drop |= {id(line) for line in edge if _PRINTED.match(line.text) and _is_outermost(line, page)}
        again = [line for line in edge if known[line.text] > 1 and not _is_inner(line, page)]
        drop |= {id(at) for at in again if _is_outermost(at, page) and _is_set_apart(at, page, seen)}
        page.lines = [line for line in page.lines if id(line) not in drop]


def _is_inner(line: PdfLine, page: PageText) -> bool:
    return 0.13 * page.height <= line.base <= 0.87 * page.height


def _find_edge_lines(page: PageText) -> list[PdfLine]:
    """Return the lines of the first and last rows of a page."""
    lines = sorted(page.lines, key=lambda line: line.base)
    rows = sorted({round(line.base / 3) for line in lines})
    edge = {*rows[:_ZONE], *rows[-_ZONE:]}
    return [line for line in lines if round(line.base / 3) in edge]


def _make_line_key(line: PdfLine) -> tuple[str, int]:
    return _mask_numbers(line.text), round(line.base / (2 * _NEAR))


@lru_cache(maxsize=5000)
def _mask_numbers(text: str) -> str:
    """Return a text with a sign for each number, so that the heads of all pages are alike."""
    return _DIGITS.sub("#", text.lower())


def _count_repeats(line: PdfLine, seen: Counter[tuple[str, int]]) -> int:
    words, place = _make_line_key(line)
    return max(seen[words, place], seen[words, place - 1], seen[words, place + 1])


def _is_repeated(line: PdfLine, seen: Counter[tuple[str, int]]) -> bool:
    words, times = _make_line_key(line)[0], _count_repeats(line, seen)
    # "[#]" or "# #" alone may repeat in a list; words do not
    return times >= 2 and (sum(c.isalpha() for c in words) >= 3 or times >= 3)


def _is_furniture(
    line: PdfLine, page: PageText, seen: Counter[tuple[str, int]], heads: Counter[int], often: float
) -> bool:
    if not _is_set_apart(line, page, seen) and not (
        _count_repeats(line, seen) >= often and _is_outermost(line, page)
    ):
        return False  # the first or last line of the text may repeat by chance
    outer = not _is_inner(line, page)
    if _is_repeated(line, seen):
        return outer or not is_reference_heading(line.text)  # which repeats from chapter to chapter
    if _NUMBER.match(line.text) or _PAGE_WORD.match(line.text):
        return _is_outermost(line, page)
    slot = round(line.base / _NEAR)
    return outer and heads[slot] + heads[slot - 1] + heads[slot + 1] >= 2 and _is_outermost(line, page)


def _is_outermost(line: PdfLine, page: PageText) -> bool:
    above = all(other.base >= line.base - 3 for other in page.lines)
    return above or all(other.base <= line.base + 3 for other in page.lines)


def _is_set_apart(line: PdfLine, page: PageText, seen: Counter[tuple[str, int]]) -> bool:
    near = [
        abs(other.base - line.base)
        for other in page.lines
        if 3 < abs(other.base - line.base) < 60 and not _is_repeated(other, seen)
    ]
    return not near or min(near) > max(1.25 * page.leading, 1.1 * line.size)

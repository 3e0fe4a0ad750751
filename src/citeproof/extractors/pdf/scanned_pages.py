"""Pages that are pictures to lines, where text recognition is installed."""

from __future__ import annotations

from pypdfium2 import PdfPage

from citeproof.extractors.pdf.page_columns import order_lines
from citeproof.extractors.pdf.page_layout import PdfLine, PdfRun, PdfWord

MOST = 8  # pages of one document that are recognised, counted from its end: up to ten seconds each

_PIXELS = 12_000_000  # of one picture, at most
_SHORT = 0.75  # of a row's height is the size of its letters


def is_ocr_available() -> bool:
    """Return whether pictures can be read."""
    from citeproof.extractors.pdf import ocr  # noqa: PLC0415 (loads an inference engine's finder)

    return ocr.is_ocr_installed()


def recognise_page(page: PdfPage, number: int) -> list[PdfLine]:
    """Return the lines of a page that is a picture, in reading order."""
    from citeproof.extractors.pdf import ocr  # noqa: PLC0415 (loads an inference engine)

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

"""Letters that a PDF gives no Unicode for: told as such, page by page or reference by reference."""

from __future__ import annotations

import pytest

from citeproof.reading.extractors.base import extract_here
from citeproof.reading.extractors.pdf import pdf_pages
from citeproof.vocabulary import Document
from tests.faults.bombs.pdf import CATALOGUE, FONT, PAGES, page, pdf, stream

ROWS = [
    "Deep networks learn from examples and are used in the sciences [1], as they were before [2].",
    "It is said that they see what we see, and that the figures of 1997 and 2015 show it.",
    "References",
    "[1] Y. LeCun, Y. Bengio, G. Hinton. Deep learning. Nature 521, 436-444, 2015.",
    "[2] S. Hochreiter, J. Schmidhuber. Long short-term memory. Neural Computation 9, 1735-1780, 1997.",
]
GLYPHS = (
    b"<< /Type /Font /Subtype /Type0 /BaseFont /ABCDEF+Some /Encoding /Identity-H"
    b" /DescendantFonts [6 0 R] %b>>"
)
DESCENDANT = (
    b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /ABCDEF+Some /DW 500"
    b" /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor 7 0 R >>"
)
DESCRIPTOR = (
    b"<< /Type /FontDescriptor /FontName /ABCDEF+Some /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0"
    b" /Ascent 900 /Descent -200 /CapHeight 700 /StemV 80 >>"
)
TO_UNICODE = (
    b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /M def /CMapType 2 def"
    b" 1 begincodespacerange <0000> <FFFF> endcodespacerange 1 beginbfrange <0003> <0061> <0020> endbfrange"
    b" endcmap end end"
)


def draw(rows):
    """Rows as glyph numbers of a TrueType font: 29 less than the code of the letter."""
    shown = (b"<" + b"".join(b"%04X" % (ord(c) - 29) for c in row) + b"> '" for row in rows)
    return b"BT /F1 10 Tf 50 700 Td 14 TL " + b" ".join(shown) + b" ET"


def read(*, mapped):
    font = GLYPHS % (b"/ToUnicode 8 0 R " if mapped else b"")
    parts = (page(), stream(draw(ROWS)), font, DESCENDANT, DESCRIPTOR, stream(TO_UNICODE))
    return extract_here(Document("a.pdf", pdf(CATALOGUE, PAGES, *parts)))


def test_a_font_with_a_map_is_read():
    found = read(mapped=True)
    assert [one.text for one in found.references] == [row[4:] for row in ROWS[3:]]
    assert found.problems == ()


def test_a_font_without_a_map_is_told_and_gives_no_garbage(monkeypatch):
    monkeypatch.setattr(pdf_pages, "is_ocr_available", lambda: False)
    found = read(mapped=False)
    assert found.references == ()
    [problem] = found.problems
    assert problem.message == (
        "page 1: the letters have no Unicode: the fonts do not say which letters they show"
    )
    assert "ocr" in problem.hint
    assert not problem.note


@pytest.mark.parametrize("code", [b"\\001", b"\\037", b"\\177"])
def test_single_letters_without_unicode_are_told_with_the_reference(code):
    rows = [row.encode().replace(b"Neural", b"Ne" + code + b"ral") for row in ROWS]
    drawn = b"BT /F1 10 Tf 50 700 Td 14 TL " + b" ".join(b"(%b) '" % row for row in rows) + b" ET"
    font = FONT.replace(b">>", b"/Encoding << /Type /Encoding /Differences [1 /g7 31 /g8 127 /g9] >> >>")
    found = extract_here(Document("a.pdf", pdf(CATALOGUE, PAGES, page(), stream(drawn), font)))
    assert "Ne\ufffdral" in found.references[1].text
    [problem] = found.problems
    assert problem.note
    assert problem.message == (
        "1 reference holds characters without Unicode, which cannot be read and are shown as \ufffd"
    )
    assert problem.text == found.references[1].text
    assert problem.place.page == 1

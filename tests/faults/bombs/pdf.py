"""PDFs that were made to do harm."""

from __future__ import annotations

import struct
import zlib

from tests.faults.bombs.basis import zlibbed


def pdf(*objects: bytes, trailer: bytes = b"") -> bytes:
    """A PDF of these objects, numbered from 1; the first is the catalogue."""
    out = bytearray(b"%PDF-1.7\n")
    at = []
    for number, body in enumerate(objects, start=1):
        at.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in at)
    out += b"trailer\n<< /Size %d /Root 1 0 R %b >>\n" % (len(objects) + 1, trailer)
    return bytes(out) + b"startxref\n%d\n%%%%EOF\n" % start


def stream(data: bytes, head: bytes = b"") -> bytes:
    return b"<< /Length %d %b >>\nstream\n%b\nendstream" % (len(data), head, data)


CATALOGUE = b"<< /Type /Catalog /Pages 2 0 R >>"
PAGES = b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
TEXT = (
    b"BT /F1 12 Tf 50 700 Td 14 TL (Deep nets are good [1].) ' (References) ' "
    b"([1] Y. LeCun, Y. Bengio, G. Hinton. Deep learning. Nature 521, 436-444 \\(2015\\).) ' ET"
)


def page(contents: bytes = b"4 0 R", box: bytes = b"0 0 612 792", more: bytes = b"") -> bytes:
    return (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [%b] /Contents %b %b"
        b" /Resources << /Font << /F1 5 0 R >> >> >>" % (box, contents, more)
    )


def pdf_flate() -> bytes:
    """Four gigabytes of drawing commands, packed twice."""
    twice = zlib.compress(zlibbed(4096, b"0 0 m "), 9)
    return pdf(CATALOGUE, PAGES, page(), stream(twice, b"/Filter [/FlateDecode /FlateDecode]"), FONT)


def pdf_lzw() -> bytes:
    """The longest runs that LZW can write, again and again, packed once more."""
    bits, count = 0, 0
    codes = [256, 65, *range(258, 4094)]
    width = 9
    for index, code in enumerate(codes):
        bits, count = bits << width | code, count + width
        width = 9 + sum(258 + index - 1 >= limit for limit in (511, 1023, 2047))
    cycle = (bits << -count % 8).to_bytes((count + 7) // 8, "big")
    packed = zlib.compress(cycle * 300, 9)
    return pdf(CATALOGUE, PAGES, page(), stream(packed, b"/Filter [/FlateDecode /LZWDecode]"), FONT)


def pdf_million_pages() -> bytes:
    """A tree of pages whose branches are all the same branch."""
    leaves = b"<< /Type /Pages /Parent 2 0 R /Count 1000 /Kids [%b] >>" % (b"5 0 R " * 1000)
    root = b"<< /Type /Pages /Count 1000000 /Kids [%b] >>" % (b"3 0 R " * 1000)
    leaf = page().replace(b"/Parent 2", b"/Parent 3").replace(b"/F1 5 0 R", b"/F1 6 0 R")
    return pdf(CATALOGUE, root, leaves, stream(b"BT /F1 12 Tf 50 700 Td (A page.) Tj ET"), leaf, FONT)


def pdf_page_circle() -> bytes:
    """A tree of pages that holds itself."""
    return pdf(CATALOGUE, b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 100000 /Parent 2 0 R >>")


def pdf_xref_loop() -> bytes:
    """A table of objects that continues in itself."""
    whole = pdf(CATALOGUE, PAGES, page(), stream(TEXT), FONT, trailer=b"/Prev 0000000000")
    return whole.replace(b"/Prev 0000000000", b"/Prev %010d" % whole.rfind(b"xref\n0 "))


def pdf_deep() -> bytes:
    """Arrays in arrays, a hundred thousand deep."""
    return pdf(CATALOGUE, PAGES, page(more=b"/X " + b"[" * 100_000), stream(b"[" * 100_000), FONT)


def pdf_forms() -> bytes:
    """Drawings that draw the next one ten times each, twelve levels down."""
    first = 6
    forms = [
        stream(
            b"/F Do " * 10,
            b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /F %d 0 R >> >>"
            % (first + level + 1),
        )
        for level in range(12)
    ]
    last = stream(
        TEXT, b"/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /Font << /F1 5 0 R >> >>"
    )
    top = page(more=b"").replace(b"/Font <<", b"/XObject << /F %d 0 R >> /Font <<" % first)
    return pdf(CATALOGUE, PAGES, top, stream(b"/F Do"), FONT, *forms, last)


def pdf_form_circle() -> bytes:
    """A drawing that draws itself."""
    own = stream(
        b"/F Do /F Do",
        b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /F 6 0 R >> >>",
    )
    top = page().replace(b"/Font <<", b"/XObject << /F 6 0 R >> /Font <<")
    return pdf(CATALOGUE, PAGES, top, stream(b"/F Do"), FONT, own)


def pdf_jbig2() -> bytes:
    """A picture of 65,535 by 65,535 dots in a few bytes, on a page without text."""
    info = struct.pack(">IBBI", 0, 48, 1, 19) + struct.pack(">IIIIBH", 65535, 65535, 0, 0, 0, 0)
    picture = stream(
        info,
        b"/Type /XObject /Subtype /Image /Width 65535 /Height 65535 /BitsPerComponent 1"
        b" /ColorSpace /DeviceGray /Filter /JBIG2Decode",
    )
    top = page().replace(b"/Font <<", b"/XObject << /F 6 0 R >> /Font <<")
    return pdf(CATALOGUE, PAGES, top, stream(b"q 612 0 0 792 0 0 cm /F Do Q"), FONT, picture)


def pdf_actions(port: int = 9) -> bytes:
    """A page that wants to run JavaScript and a program, and to send a form, when it is opened."""
    actions = (
        b"/OpenAction << /S /JavaScript /JS (app.launchURL\\('http://127.0.0.1:9/'\\);) "
        b" /Next << /S /Launch /F (/bin/true) /Next << /S /URI /URI (http://127.0.0.1:9/) >> >> >>"
    )
    actions = actions.replace(b":9/", b":%d/" % port)
    return pdf(
        CATALOGUE.replace(b">>", actions + b" >>"),
        PAGES,
        page(more=b"/AA << /O << /S /Launch /F (/bin/true) >> >>"),
        stream(TEXT),
        FONT,
    )


def pdf_encrypted() -> bytes:
    """A document whose password nobody knows."""
    lock = b"/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <%b> /U <%b> >> /ID [<00><00>]"
    return pdf(CATALOGUE, PAGES, page(), stream(TEXT), FONT, trailer=lock % (b"11" * 32, b"22" * 32))


def pdf_vast_page() -> bytes:
    """A page of 14,400 inches a side, the largest there may be, with text on it."""
    return pdf(CATALOGUE, PAGES, page(box=b"0 0 1036800 1036800"), stream(TEXT), FONT)


def pdf_much_text() -> bytes:
    """A gigabyte of text on one page."""
    packed = zlib.compress(zlibbed(1024, b"(a b c) ' "), 9)
    start = zlib.compress(zlib.compress(b"BT /F1 12 Tf 50 700 Td 14 TL "), 9)
    return pdf(
        CATALOGUE, PAGES, page(contents=b"[4 0 R 6 0 R]"),
        stream(start, b"/Filter [/FlateDecode /FlateDecode]"), FONT,
        stream(packed, b"/Filter [/FlateDecode /FlateDecode]"),
    )  # fmt: skip

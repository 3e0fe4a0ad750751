"""All words of a source, its reference list among them, page by page; runs in a child (`source_reader`)."""

from __future__ import annotations

import msgspec

from citeproof.errors import InputError
from citeproof.reading.extractors import sandbox_reader
from citeproof.reading.extractors.body.body_writer import MAX_TEXT
from citeproof.vocabulary import Document

warm_up = sandbox_reader.warm_up


def read_pdf_pages(data: bytes) -> bytes:
    """Return the pages of a PDF as packed texts: its columns in order, running heads left out."""
    from citeproof.reading.extractors.body.pdf_body import read_page_texts  # noqa: PLC0415 - loads pdfium

    try:
        pages = read_page_texts(Document("source.pdf", data))
    except InputError:
        return _pack_pages([])
    return _pack_pages(["\n".join(line.text for line in page.lines) for page in pages])


def read_html_text(data: bytes) -> bytes:
    """Return the words of a page on the web as one packed text."""
    from citeproof.reading.extractors.html.html_blocks import DROPPED  # noqa: PLC0415 - with the parser
    from citeproof.reading.extractors.html.html_page import decode_page, parse_page  # noqa: PLC0415 - slow to load

    document = Document("source.html", data)
    try:
        parser = parse_page(document, decode_page(document).text)
    except InputError:
        return _pack_pages([])
    for tag in DROPPED - {"head"}:
        for node in parser.css(tag):
            node.decompose()
    return _pack_pages([parser.body.text(separator=" ") if parser.body is not None else ""])


def _pack_pages(pages: list[str]) -> bytes:
    left = MAX_TEXT
    packed: list[str] = []
    for page in pages:
        packed.append(page[:left].encode("utf-8", "replace").decode())
        left = max(0, left - len(page))
    return msgspec.msgpack.encode(packed)

"""The text of hostile files, page by page; these functions run in a child with limits (`source_text.py`)."""

from __future__ import annotations

import msgspec
from selectolax.lexbor import LexborHTMLParser

from citeproof.errors import InputError
from citeproof.extractors.decoded_text import decode
from citeproof.extractors.html.element_roles import DROPPED
from citeproof.extractors.html.html_nesting import is_too_deep
from citeproof.extractors.pdf import pdf_pages
from citeproof.vocabulary import Document

MAX_TEXT = 5_000_000  # characters of one source


def read_pdf_pages(data: bytes) -> bytes:
    """Return the pages of a PDF as packed texts: its columns in order, running heads left out."""
    try:
        document = pdf_pages.open_pdf(Document("source.pdf", data))
    except InputError:
        return _pack_pages([])
    try:
        found, _ = pdf_pages.read_pages(document, "source.pdf")
    finally:
        document.close()
    return _pack_pages(["\n".join(line.text for line in page.lines) for page in found])


def read_html_text(data: bytes) -> bytes:
    """Return the words of a page on the web as one packed text."""
    try:
        text = decode(Document("source.html", data)).text
    except InputError:
        return _pack_pages([])
    if is_too_deep(text):
        return _pack_pages([])
    parser = LexborHTMLParser(text)
    for tag in DROPPED - {"head"}:
        for node in parser.css(tag):
            node.decompose()
    return _pack_pages([parser.body.text(separator=" ") if parser.body is not None else ""])


def _pack_pages(pages: list[str]) -> bytes:
    left = MAX_TEXT
    kept: list[str] = []
    for page in pages:
        kept.append(page[:left].encode("utf-8", "replace").decode())
        left = max(0, left - len(page))
    return msgspec.msgpack.encode(kept)

"""The text of hostile files, page by page; these functions run in a child with limits (`sourcetext.py`)."""

from __future__ import annotations

import msgspec
from selectolax.lexbor import LexborHTMLParser

from citeproof.errors import InputError
from citeproof.extractors.decode import decode
from citeproof.extractors.html.nesting import too_deep
from citeproof.extractors.html.roles import DROPPED
from citeproof.extractors.pdf import reading
from citeproof.vocabulary import Document

MAX_TEXT = 5_000_000  # characters of one source


def pdf(data: bytes) -> bytes:
    """Return the pages of a PDF as packed texts: its columns in order, running heads left out."""
    try:
        document = reading.opened(Document("source.pdf", data))
    except InputError:
        return _packed([])
    try:
        found, _ = reading.pages(document, "source.pdf")
    finally:
        document.close()
    return _packed(["\n".join(line.text for line in page.lines) for page in found])


def html(data: bytes) -> bytes:
    """Return the words of a page on the web as one packed text."""
    try:
        text = decode(Document("source.html", data)).text
    except InputError:
        return _packed([])
    if too_deep(text):
        return _packed([])
    parser = LexborHTMLParser(text)
    for tag in DROPPED - {"head"}:
        for node in parser.css(tag):
            node.decompose()
    return _packed([parser.body.text(separator=" ") if parser.body is not None else ""])


def _packed(pages: list[str]) -> bytes:
    left = MAX_TEXT
    kept: list[str] = []
    for page in pages:
        kept.append(page[:left].encode("utf-8", "replace").decode())
        left = max(0, left - len(page))
    return msgspec.msgpack.encode(kept)

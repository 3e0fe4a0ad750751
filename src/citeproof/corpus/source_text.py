"""Bytes of a source file to its pages of text: Markdown, plain text, HTML, PDF."""

from __future__ import annotations

from pathlib import PurePosixPath

import msgspec

from citeproof import sandbox
from citeproof.errors import InputError
from citeproof.extractors.body.body_writer import MAX_TEXT
from citeproof.extractors.body.text_body import read_whole_markdown
from citeproof.extractors.decoded_text import decode
from citeproof.sandbox import Limits, StoppedError
from citeproof.vocabulary import Document

MAX_BYTES = 64_000_000  # of one source
_LIMITS = Limits(memory=1 << 30, seconds=60.0, answer=1 << 25)
_CAGED = {
    ".pdf": "citeproof.extractors.body.whole_pages:read_pdf_pages",
    ".html": "citeproof.extractors.body.whole_pages:read_html_text",
    ".htm": "citeproof.extractors.body.whole_pages:read_html_text",
    ".xhtml": "citeproof.extractors.body.whole_pages:read_html_text",
}
_MARKDOWN = (".md", ".markdown")
_PLAIN = (".txt", ".text")
_read = msgspec.msgpack.Decoder(list[str])


def read_source_pages(path: str, data: bytes) -> tuple[str, ...] | None:
    """Return the text of a source, one string a page, one in all if it has none; None: cannot be checked.

    StoppedError: its reading was interrupted for a reason that another time may not be there.
    """
    suffix = PurePosixPath(path.replace("\\", "/")).suffix.lower()
    if len(data) > MAX_BYTES:
        return None
    if suffix in _CAGED:
        return _read_in_sandbox(_CAGED[suffix], data)
    if suffix not in (*_MARKDOWN, *_PLAIN):
        return None
    document = Document(path, data)
    try:
        text = read_whole_markdown(document) if suffix in _MARKDOWN else decode(document).text[:MAX_TEXT]
    except InputError:
        return None
    found = tuple(text.split("\f")) if suffix in _PLAIN else (text,)  # a form feed ends a printed page
    return found if any(page.strip() for page in found) else None


def _read_in_sandbox(entry: str, data: bytes) -> tuple[str, ...] | None:
    """Return the pages that a child with limits read; None if it came to no text."""
    try:
        found = _read.decode(sandbox.run(entry, data, _LIMITS))
    except StoppedError as error:
        if error.kind != "too_large":
            raise
        return None
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return tuple(found) if any(page.strip() for page in found) else None

"""Bytes of a source file to its pages of text: Markdown, plain text, HTML, PDF."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

import msgspec

from citeproof import sandbox
from citeproof.errors import InputError
from citeproof.extractors.decoded_text import decode
from citeproof.sandbox import Limits, StoppedError
from citeproof.text.markdown_parser import skip_front_matter
from citeproof.vocabulary import Document

MAX_BYTES = 64_000_000  # of one source
MAX_TEXT = 5_000_000  # characters of one source that are searched
_LIMITS = Limits(memory=1 << 30, seconds=60.0, answer=1 << 25)
_CAGED = {
    ".pdf": "citeproof.corpus.sandboxed_text:read_pdf_pages",
    ".html": "citeproof.corpus.sandboxed_text:read_html_text",
    ".htm": "citeproof.corpus.sandboxed_text:read_html_text",
    ".xhtml": "citeproof.corpus.sandboxed_text:read_html_text",
}
_MARKDOWN = (".md", ".markdown")
_PLAIN = (".txt", ".text")
_COMMENT = re.compile(r"(?<!`)<!--.*?-->", re.DOTALL)
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
    try:
        text = decode(Document(path, data)).text[:MAX_TEXT]
    except InputError:
        return None
    if suffix in _MARKDOWN:
        text = _strip_comments(text[skip_front_matter(text) :])
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


def _strip_comments(text: str) -> str:
    """Return Markdown without its HTML comments, which nobody reads; those in code spans are text."""
    last = text.rfind("-->") + 3  # so that every comment that the pattern begins has an end: no second look
    return _COMMENT.sub("", text[:last]) + text[last:] if last > 2 else text

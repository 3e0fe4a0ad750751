"""The texts of source files (Markdown, plain text, HTML, PDF), each read once while there is room for it."""

from __future__ import annotations

from pathlib import PurePosixPath

import msgspec

from citeproof.claims.quotes import SourceIndex, index_source
from citeproof.corpus.project_root import ProjectRoot
from citeproof.errors import InputError
from citeproof.plumbing import sandbox
from citeproof.plumbing.clock import Clock, SystemClock
from citeproof.plumbing.sandbox import Limits, StoppedError
from citeproof.reading.extractors.body.body_writer import MAX_TEXT
from citeproof.reading.extractors.body.text_body import read_whole_markdown
from citeproof.reading.extractors.decoded_text import decode
from citeproof.vocabulary import Document

HELD = 10_000_000  # characters that are stored in memory
IN_ALL = 300.0  # seconds that one process spends on reading sources

MAX_BYTES = 64_000_000  # of one source
_LIMITS = Limits(memory=1 << 30, seconds=60.0, answer=1 << 25)
_CAGED = {
    ".pdf": "citeproof.reading.extractors.body.body_reader:read_pdf_pages",
    ".html": "citeproof.reading.extractors.body.body_reader:read_html_text",
    ".htm": "citeproof.reading.extractors.body.body_reader:read_html_text",
    ".xhtml": "citeproof.reading.extractors.body.body_reader:read_html_text",
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
    pages = tuple(text.split("\f")) if suffix in _PLAIN else (text,)  # a form feed ends a printed page
    return pages if any(page.strip() for page in pages) else None


def _read_in_sandbox(entry: str, data: bytes) -> tuple[str, ...] | None:
    """Return the pages that a child with limits read; None if it came to no text."""
    try:
        pages = _read.decode(sandbox.run(entry, data, _LIMITS))
    except StoppedError as error:
        if error.kind != "too_large":
            raise
        return None
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return tuple(pages) if any(page.strip() for page in pages) else None


class SourceTextCache:
    """The texts that one process has read."""

    def __init__(self, root: ProjectRoot, clock: Clock | None = None) -> None:
        self._root, self._clock = root, clock or SystemClock()
        self._kept: dict[str, SourceIndex] = {}  # the one asked for last comes last
        self._none: set[str] = set()
        self._held, self._spent = 0, 0.0
        self.stopped: set[str] = set()  # their reading was interrupted; another time it may not be

    def get(self, path: str) -> SourceIndex | None:
        """Return the text of a source; None if it has none, or if that cannot be read."""
        if path in self._none:
            return None
        if path in self._kept:
            self._kept[path] = self._kept.pop(path)
            return self._kept[path]
        began = self._clock.elapsed()
        made = self._read(path)
        self._spent += self._clock.elapsed() - began
        if made is None:
            self._none.add(path)
            return None
        self._kept[path] = made
        self._held += len(made.text)
        while self._held > HELD and len(self._kept) > 1:
            self._held -= len(self._kept.pop(next(iter(self._kept))).text)
        return made

    def _read(self, path: str) -> SourceIndex | None:
        if self._spent > IN_ALL:
            self.stopped.add(path)
            return None
        data = self._root.data(path)
        try:
            pages = read_source_pages(path, data) if data is not None else None
        except StoppedError:
            self.stopped.add(path)
            return None
        return index_source("\f".join(pages)) if pages else None

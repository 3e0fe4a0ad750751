"""Bytes to text, with the way back: line, column and byte span of every stretch of text."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from citeproof.errors import InputError
from citeproof.vocabulary import Document, Place, Problem

MAX_DOCUMENT = 200 * 1024 * 1024
MAX_REFERENCES = 250_000  # of one document; a reference takes about 1.5 kB of memory

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MAGIC = (
    (b"%PDF", "PDF", "see that the file is whole"),
    (b"PK\x03\x04", "zip archive, DOCX or ODT", "see that the file is whole"),
    (b"\x1f\x8b", "gzip", "decompress it first"),
    (b"\x28\xb5\x2f\xfd", "zstd", "decompress it first"),
    (b"\x89PNG", "PNG image", "give the references as text, or the page as a PDF"),
    (b"\xff\xd8\xff", "JPEG image", "give the references as text, or the page as a PDF"),
    (b"\xd0\xcf\x11\xe0", "old Word document", "save it as DOCX"),
)


@dataclass(slots=True)
class Decoded:
    """A document's text, and where each part of it stands in the bytes."""

    name: str
    text: str
    encoding: str
    problems: list[Problem]
    _shift: int = 0  # bytes of the byte order mark
    _at: int = 0
    _byte: int = 0
    _line: int = 1
    _line_start: int = 0
    _bytewise: bool = False  # one byte is one character

    def place(self, start: int, end: int) -> Place:
        """Return line, column, end line and byte span of the characters from `start` to `end`."""
        self._walk(start)
        line, column, first = self._line, start - self._line_start + 1, self._byte
        self._walk(max(start, end))
        return Place(
            file=self.name,
            line=line,
            column=column,
            end_line=self._line,
            start=self._shift + first,
            end=self._shift + self._byte,
        )

    def _walk(self, to: int) -> None:
        """Move the cursor: forward over what lies between; back to the beginning when needed."""
        if to < self._at:
            self._at = self._byte = self._line_start = 0
            self._line = 1
        passed = self.text.count("\n", self._at, to)
        if passed:
            self._line += passed
            self._line_start = self.text.rfind("\n", self._at, to) + 1
        self._byte += to - self._at if self._bytewise else len(self.text[self._at : to].encode(self.encoding))
        self._at = to


def decode(document: Document) -> Decoded:
    """Return the text of `document`; a binary or oversized one is an InputError that names the mend."""
    data = document.data
    if len(data) > MAX_DOCUMENT:
        size = f"{len(data) / 1024 / 1024:.0f} MB, more than {MAX_DOCUMENT // 1024 // 1024} MB"
        raise InputError(f"the document has {size}", place=document.name, mend="split it into smaller files")
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return _decoded(document, data[len(bom) :], encoding, len(bom))
    _refuse_binary(document)
    return _decoded(document, data, "utf-8", 0)


def refuse_flood(count: int, name: str) -> None:
    """Raise an InputError once a document has given more references than fit in memory."""
    if count > MAX_REFERENCES:
        raise InputError(
            f"the document has more than {MAX_REFERENCES:,} references",
            place=name,
            mend="split it into smaller files",
        )


def _refuse_binary(document: Document) -> None:
    for magic, what, mend in _MAGIC:
        if document.data.startswith(magic):
            raise InputError(f"looks like a binary file ({what})", place=document.name, mend=mend)
    at = document.data.find(b"\0")
    if at >= 0:
        raise InputError(
            f"looks like a binary file (NUL byte at offset {at})",
            place=document.name,
            mend="docs/formats.md lists what can be read; text should be in UTF-8",
        )


def _decoded(document: Document, data: bytes, encoding: str, shift: int) -> Decoded:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        if encoding != "utf-8":
            raise InputError(
                f"its byte order mark says {encoding}, but byte {shift + error.start} does not fit",
                place=document.name,
                mend="save the file as UTF-8",
            ) from error
        return _fallback(document, data, shift, error)
    return Decoded(document.name, text, encoding, [], shift, _bytewise=text.isascii() and encoding == "utf-8")


def _fallback(document: Document, data: bytes, shift: int, error: UnicodeDecodeError) -> Decoded:
    """Read a file that is not UTF-8 as Windows-1252, and say so."""
    line = data.count(b"\n", 0, error.start) + 1
    column = error.start - data.rfind(b"\n", 0, error.start)
    place = Place(document.name, line, column, line, start=shift + error.start, end=shift + error.start + 1)
    message = "the file is not UTF-8; it was read as Windows-1252"
    problem = Problem(place, message, mend="save the file as UTF-8 if letters look wrong")
    text = data.decode("cp1252", "replace")
    # one byte is one character here, so that offsets need no encoding
    return Decoded(document.name, text, "cp1252", [problem], shift, _bytewise=True)

"""Bytes to text, with the way back: line, column and byte span of every stretch of text."""

from __future__ import annotations

import codecs
import quopri
import re
from bisect import bisect_right
from dataclasses import dataclass, field
from operator import itemgetter

from citeproof.errors import InputError, NotADocumentError
from citeproof.vocabulary import Document, Place, Problem

MAX_DOCUMENT = 200 * 1024 * 1024
MAX_RUNNING = 50 * 1024 * 1024  # of a document in which references are between other words
MAX_REFERENCES = 250_000  # of one document; a reference takes about 1.5 kB of memory

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MAGIC = (
    (b"%PDF", "PDF", "check that the file is complete"),
    (b"PK\x03\x04", "zip archive, DOCX or ODT", "check that the file is complete"),
    (b"\x1f\x8b", "gzip", "decompress it first"),
    (b"\x28\xb5\x2f\xfd", "zstd", "decompress it first"),
    (b"\x89PNG", "PNG image", "pass the references as text, or the page as a PDF"),
    (b"\xff\xd8\xff", "JPEG image", "pass the references as text, or the page as a PDF"),
    (b"\xd0\xcf\x11\xe0", "old Word document", "save it as DOCX"),
)
_HEADER = re.compile(rb"[A-Za-z][A-Za-z-]{1,40}:[ \t]")
_QUOTED = re.compile(
    rb"^Content-Transfer-Encoding:[ \t]{0,9}quoted-printable[ \t\r]*+$", re.IGNORECASE | re.MULTILINE
)
_PACKED = re.compile(rb"^Content-Transfer-Encoding:[ \t]{0,9}base64[ \t\r]*+$", re.IGNORECASE | re.MULTILINE)
_STRIDE = 4_096  # characters between two marks
_HEAD = 20_000  # bytes in which the headers of a mail stand
_LONE_RETURN = re.compile(r"\r(?!\n)")
_JUDGED = 200_000  # bytes by which an older encoding is told
_CALLED = {"cp932": "Shift-JIS", "gb18030": "GBK", "cp1252": "Windows-1252"}
_HIGH = re.compile(rb"[\x80-\xff]{1,9999}")


@dataclass(slots=True)
class DecodedText:
    """A document's text, and where each part of it is in the bytes."""

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
    _marks: list[tuple[int, int, int, int]] = field(default_factory=list)  # where the cursor came by

    def locate_span(self, start: int, end: int) -> Place:
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
        """Move the cursor: forward over what lies between; back to a mark before it and on from there."""
        if to < self._at:
            index = bisect_right(self._marks, to, key=itemgetter(0)) - 1
            start = self._marks[index] if index >= 0 else (0, 0, 1, 0)
            self._at, self._byte, self._line, self._line_start = start
        while to - self._at > _STRIDE:
            self._step(self._at + _STRIDE)
        self._step(to)

    def _step(self, to: int) -> None:
        passed = self.text.count("\n", self._at, to)
        if passed:
            self._line += passed
            self._line_start = self.text.rfind("\n", self._at, to) + 1
        self._byte += to - self._at if self._bytewise else len(self.text[self._at : to].encode(self.encoding))
        self._at = to
        if to - (self._marks[-1][0] if self._marks else 0) >= _STRIDE:
            self._marks.append((to, self._byte, self._line, self._line_start))


def decode(document: Document, most: int = 0) -> DecodedText:
    """Return the text of `document`; a binary or oversized one is an InputError that names the hint."""
    refuse_oversized(document, most)
    data = document.data
    for bom, encoding in BYTE_ORDER_MARKS:
        if data.startswith(bom):
            return _decode_bytes(document, data[len(bom) :], encoding, len(bom))
    _refuse_binary(document)
    if _HEADER.match(data):
        if _QUOTED.search(data[:_HEAD]):
            return _decode_mail(document)
        if _PACKED.search(re.split(rb"\r?\n\r?\n", data[:_HEAD], maxsplit=1)[0]):
            hint = "open it in a mail program and save its text"
            raise InputError("base64 mails are not supported", place=document.name, hint=hint)
    return _decode_bytes(document, data, "utf-8", 0)


def _decode_mail(document: Document) -> DecodedText:
    """Return the text of a mail that was written in quoted-printable; places are those of its plain form."""
    decoded = _decode_bytes(document, quopri.decodestring(document.data), "utf-8", 0)
    message = "a quoted-printable mail; line numbers count joined lines"
    decoded.problems.append(Problem(Place(file=document.name), message, note=True))
    return decoded


def refuse_oversized(document: Document, most: int = 0) -> None:
    """Raise an InputError for a document of more than `most` bytes, or more than any may have."""
    most = most or MAX_DOCUMENT
    if len(document.data) > most:
        size = f"{len(document.data) / 1024 / 1024:.0f} MB, more than {most // 1024 // 1024} MB"
        raise InputError(f"the document has {size}", place=document.name, hint="split it into smaller files")


def refuse_flood(count: int, name: str) -> None:
    """Raise an InputError once per document has given more references than fit in memory."""
    if count > MAX_REFERENCES:
        message = f"the document has more than {MAX_REFERENCES:,} references"
        raise InputError(message, place=name, hint="split it into smaller files")


def _refuse_binary(document: Document) -> None:
    for magic, what, hint in _MAGIC:
        if document.data.startswith(magic):
            raise NotADocumentError(f"looks like a binary file ({what})", place=document.name, hint=hint)
    at = document.data.find(b"\0")
    if at >= 0:
        message = f"looks like a binary file (NUL byte at offset {at})"
        hint = "docs/formats.md lists what can be read; text should be in UTF-8"
        raise NotADocumentError(message, place=document.name, hint=hint)


def _decode_bytes(document: Document, data: bytes, encoding: str, shift: int) -> DecodedText:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        if encoding != "utf-8":
            message = f"the byte order mark says {encoding}, but byte {shift + error.start} does not fit"
            raise InputError(message, place=document.name, hint="save the file as UTF-8") from error
        return _decode_legacy(document, data, shift, error)
    problems = [] if text.strip() else [Problem(Place(file=document.name), "the file is empty")]
    bytewise = text.isascii() and encoding == "utf-8"
    return DecodedText(document.name, _convert_line_ends(text), encoding, problems, shift, _bytewise=bytewise)


def _convert_line_ends(text: str) -> str:
    """Return the text with the line ends of old Macs as those of today; offsets stay."""
    return _LONE_RETURN.sub("\n", text) if "\r" in text else text


def _decode_legacy(document: Document, data: bytes, shift: int, error: UnicodeDecodeError) -> DecodedText:
    """Read a file that is not UTF-8 as Windows-1252, or as what Chinese or Japanese is plainly written in."""
    line = data.count(b"\n", 0, error.start) + 1
    column = error.start - data.rfind(b"\n", 0, error.start)
    place = Place(document.name, line, column, line, start=shift + error.start, end=shift + error.start + 1)
    encoding, text = _decode_east_asian(data) or ("cp1252", data.decode("cp1252", "replace"))
    message = f"the file is not UTF-8; it was read as {_CALLED[encoding]}"
    problem = Problem(place, message, hint="save the file as UTF-8 if letters look wrong")
    # in Windows-1252 one byte is one character, so that offsets need no encoding
    bytewise = encoding == "cp1252"
    return DecodedText(
        document.name, _convert_line_ends(text), encoding, [problem], shift, _bytewise=bytewise
    )


def _decode_east_asian(data: bytes) -> tuple[str, str] | None:
    """Return encoding and text of a file that is plainly Japanese or Chinese."""
    if (text := _decode_strictly(data, "cp932")) is not None and _is_japanese(text[:_JUDGED]):
        return "cp932", text
    text = _decode_strictly(data, "gb18030")
    plainly = text is not None and _is_chinese(text[:_JUDGED], data[:_JUDGED])
    return ("gb18030", text) if text is not None and plainly else None


def _decode_strictly(data: bytes, encoding: str) -> str | None:
    try:
        text = data.decode(encoding)
        return text if len(text.encode(encoding)) == len(data) else None  # places need the way back
    except UnicodeError:
        return None


def _is_japanese(text: str) -> bool:
    """Return whether a tenth of what is not ASCII is kana: no other script gives that by chance."""
    foreign = [sign for sign in text if not sign.isascii()]
    return 10 * sum("\u3041" <= sign <= "\u30ff" for sign in foreign) >= len(foreign)


def _is_chinese(text: str, data: bytes) -> bool:
    """Return whether nearly all of what is not ASCII is common Chinese, in pairs of high bytes.

    "Müller" in Windows-1252 gives rare characters too, but from one high byte and a letter.
    """
    foreign = "".join(sign for sign in text if not sign.isascii())
    common = sum(_is_common_chinese(sign) for sign in foreign)
    runs = _HIGH.findall(data)
    paired = sum(len(run) % 2 == 0 for run in runs)
    return common >= 0.9 * len(foreign) and paired >= 0.9 * len(runs)


def _is_common_chinese(sign: str) -> bool:
    try:
        return len(sign.encode("gb2312")) == 2
    except UnicodeEncodeError:
        return False

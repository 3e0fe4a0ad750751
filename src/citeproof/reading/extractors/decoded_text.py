"""Bytes to text, with the way back: line, column and byte span of every stretch of text."""

from __future__ import annotations

import codecs
import quopri
from bisect import bisect_right
from functools import partial
from operator import itemgetter

from citeproof.errors import InputError, NotADocumentError
from citeproof.text import lazy_patterns as re
from citeproof.text.character_encoding import decode_strictly, find_codec, is_damaged
from citeproof.vocabulary import Document, Place, Problem
from citeproof.vocabulary.quick_dataclass import dataclass, field

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
_WIDE = 2_000  # bytes by which UTF-16 is detected
_HEAD = 20_000  # bytes in which the headers of a mail stand
_CONTROL = re.compile("[\x80-\x9f]")  # which ISO encodings have where those of Windows have dashes and quotes
_IDEOGRAPHS = re.compile("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]{3}")
_SEVERAL = frozenset({"cp932", "euc_jis_2004", "gb18030", "big5hkscs", "cp949"})
_DAMAGED = 0.05
_OTHER = re.compile("[\u0370-\u06ff]")  # Greek, Cyrillic, Hebrew, Arabic
_MIXED = re.compile("[A-Za-z][\u0370-\u06ff]|[\u0370-\u06ff][A-Za-z]")
_MAC = re.compile(
    rb"[a-z][\x80-\x84\x86-\x90\x98-\x9f]"
)  # letters of old Macs; elsewhere signs that end words
_LONE_RETURN = re.compile(r"\r(?!\n)")
_JUDGED = 50_000  # bytes by which an older encoding is detected
_CLOSE = 0.04  # by which another guess may fit worse and still makes the first a doubtful one
_TIE = 0.015  # of guesses that fit as well as that, Windows-1252 is the most common by far
_MESS = 0.9  # share of unlikely letters up to which a guess is compared with others
_LANGUAGE = 0.05  # what letters as frequent as in a language count against unlikely ones
# Among those that are in use; the letters of the rest are only a source of confusion.
_LEGACY = (
    "cp1252", "iso8859_15", "cp1250", "iso8859_2", "cp1251", "koi8_r", "koi8_u", "iso8859_5", "cp866",
    "cp1253", "iso8859_7", "cp1254", "cp1255", "cp1256", "cp1257", "cp874", "mac_roman", "cp932",
    "euc_jis_2004", "gb18030", "big5hkscs", "cp949",
)  # fmt: skip
_DECLARED = re.compile(
    rb"^%+[ \t]{0,9}(?:!TEX[ \t]{1,9})?encoding[ \t]{0,9}[:=][ \t]{0,9}([\w.-]{2,40})"
    rb"|x-kbibtex-encoding=([\w.-]{2,40})"
    rb"|\\(?:usepackage|RequirePackage)\[([\w-]{2,40})\]\{inputenc\}"
    rb"|(?:<meta[^>]{0,200}|^Content-Type:[^\n]{0,200})charset\s{0,3}=\s{0,3}[\"']?([\w.-]{2,40})"
    rb"|-\*-[^\n]{0,80}\bcoding:[ \t]{0,9}([\w.-]{2,40})",
    re.IGNORECASE | re.MULTILINE,
)
_SHIFTED = re.compile(
    rb"\x1b\$[@B]|\x1b\$\)C"
)  # ISO-2022: ASCII by its bytes, Japanese or Korean by its words


@dataclass(slots=True)
class DecodedText:
    """A document's text, and where each part of it is in the bytes."""

    name: str
    text: str
    encoding: str
    problems: list[Problem]
    stated: str = ""  # the encoding that the user or the file itself names
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
    if document.encoding:
        return _decode_stated(document)
    if wide := find_wide_encoding(data):
        return _decode_bytes(document, data, wide, 0)
    _refuse_binary(document)
    if _HEADER.match(data):
        if _QUOTED.search(data[:_HEAD]):
            decoded = _decode_bytes(document, quopri.decodestring(document.data), "utf-8", 0)
            message = "a quoted-printable mail; line numbers count joined lines"
            decoded.problems.append(Problem(Place(file=document.name), message, note=True))
            return decoded
        if _PACKED.search(re.split(rb"\r?\n\r?\n", data[:_HEAD], maxsplit=1)[0]):
            hint = "open it in a mail program and save its text"
            raise InputError("base64 mails are not supported", place=document.name, hint=hint)
    return _decode_bytes(document, data, "utf-8", 0)


def _decode_stated(document: Document) -> DecodedText:
    """Return the text in the encoding that the user names; what is UTF-8 by every letter is read as that."""
    data, named = document.data, document.encoding
    is_unicode = not data.isascii() and decode_strictly(data, "utf-8") is not None
    if is_unicode or find_codec(named) == "utf-8":
        decoded = _decode_bytes(document, data, "utf-8", 0)
        message = f"the file is UTF-8 and was read so, not as {named}"
        decoded.problems += [Problem(Place(file=document.name), message, note=True)] * (named != "utf-8")
        return decoded
    if read := decode_strictly(data, find_codec(named) or "ascii"):
        return _make_decoded(document, data, read, [], named)
    hint = "leave out --encoding to have it detected, or name another"
    raise InputError(f"the file is not {named}", place=document.name, hint=hint)


def make_inner_document(path: str, data: bytes, stated: str) -> Document:
    """Return a file that a document includes; it has the document's encoding if that fits."""
    fits = bool(stated) and decode_strictly(data, stated) is not None
    return Document(path, data, encoding=stated if fits else "")


def find_wide_encoding(data: bytes) -> str:
    """Return which UTF-16 a text without byte order mark is in: every other byte of its ASCII is NUL."""
    head = data[:_WIDE]
    for encoding, zero, other in (("utf-16-le", head[1::2], head[::2]), ("utf-16-be", head[::2], head[1::2])):
        if (
            4 * zero.count(0) > len(zero) > 8
            and 8 * other.count(0) < zero.count(0)
            and decode_strictly(data, encoding)
        ):
            return encoding
    return ""


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
    if _SHIFTED.search(data) and (shifted := decode_strictly(data, "iso2022_jp_ext")):
        return _make_decoded(document, data, shifted, [])
    problems = [] if text.strip() else [Problem(Place(file=document.name), "the file is empty")]
    bytewise = text.isascii() and encoding == "utf-8"
    return DecodedText(
        document.name, _convert_line_ends(text), encoding, problems, "", shift, _bytewise=bytewise
    )


def _convert_line_ends(text: str) -> str:
    """Return the text with the line ends of old Macs as those of today; offsets stay."""
    return _LONE_RETURN.sub("\n", text) if "\r" in text else text


def _decode_legacy(document: Document, data: bytes, shift: int, error: UnicodeDecodeError) -> DecodedText:
    """Read a file that is not UTF-8 in the encoding it declares, or else the one its letters speak for."""
    declared = _DECLARED.search(data[:_HEAD])
    named = find_codec(next(filter(None, declared.groups())).decode()) if declared else ""
    if named and (read := decode_strictly(data, named)):
        return _make_decoded(document, data, read, [], stated=named)
    line = data.count(b"\n", 0, error.start) + 1
    column = error.start - data.rfind(b"\n", 0, error.start)
    place = Place(document.name, line, column, line, start=shift + error.start, end=shift + error.start + 1)
    text, encoding, rival = _guess_encoding(data)
    doubtful = "" if not rival else "".join(sorted(filter(partial(_is_doubtful, encoding, rival), set(text))))
    sure = f"a guess: {rival} fits almost as well" if doubtful else "its letters fit"
    message = f"the file is not UTF-8; it was read as {encoding} ({sure})"
    hint = "pass --encoding NAME, or save the file as UTF-8, if letters look wrong"
    problem = Problem(place, message, hint, doubtful=(encoding, doubtful))
    return _make_decoded(document, data, (text, encoding), [problem])


def _make_decoded(
    document: Document, data: bytes, read: tuple[str, str], problems: list[Problem], stated: str = ""
) -> DecodedText:
    text, encoding = read
    shifts = encoding.startswith(("iso2022", "hz"))  # by signs between letters, so that no part stands alone
    if shifts or len(text.encode(encoding, "replace")) != len(data):  # places need the way back
        message = f"the file was read as {encoding}; byte offsets are those of its UTF-8 form"
        problems, encoding = [*problems, Problem(Place(file=document.name), message, note=True)], "utf-8"
    bytewise = len(text) == len(data)
    text = _convert_line_ends(text)
    return DecodedText(document.name, text, encoding, problems, stated=stated, _bytewise=bytewise)


def _guess_encoding(data: bytes) -> tuple[str, str, str]:
    """Return the text, its encoding, and another encoding that fits almost as well ("" if none does)."""
    from charset_normalizer import from_bytes  # noqa: PLC0415 - few files need it

    odd = b"\n".join(line for line in data.split(b"\n") if not line.isascii())[:_JUDGED]
    matches = from_bytes(odd, cp_isolation=[*_LEGACY], threshold=_MESS, preemptive_behaviour=False)
    fitting = sorted(
        (_measure_misfit(match.chaos, match.coherence, *read), _LEGACY.index(codec), *read)
        for match in matches
        for codec in match.could_be_from_charset
        if (read := decode_strictly(data, find_codec(codec))) and not _is_unlikely(read[0])
    )
    if not fitting:
        return data.decode("cp1252", "replace"), "cp1252", "any other"
    best = fitting[0][0]
    usual = (guess for guess in fitting if guess[3] == "cp1252" and guess[0] <= best + _TIE)
    misfit, _, text, encoding = next(usual, fitting[0])
    close = (guess[3] for guess in fitting if guess[0] <= misfit + _CLOSE and guess[2] != text)
    rival = next((other for other in close if other != "mac-roman" or _MAC.search(data)), "")
    return text, encoding, rival or ("cp1252" if encoding == "mac-roman" else "")


def _measure_misfit(chaos: float, coherence: float, text: str, codec: str) -> float:
    """Return how badly a text fits an encoding: by letters, by damage, by letters of several bytes."""
    wide = codec in _SEVERAL and len(_IDEOGRAPHS.findall(text)) > 0
    return round(chaos - _LANGUAGE * coherence + _DAMAGED * is_damaged(text) - _DAMAGED * wide, 2)


def _is_unlikely(text: str) -> bool:
    """Return whether a text has controls for signs, or mostly words of two alphabets: "Mьller"."""
    return bool(_CONTROL.search(text)) or 5 * len(_MIXED.findall(text)) > len(_OTHER.findall(text)) > 0


def _is_doubtful(encoding: str, rival: str, letter: str) -> bool:
    """Return whether another encoding reads the bytes of a letter otherwise."""
    if letter.isascii():
        return False
    try:
        return letter.encode(encoding).decode(rival) != letter
    except (UnicodeError, LookupError):
        return True

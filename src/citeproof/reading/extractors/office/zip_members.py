"""The named members of an office document, which is a zip; nothing is ever unpacked to disk.

A member is counted while it is read: what its header says about its size is not believed.
"""

from __future__ import annotations

import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterable
from typing import TYPE_CHECKING

from citeproof.errors import InputError
from citeproof.reading.extractors.xml.xml_tree import parse_xml
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Document, Place, Problem

if TYPE_CHECKING:
    from lxml import etree

MAX_MEMBERS = 2_000
MAX_MEMBER = 50 * 1024 * 1024
MAX_TOTAL = 100 * 1024 * 1024  # of all that is read of one document
RATIO = 100
RATIO_FLOOR = 10 * 1024 * 1024  # what so little becomes does no harm, however well it was packed
_CHUNK = 1 << 20
_HEAD = 200_000  # bytes at which detection looks for the name of a member
_TAIL = 400_000  # room for the directory of as many members as are allowed
_BROKEN = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, OSError, ValueError,
    NotImplementedError, RuntimeError, KeyError, IndexError, OverflowError,
)  # fmt: skip
_HINT = "open it in the program that wrote it and save it again"
_PIECE = re.compile(r"(ZOTERO_BREF_\w{1,60})_(\d{1,4})")


class ZipMembers:
    """The members of one zipped document."""

    def __init__(self, document: Document) -> None:
        self._name = document.name
        self._left = MAX_TOTAL
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(document.data))
            members = self._zip.infolist()
        except _BROKEN as error:
            raise InputError("the zip archive is broken", place=document.name, hint=_HINT) from error
        if len(members) > MAX_MEMBERS:
            message = f"the zip archive has {len(members):,} members, more than {MAX_MEMBERS:,}"
            hint = "this is not an ordinary document; do not open it"
            raise InputError(message, place=document.name, hint=hint)
        self._members = {member.filename: member for member in members}

    def names(self) -> tuple[str, ...]:
        """Return the names of all members, in the order of the archive."""
        return tuple(self._members)

    def read(self, name: str) -> bytes | None:
        """Return the bytes of one member, None if there is none of that name."""
        member = self._members.get(name)
        if member is None:
            return None
        if member.flag_bits & 0x1:
            raise InputError(
                f"{name} is encrypted", place=self._name, hint="save the document without a password"
            )
        try:
            data = self._count_bytes(member)
        except _BROKEN as error:
            raise InputError(f"{name} inside it is broken", place=self._name, hint=_HINT) from error
        self._left -= len(data)
        return data

    def _count_bytes(self, member: zipfile.ZipInfo) -> bytes:
        """Return what the member unpacks to, as far as it keeps within the limits."""
        limit = min(MAX_MEMBER, self._left, max(RATIO_FLOOR, RATIO * member.compress_size))
        parts: list[bytes] = []
        count = 0
        with self._zip.open(member) as stream:
            while part := stream.read(min(_CHUNK, limit + 1 - count)):
                parts.append(part)
                count += len(part)
                if count > limit:
                    message = f"{member.filename} inside it unpacks to more than {limit // 1024 // 1024} MB"
                    hint = "remove pictures and embedded files, or save only the text"
                    raise InputError(message, place=self._name, hint=hint)
        return b"".join(parts)


def has_zip_member(document: Document, member: bytes) -> bool:
    """Return whether a document is a zip that names `member`, at its beginning or in its directory."""
    data = document.data
    return data[:4] == b"PK\x03\x04" and (member in data[:_HEAD] or member in data[-_TAIL:])


class OfficeParts:
    """The parts of one document, and what was wrong with those that were left out."""

    def __init__(self, document: Document) -> None:
        self._file = document.name
        self._zipped = ZipMembers(document)
        self.names = self._zipped.names()
        self.problems: list[Problem] = []

    def main(self, name: str) -> etree._Element:
        """Return the part that holds the text; InputError if it is missing or broken."""
        root = self._read(name)
        if root is None:
            raise InputError(
                f"a zip archive without {name}", place=self._file, hint="save the document again"
            )
        return root

    def side(self, name: str) -> etree._Element | None:
        """Return a part the text can be read without, None if missing; a broken one is a problem."""
        try:
            return self._read(name)
        except InputError as error:
            message = f"{name} inside it is skipped: {error.message}"
            self.problems.append(Problem(Place(self._file, line=1), message, error.hint))
            return None

    def _read(self, name: str) -> etree._Element | None:
        data = self._zipped.read(name)
        return None if data is None else parse_xml(Document(f"{self._file}: {name}", data))


def join_zotero_pieces(properties: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the codes that Zotero keeps in a document's properties, each in numbered pieces, by bookmark."""
    pieces: dict[str, dict[int, str]] = {}
    for name, text in properties:
        if match := _PIECE.fullmatch(name):
            pieces.setdefault(match[1], {})[int(match[2])] = text
    return {name: "".join(text for _, text in sorted(parts.items())) for name, parts in pieces.items()}

"""DBLP's dump `dblp.xml` (plain, `.gz` or `.zst`): one record a publication, streamed.

The file names letters by the entities of `dblp.dtd` (`&uuml;`), which are those of HTML. They are turned
into numbers on the way to the parser, so no DTD is ever read, next to the file or from anywhere else; a file
that declares entities of its own is refused. People's homepages (`www`) are not works. Volumes of
proceedings are left out: their titles match the venue part of citations. A record's id is `dblp:<key>`.
CC0.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from html.entities import name2codepoint
from typing import IO, cast

from lxml import etree

from citeproof.evidence.index.readers._dump_files import read_elements, read_xml_files
from citeproof.evidence.index.readers.base import BadRecord, DumpReader
from citeproof.evidence.upstream_records.dblp import TAGS, make_element_record
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Place, Record

_ENTITY = re.compile(rb"&([A-Za-z]{2,8}[0-9]{0,2});")
_OPEN = re.compile(rb"&[A-Za-z0-9]{0,10}\Z")  # an entity that a piece of the file cuts in two
_XML = frozenset((b"amp", b"lt", b"gt", b"quot", b"apos"))  # these the parser knows
_NUMBERS = {
    name.encode(): b"&#%d;" % code for name, code in name2codepoint.items() if name.encode() not in _XML
}
_PIECE = 1 << 16


class _NumberedEntities:
    """A stream whose named entities are numbers."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._rest = b""

    def read(self, size: int = -1) -> bytes:
        piece = self._rest + self._stream.read(max(size, _PIECE))
        cut = _OPEN.search(piece, max(0, len(piece) - 12))
        end = cut.start() if cut and len(piece) > len(self._rest) else len(piece)
        self._rest = piece[end:]
        numbered = _ENTITY.sub(lambda entity: _NUMBERS.get(entity[1], entity[0]), piece[:end])
        return numbered or (self.read(size) if self._rest else b"")


def _read_publications(name: str, stream: IO[bytes]) -> Iterator[Record | BadRecord]:
    numbered = cast("IO[bytes]", _NumberedEntities(stream))
    return read_elements(name, numbered, TAGS, _read_publication, "the file holds no publications")


def _read_publication(element: etree._Element, place: Place) -> Record | BadRecord | None:
    if element.getparent() is not element.getroottree().getroot():
        return None  # a field of the same name
    unusable = f"publication {str(element.get('key'))[:80]} has no usable title or key"
    return make_element_record(element) or BadRecord(place, unusable)


READER = DumpReader(
    "dblp",
    "computer science up to the day of the dump; other fields hardly at all",
    partial(read_xml_files, read_file=_read_publications),
)

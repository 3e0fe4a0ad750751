"""DBLP's dump `dblp.xml` (plain, `.gz` or `.zst`): one record a publication, streamed.

The file names letters by the entities of `dblp.dtd` (`&uuml;`), which are those of HTML. They are turned
into numbers on the way to the parser, so no DTD is ever read, next to the file or from anywhere else; a file
that declares entities of its own is refused. People's homepages (`www`) are not works. Volumes of
proceedings are left out: their titles match the venue part of citations. A record's id is `dblp:<key>`.
CC0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html.entities import name2codepoint
from pathlib import Path
from typing import IO, ClassVar

from lxml import etree

from citeproof.index.bookmark import Bookmark
from citeproof.index.readers._dump_files import open_members
from citeproof.index.readers._xml_stream import free_element, has_entities
from citeproof.index.readers.base import BadRecord
from citeproof.upstream_records.dblp import TAGS, make_element_record
from citeproof.vocabulary import Place, Record

_ENTITY = re.compile(rb"&([A-Za-z]{2,8}[0-9]{0,2});")
_OPEN = re.compile(rb"&[A-Za-z0-9]{0,10}\Z")  # an entity that a piece of the file cuts in two
_XML = frozenset((b"amp", b"lt", b"gt", b"quot", b"apos"))  # these the parser knows
_NUMBERS = {
    name.encode(): b"&#%d;" % code for name, code in name2codepoint.items() if name.encode() not in _XML
}
_PIECE = 1 << 16


class DblpReader:
    name: ClassVar[str] = "dblp"
    covers_note: ClassVar[str] = "computer science up to the day of the dump; other fields hardly at all"

    def read(self, paths: Sequence[Path], at: Bookmark | None = None) -> Iterator[Record | BadRecord]:
        """Yield one record a publication, in the order of the files."""
        at = at or Bookmark()
        for path in paths:
            with open_members(path, ".xml.gz") as found:
                for name, stream in found:
                    if at.opens():
                        yield from at.list_rest(_read_publications(name, stream))


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
        return _ENTITY.sub(_number_entity, piece[:end]) or (self.read(size) if self._rest else b"")


def _number_entity(match: re.Match[bytes]) -> bytes:
    return _NUMBERS.get(match[1], match[0])


def _read_publications(name: str, stream: IO[bytes]) -> Iterator[Record | BadRecord]:
    walk = etree.iterparse(
        _NumberedEntities(stream),
        events=("end",),
        tag=TAGS,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        recover=False,
    )
    line, any_found = None, False
    try:
        for _, element in walk:
            if element.getparent() is not element.getroottree().getroot():
                continue  # a field of the same name
            line = element.sourceline
            if not any_found and has_entities(element):
                yield BadRecord(Place(file=name, line=1), "the file declares its own XML entities: refused")
                return
            any_found = True
            yield _read_publication(element, Place(file=name, line=line))
            free_element(element)
    except etree.XMLSyntaxError as error:
        yield BadRecord(Place(file=name, line=error.lineno or line), f"the XML breaks off here: {error.msg}")
        return
    if not any_found:
        yield BadRecord(Place(file=name), "the file holds no publications")


def _read_publication(element: etree._Element, place: Place) -> Record | BadRecord:
    record = make_element_record(element)
    if record is not None:
        return record
    return BadRecord(place, f"publication {str(element.get('key'))[:80]} has no usable title or key")


READER = DblpReader()

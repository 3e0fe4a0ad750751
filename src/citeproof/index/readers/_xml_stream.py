"""Large XML dumps as a stream of records: no entities of their own, and memory that stays flat."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, TypeVar

from lxml import etree

from citeproof.index.readers._dump_files import open_members
from citeproof.index.readers.base import BadRecord, Bookmark
from citeproof.vocabulary import Place

T = TypeVar("T")


def read_xml_files(
    paths: Sequence[Path],
    at: Bookmark | None = None,
    *,
    read_file: Callable[[str, IO[bytes]], Iterator[T]],
) -> Iterator[T]:
    """Yield what `read_file` finds in each file, or each `.xml.gz` member of a zip or wheel, in order."""
    at = at or Bookmark()
    for path in paths:
        with open_members(path, ".xml.gz") as members:
            for name, stream in members:
                if at.opens():
                    yield from at.list_rest(read_file(name, stream))


def read_elements(
    name: str,
    stream: IO[bytes],
    tag: str | Sequence[str],
    read: Callable[[etree._Element, Place], T | None],
    missing: str,
) -> Iterator[T | BadRecord]:
    """Yield what `read` makes of each element `tag`; `missing` is reported a file that has none.

    `read` returns None for an element that is no record of its own.
    """
    walk = etree.iterparse(
        stream,
        events=("end",),
        tag=tag,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        recover=False,
    )
    line = None
    try:
        for _, element in walk:
            if line is None and _has_entities(element):
                yield BadRecord(Place(file=name, line=1), "the file declares its own XML entities: refused")
                return
            record = read(element, Place(file=name, line=element.sourceline))
            if record is not None:
                line = element.sourceline
                yield record
                _free_element(element)
    except etree.XMLSyntaxError as error:
        yield BadRecord(Place(file=name, line=error.lineno or line), f"the XML breaks off here: {error.msg}")
        return
    if line is None:
        yield BadRecord(Place(file=name), missing)


def _has_entities(element: etree._Element) -> bool:
    """Return whether the document declares entities in itself, which no dump needs."""
    subset = element.getroottree().docinfo.internalDTD
    return subset is not None and next(subset.iterentities(), None) is not None


def _free_element(element: etree._Element) -> None:
    """Free what has been read; without this the whole file stays in memory."""
    element.clear()
    while element.getprevious() is not None:
        del element.getparent()[0]

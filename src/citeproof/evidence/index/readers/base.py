"""What a reader of a dump format is, where it is in its input, and where it is found: its file's name."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol, TypeVar, cast

from citeproof.errors import UsageError
from citeproof.evidence.index.record_packing import FamilyCache, IndexEntry, make_entry
from citeproof.vocabulary import Place, Record
from citeproof.vocabulary.quick_dataclass import dataclass

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Bookmark:
    """How far a reader has come, and how far an earlier run had come.

    A reader calls `opens` before each piece that can be read without those before it (a file, a member of
    an archive) and passes what it finds there through `list_rest`. Pieces that were read whole are then not
    even unpacked; of the current piece, what was taken before is dropped, at best before it is decoded. A
    reader whose files hang together never calls `opens`: all of its input is one piece.
    """

    def __init__(self, pieces: int = 0, items: int = 0) -> None:
        self._pieces, self._items = pieces, items
        self.pieces = 0  # begun, the one available among them
        self.items = 0  # of the piece available, in any unit that the reader counts by

    def opens(self) -> bool:
        """Begin the next piece; return whether something of it is still to be read."""
        self.pieces += 1
        self.items = 0
        return self.pieces >= self._pieces

    def list_rest(self, items: Iterable[T]) -> Iterator[T]:
        """Yield those items of the piece available that were not taken before."""
        for item in items:
            self.items += 1
            if self.pieces > self._pieces or self.items > self._items:
                yield item


@dataclass(frozen=True, slots=True)
class BadRecord:
    """A record that could not be read: where it is and what is wrong with it."""

    place: Place
    message: str


@dataclass(frozen=True, slots=True)
class AbstractedRecord:
    """A record and the abstract that its dump has; "" if there is none."""

    record: Record
    abstract: str


class ReadDump(Protocol[T_co]):
    """Yields what files hold, after the bookmark if there is one. A `BadRecord` never costs the others.

    The same files give the same records in the same order: a build that was stopped counts on it.
    """

    def __call__(self, paths: Sequence[Path], at: Bookmark | None = None) -> Iterator[T_co | BadRecord]: ...


@dataclass(frozen=True, slots=True)
class DumpReader:
    """One dump format."""

    name: str  # equals the file name
    covers_note: str  # what such a dump holds, in one line
    read: ReadDump[Record]
    read_abstracts: ReadDump[AbstractedRecord] | None = (
        None  # the same records with the abstracts of the dump
    )
    entries: ReadDump[IndexEntry] | None = None  # what a build makes of records, without the records


def read_entries(
    reader: DumpReader, paths: Sequence[Path], at: Bookmark | None = None, *, abstracts: bool = False
) -> Iterator[IndexEntry | BadRecord]:
    """Yield what `reader` reads, after the bookmark if there is one, as entries; `abstracts`: with theirs."""
    if reader.entries is not None:
        yield from reader.entries(paths, at)
        return
    families = FamilyCache()
    read = reader.read_abstracts if abstracts and reader.read_abstracts else reader.read
    for item in read(paths, at):
        yield item if isinstance(item, BadRecord) else _make_entry(item, families)


def _make_entry(item: Record | AbstractedRecord, families: FamilyCache) -> IndexEntry | BadRecord:
    record, abstract = (item, "") if isinstance(item, Record) else (item.record, item.abstract)
    try:
        entry = make_entry(record, families)
    except UnicodeEncodeError:  # half a character, which no file may hold
        return BadRecord(Place(file=record.id), "the record holds text that is not Unicode")
    entry.abstract = abstract.encode("utf-8", "replace")
    return entry


def list_readers() -> tuple[str, ...]:
    folder = importlib.import_module("citeproof.evidence.index.readers").__path__
    names = (module.name for module in pkgutil.iter_modules(folder))
    return tuple(sorted(name for name in names if name != "base" and not name.startswith("_")))


def find_reader(name: str) -> DumpReader:
    """Return the reader called `name`."""
    if name not in list_readers():
        known = ", ".join(list_readers())
        raise UsageError(f"unknown reader {name!r}", place="--from", hint=f"use one of: {known}")
    module = importlib.import_module(f"citeproof.evidence.index.readers.{name}")
    return cast("DumpReader", module.READER)

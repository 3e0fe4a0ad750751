"""What a reader of a dump format is, where it is in its input, and where it is found: its file's name."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol, TypeVar, cast, runtime_checkable

from citeproof.errors import UsageError
from citeproof.index.index_entry import FamilyCache, IndexEntry, make_entry
from citeproof.vocabulary import Place, Record

T = TypeVar("T")


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


class DumpReader(Protocol):
    """One dump format. A bad record becomes a `BadRecord` and never costs the others.

    The same files give the same records in the same order: a build that was stopped counts on it.
    """

    name: ClassVar[str]  # equals the file name
    covers_note: ClassVar[str]  # what such a dump holds, in one line

    def read(self, paths: Sequence[Path], at: Bookmark | None = None) -> Iterator[Record | BadRecord]: ...


@runtime_checkable
class EntryReader(Protocol):
    """A reader that also gives entries: what a build makes of records, without the records."""

    def entries(
        self, paths: Sequence[Path], at: Bookmark | None = None
    ) -> Iterator[IndexEntry | BadRecord]: ...


def read_entries(
    reader: DumpReader, paths: Sequence[Path], at: Bookmark | None = None
) -> Iterator[IndexEntry | BadRecord]:
    """Yield what `reader` reads, after the bookmark if there is one, as entries."""
    if isinstance(reader, EntryReader):
        yield from reader.entries(paths, at)
        return
    families = FamilyCache()
    for item in reader.read(paths, at):
        if isinstance(item, BadRecord):
            yield item
        else:
            try:
                yield make_entry(item, families)
            except UnicodeEncodeError:  # half a character, which no file may hold
                yield BadRecord(Place(file=item.id), "the record holds text that is not Unicode")


def list_readers() -> tuple[str, ...]:
    """Return the names of all readers, in order."""
    folder = importlib.import_module("citeproof.index.readers").__path__
    found = (module.name for module in pkgutil.iter_modules(folder))
    return tuple(sorted(name for name in found if name != "base" and not name.startswith("_")))


def find_reader(name: str) -> DumpReader:
    """Return the reader called `name`."""
    if name not in list_readers():
        known = ", ".join(list_readers())
        raise UsageError(f"unknown reader {name!r}", place="--from", hint=f"use one of: {known}")
    module = importlib.import_module(f"citeproof.index.readers.{name}")
    return cast("DumpReader", module.READER)

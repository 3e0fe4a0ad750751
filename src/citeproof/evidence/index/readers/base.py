"""What a reader of a dump format is, where it is in its input, and where it is found: its file's name.

Several processes of a build go over the same input in the same order. Each takes its turns (whole files, or
stretches of a file) and skips the others before they are decoded, so that a record has the same place and
the same id as in a build by one process.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar, cast

from citeproof.errors import UsageError
from citeproof.evidence.index.record_packing import FamilyCache, IndexEntry, make_entry
from citeproof.vocabulary import Place, Record

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
_MANY = 4  # times as many files as processes: then each takes whole files
_ARCHIVES = (".tar", ".tar.gz", ".tgz", ".tar.zst", ".zip", ".whl")


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


@dataclass(frozen=True, slots=True)
class InputShare:
    """One of `count` shares of an input, by its number from 0."""

    number: int
    count: int


class StretchBookmark(Bookmark):
    """A bookmark that yields the stretches of one share: whole files where there are many, or archives."""

    def __init__(
        self, pieces: int, items: int, share: InputShare, stretch: int, paths: Sequence[Path] = ()
    ) -> None:
        super().__init__(pieces, items)
        self._share, self._stretch = share, stretch
        many = len(paths) >= _MANY * share.count
        self._whole = many or any(path.name.endswith(_ARCHIVES) for path in paths)
        self.unit = (0, 0)  # the piece and the stretch of the item that was yielded last

    def opens(self) -> bool:
        """Begin the next piece; return whether some of it is to be read for this share."""
        wanted = super().opens()
        return wanted and (not self._whole or self.pieces % self._share.count == self._share.number)

    def list_rest(self, items: Iterable[T]) -> Iterator[T]:
        """Yield the items of the current piece that are of this share and were not taken before.

        Whose an item is, is worked out once for all to the end of its stretch. The items may begin another
        piece on their way.
        """
        piece, end, wanted = -1, 0, False
        for item in items:
            self.items = at = self.items + 1
            if at > end or piece != self.pieces:
                piece = self.pieces
                end, wanted = self._begin_stretch(at)
            if wanted:
                yield item

    def _begin_stretch(self, at: int) -> tuple[int, bool]:
        """Return up to which item all are treated like the one at `at`, and whether these are yielded."""
        turn = (at - 1) // self._stretch
        end = (turn + 1) * self._stretch
        if self.pieces <= self._pieces and at <= self._items:
            return min(end, self._items), False
        self.unit = self.pieces, turn
        return end, bool(self._whole and self.pieces) or turn % self._share.count == self._share.number

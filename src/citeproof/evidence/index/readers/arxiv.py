"""arXiv's metadata dump as JSON lines (`arxiv-metadata-oai-snapshot.json`, plain, `.gz` or `.zst`).

One record a paper, with every year in which a version appeared. A record's id is `arxiv:<number>`.
Metadata CC0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, TypeVar

import msgspec

from citeproof.evidence.index.readers._dump_files import MAX_LINE, open_members, read_lines
from citeproof.evidence.index.readers.base import AbstractedRecord, BadRecord, Bookmark, DumpReader, ReadDump
from citeproof.evidence.upstream_records.abstracts import clean_arxiv_abstract
from citeproof.evidence.upstream_records.arxiv import ArxivDumpLine, make_dump_record
from citeproof.vocabulary import Place

T = TypeVar("T")


def _decode_abstracted(line: bytes) -> AbstractedRecord | None:
    item = _ABSTRACTED.decode(line)
    record = make_dump_record(item)
    return AbstractedRecord(record, clean_arxiv_abstract(item.abstract or "")) if record else None


def _make_reader(decode: Callable[[bytes], T | None]) -> ReadDump[T]:
    def read(paths: Sequence[Path], at: Bookmark | None = None) -> Iterator[T | BadRecord]:
        at = at or Bookmark()
        for path in paths:
            with open_members(path, ".json") as members:
                for name, stream in members:
                    if at.opens():
                        yield from _read_papers(name, stream, at, decode)

    return read


def _read_papers(
    name: str, stream: IO[bytes], at: Bookmark, decode: Callable[[bytes], T | None]
) -> Iterator[T | BadRecord]:
    for number, line in at.list_rest(read_lines(stream)):
        if line is None:
            yield BadRecord(Place(file=name, line=number), f"the line is longer than {MAX_LINE:,} bytes")
        elif not line.isspace():
            yield _read_paper(line, Place(file=name, line=number), decode)


def _read_paper(line: bytes, place: Place, decode: Callable[[bytes], T | None]) -> T | BadRecord:
    try:
        record = decode(line)
    except (ValueError, RecursionError) as error:  # msgspec's errors are such
        return BadRecord(place, f"not a paper: {error}"[:200])
    return record or BadRecord(place, "the paper has no usable title or number")


class _AbstractedLine(ArxivDumpLine, gc=False, rename={"journal_ref": "journal-ref"}):
    abstract: str | None = None


_DECODER = msgspec.json.Decoder(ArxivDumpLine)
_ABSTRACTED = msgspec.json.Decoder(_AbstractedLine)
READER = DumpReader(
    "arxiv",
    "every paper at arXiv up to the day of the dump, all versions dated",
    _make_reader(lambda line: make_dump_record(_DECODER.decode(line))),
    _make_reader(_decode_abstracted),
)

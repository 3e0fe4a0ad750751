"""arXiv's metadata dump as JSON lines (`arxiv-metadata-oai-snapshot.json`, plain, `.gz` or `.zst`).

One record a paper, with every year in which a version appeared. A record's id is `arxiv:<number>`.
Metadata CC0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, ClassVar

import msgspec

from citeproof.index.readers._dump_files import MAX_LINE, open_members, read_lines
from citeproof.index.readers.base import BadRecord, Bookmark
from citeproof.upstream_records.arxiv import ArxivDumpLine, make_dump_record
from citeproof.vocabulary import Place, Record


class ArxivReader:
    name: ClassVar[str] = "arxiv"
    covers_note: ClassVar[str] = "every paper at arXiv up to the day of the dump, all versions dated"

    def read(self, paths: Sequence[Path], at: Bookmark | None = None) -> Iterator[Record | BadRecord]:
        """Yield one record a line, in order; also from the JSON members of a zip."""
        at = at or Bookmark()
        for path in paths:
            with open_members(path, ".json") as found:
                for name, stream in found:
                    if at.opens():
                        yield from _read_papers(name, stream, at)


def _read_papers(name: str, stream: IO[bytes], at: Bookmark) -> Iterator[Record | BadRecord]:
    for number, line in at.list_rest(read_lines(stream)):
        if line is None:
            yield BadRecord(Place(file=name, line=number), f"the line is longer than {MAX_LINE:,} bytes")
        elif not line.isspace():
            yield _read_paper(line, Place(file=name, line=number))


def _read_paper(line: bytes, place: Place) -> Record | BadRecord:
    try:
        record = make_dump_record(_DECODER.decode(line))
    except (ValueError, RecursionError) as error:  # msgspec's errors are such
        return BadRecord(place, f"not a paper: {error}"[:200])
    return record or BadRecord(place, "the paper has no usable title or number")


_DECODER = msgspec.json.Decoder(ArxivDumpLine)
READER = ArxivReader()

"""Records of one input, a stretch of it at a time, ready to be stored."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from citeproof.evidence.index.readers.base import BadRecord, Bookmark, find_reader, read_entries
from citeproof.evidence.index.record_filing import FiledStretch, RecordFiler

STRETCH = 8192  # items of one file


@dataclass(frozen=True, slots=True)
class BuildInput:
    """Files of one dump format. `licence` and `read_at` describe them in the manifest."""

    reader: str
    paths: tuple[Path, ...]
    licence: str = ""
    read_at: str | None = None


@dataclass(slots=True)
class ReadStretch:
    """What was read of one stretch: records in order, what could not be read, and where it ends."""

    unit: tuple[int, int]  # its piece of the input, and its number there
    items: int = 0  # of the piece, up to its end
    packed: list[bytes] = field(default_factory=list)
    words: list[str] = field(default_factory=list)  # of each record, for full text
    abstracts: list[bytes] = field(default_factory=list)  # of each record, if they were asked for
    bad: list[tuple[str, str]] = field(default_factory=list)  # place and message
    filed: FiledStretch = field(default_factory=FiledStretch)


def read_stretches(
    source: BuildInput, reached: tuple[int, int], *, abstracts: bool = False, most: int = STRETCH
) -> Iterator[ReadStretch]:
    """Yield the stretches that come after `reached` (piece, item), of `most` items or fewer."""
    at, size = Bookmark(*reached), min(most, STRETCH)
    filer = RecordFiler()
    made: ReadStretch | None = None
    for item in read_entries(find_reader(source.reader), source.paths, at, abstracts=abstracts):
        unit = at.pieces, (at.items - 1) // size
        if made is None or unit != made.unit:
            if made is not None:
                yield _end_stretch(made, filer)
            made = ReadStretch(unit)
        made.items = at.items
        if isinstance(item, BadRecord):
            place = f"{item.place.file}:{item.place.line}" if item.place.line else item.place.file
            made.bad.append((place, item.message[:300]))
            continue
        made.packed.append(item.packed)
        made.words.append(filer.file(item))
        if abstracts:
            made.abstracts.append(item.abstract)
    if made is not None:
        yield _end_stretch(made, filer)


def _end_stretch(made: ReadStretch, filer: RecordFiler) -> ReadStretch:
    made.filed = filer.take()
    return made

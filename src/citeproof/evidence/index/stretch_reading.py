"""Records of one input, a stretch of it at a time, ready to be stored: read here, or by several processes.

Each process goes over the same input in the same order and takes its turns. It sends what it made of them,
and the stretches are put in order again: a build gives the same by any number of processes, and one that was
stopped continues with any other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from heapq import merge
from pathlib import Path

import msgspec

from citeproof.errors import InputError, SnapshotError, UsageError
from citeproof.evidence.index.readers.base import (
    BadRecord,
    InputShare,
    StretchBookmark,
    find_reader,
    read_entries,
)
from citeproof.evidence.index.record_filing import FiledStretch, RecordFiler
from citeproof.plumbing.worker_processes import WorkerProcesses
from citeproof.text.typed_decoding import decode_msgpack

STRETCH = 8192  # items of one file
_WHOLE = InputShare(0, 1)
_ERRORS = {kind.__name__: kind for kind in (InputError, SnapshotError, UsageError)}
_ENCODER = msgspec.msgpack.Encoder()


@dataclass(frozen=True, slots=True)
class BuildInput:
    """Files of one dump format. `licence` and `read_at` describe them in the manifest."""

    reader: str
    paths: tuple[Path, ...]
    licence: str = ""
    read_at: str | None = None


class ReadStretch(msgspec.Struct):
    """What was read of one stretch: records in order, what could not be read, and where it ends."""

    unit: tuple[int, int]  # its piece of the input, and its number there
    items: int  # of the piece, up to its end
    packed: list[bytes]
    words: list[str]  # of each record, for full text
    abstracts: list[bytes]  # of each record, if they were asked for
    bad: list[tuple[str, str]]  # place and message
    filed: FiledStretch


def read_stretches(
    source: BuildInput,
    reached: tuple[int, int],
    share: InputShare = _WHOLE,
    *,
    abstracts: bool = False,
    most: int = STRETCH,
) -> Iterator[ReadStretch]:
    """Yield the stretches of a share that come after `reached` (piece, item), of `most` items or fewer."""
    at = StretchBookmark(*reached, share, min(most, STRETCH), source.paths)
    filer = RecordFiler()
    made: ReadStretch | None = None
    for item in read_entries(find_reader(source.reader), source.paths, at, abstracts=abstracts):
        if made is None or at.unit is not made.unit:
            if made is not None:
                yield _end_stretch(made, filer)
            made = ReadStretch(at.unit, 0, [], [], [], [], FiledStretch())
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


class _StretchAnswer(msgspec.Struct):
    """What a process sends: a stretch, why there is none, or nothing at the end."""

    stretch: ReadStretch | None = None
    error: tuple[str, str, str, str] | None = None  # kind, message, place, hint


class StretchWork:
    """Reads the stretches of one share in another process, one for each request."""

    def __init__(
        self, source: BuildInput, reached: tuple[int, int], share: InputShare, most: int, *, abstracts: bool
    ) -> None:
        self._stretches = read_stretches(source, reached, share, abstracts=abstracts, most=most)

    def do(self, _: bytes) -> bytes:
        """Return the next stretch, encoded."""
        try:
            return _ENCODER.encode(_StretchAnswer(next(self._stretches, None)))
        except (InputError, SnapshotError, UsageError) as error:
            described = (type(error).__name__, error.message, error.place, error.hint)
            return _ENCODER.encode(_StretchAnswer(error=described))

    def close(self) -> None: ...


def read_in_processes(
    source: BuildInput, reached: tuple[int, int], processes: int, *, abstracts: bool, most: int
) -> Iterator[ReadStretch]:
    """Yield what `read_stretches` yields, read by `processes` processes."""
    shares = [InputShare(number, processes) for number in range(processes)]
    readers: list[WorkerProcesses[int]] = [
        WorkerProcesses(1, partial(StretchWork, source, reached, share, most, abstracts=abstracts))
        for share in shares
    ]
    try:
        for reader in readers:
            _ask_for_stretch(reader)
        yield from merge(*map(_receive_stretches, readers), key=lambda stretch: stretch.unit)
    finally:
        for reader in readers:
            reader.kill()


def _ask_for_stretch(reader: WorkerProcesses[int]) -> None:
    if not reader.send(0, b""):
        raise SnapshotError("no process could be started", hint="build without --processes")


def _receive_stretches(reader: WorkerProcesses[int]) -> Iterator[ReadStretch]:
    """Yield the stretches of one process; it reads the next one meanwhile."""
    while True:
        answers = reader.answers(None)
        if not answers:
            continue  # it only said that it can begin
        if answers[0].body is None:
            hint = "run the same command again to continue; with little memory, use fewer --processes"
            raise SnapshotError("a process that reads has died", hint=hint)
        answer = decode_msgpack(answers[0].body, type=_StretchAnswer)
        if answer.error is not None:
            kind, message, place, hint = answer.error
            raise _ERRORS[kind](message, place=place, hint=hint)
        if answer.stretch is None:
            return
        _ask_for_stretch(reader)
        yield answer.stretch

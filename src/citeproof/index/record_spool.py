"""Packed records on their way into blocks: they wait in a file until the dictionary can be trained.

The sample for the dictionary is even over all records, and memory stays bounded: of the sampled blocks
only the places in the file are kept.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from citeproof.index.growing_files import GrowingFiles

BLOCK = 8  # records
SAMPLES = 8_192  # records the dictionary is trained on, at least, if there are so many
_LENGTH = struct.Struct("<I")
_ENDS = struct.Struct(f"<{BLOCK}I")


@dataclass(frozen=True, slots=True)
class SpoolState:
    """Where a spool stands."""

    count: int = 0  # records
    waiting: tuple[bytes, ...] = ()  # those that fill no block yet
    sampled: tuple[int, ...] = ()  # where the sampled blocks begin in the file
    stride: int = BLOCK  # one block in so many records is sampled


class Spool:
    """Takes packed records in order and gives them back in blocks."""

    def __init__(self, path: Path, state: SpoolState | None = None, length: int = 0) -> None:
        state = state or SpoolState()
        self.file = GrowingFiles((path,), (length,))
        self.count = state.count
        self._write = self.file.files[0].write
        self._at = length
        self._waiting = list(state.waiting)
        self._sampled = list(state.sampled)
        self._stride = state.stride

    def add(self, packed: bytes) -> None:
        """Append one record."""
        self._waiting.append(packed)
        self.count += 1
        if len(self._waiting) == BLOCK:
            self._spool()

    def add_block(self, block: bytes) -> bool:
        """Append a full block as it is; return False, and do nothing, if a record waits before it."""
        if self._waiting:
            return False
        self.count += BLOCK
        self._append(block)
        return True

    def _spool(self) -> None:
        self._append(_join_block(self._waiting))
        self._waiting.clear()

    def _append(self, block: bytes) -> None:
        if self.count % self._stride == 0:
            self._sample()
        self._write(_LENGTH.pack(len(block)))
        self._write(block)
        self._at += _LENGTH.size + len(block)

    def _sample(self) -> None:
        """Keep every n-th block, doubling n whenever there are enough."""
        self._sampled.append(self._at)
        if len(self._sampled) * BLOCK >= 2 * SAMPLES:
            del self._sampled[1::2]
            self._stride *= 2

    def state(self) -> SpoolState:
        """Return where the spool is; the file has its length at this moment."""
        return SpoolState(self.count, tuple(self._waiting), tuple(self._sampled), self._stride)

    def samples(self) -> list[bytes]:
        """Return an even sample of the records, in order."""
        self.file.flush()
        found: list[bytes] = []
        with self.file.paths[0].open("rb") as file:
            for at in self._sampled:
                file.seek(at)
                found += _split_block(file.read(_LENGTH.unpack(file.read(_LENGTH.size))[0]))
        return found + self._waiting

    def blocks(self) -> Iterator[bytes]:
        """Yield all blocks in order; the last may hold fewer records."""
        self.file.flush()
        with self.file.paths[0].open("rb", buffering=1 << 20) as file:
            while head := file.read(_LENGTH.size):
                yield file.read(_LENGTH.unpack(head)[0])
        if self._waiting:
            yield _join_block(self._waiting)

    def close(self) -> None:
        """Let go of the file."""
        self.file.close()


class SpoolReader:
    """Moves the records of a spool that is whole, in order, into another; nothing of it is changed."""

    def __init__(self, path: Path, state: SpoolState) -> None:
        self._file = path.open("rb", buffering=1 << 20)
        self._last = list(state.waiting)
        self._split: list[bytes] = []  # records of a block that was begun, the next one last

    def move(self, count: int, target: Spool) -> None:
        """Move the next `count` records: whole blocks as they are, where they fit."""
        while count:
            if not self._split:
                block = self._read_block()
                if block is not None and count >= BLOCK and target.add_block(block):
                    count -= BLOCK
                    continue
                self._split = (self._take_last() if block is None else _split_block(block))[::-1]
            target.add(self._split.pop())
            count -= 1

    def _read_block(self) -> bytes | None:
        head = self._file.read(_LENGTH.size)
        return self._file.read(_LENGTH.unpack(head)[0]) if head else None

    def _take_last(self) -> list[bytes]:
        last, self._last = self._last, []
        return last

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _join_block(records: list[bytes]) -> bytes:
    """Return one block: the end offset of each record, then the records."""
    ends, at = [], 0
    for record in records:
        at += len(record)
        ends.append(at)
    ends += [at] * (BLOCK - len(records))
    return _ENDS.pack(*ends) + b"".join(records)


def _split_block(block: bytes) -> list[bytes]:
    """Return the records of a full block."""
    ends = _ENDS.unpack_from(block)
    starts = (0, *ends[:-1])
    return [block[_ENDS.size + start : _ENDS.size + end] for start, end in zip(starts, ends, strict=True)]

"""Where a file is cut into chunks: by its content, so that what did not change is cut as it was.

A gear hash of the last 32 bytes decides: a place whose hash begins with enough zero bits is a border.
Bytes that are inserted or removed move the borders behind them, and all chunks but one stay the same. The
hash is worked out for a whole stretch at once with numpy, in five steps that each double its window.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from citeproof.index.growing_files import Mapped

LEAST, MOST = 1 << 16, 1 << 20  # bytes of a chunk; the last one of a file may be smaller
BITS = 18  # zero bits at a border: chunks of 256 KiB and the least, on average
WINDOW = 32  # bytes; the hash has 32 bits, so older ones are shifted out
_STRETCH = 1 << 17  # bytes hashed at a time; what numpy makes of it fits a cache
_GEAR = np.frombuffer(b"".join(hashlib.sha256(bytes([n])).digest()[:4] for n in range(256)), "<u4")


@dataclass(frozen=True, slots=True)
class ChunkSpan:
    """A stretch of a file, and the SHA-256 of its bytes."""

    start: int
    end: int
    sha256: str


def cut_chunks(data: Mapped) -> Iterator[ChunkSpan]:
    """Yield the chunks of a file in order; none of an empty one."""
    start = 0
    for end in _find_ends(data):
        yield ChunkSpan(start, end, hashlib.sha256(data[start:end]).hexdigest())
        start = end


def _find_ends(data: Mapped) -> Iterator[int]:
    start, size = 0, len(data)
    for border in _find_borders(data):
        while border - start > MOST:
            start += MOST
            yield start
        if border - start >= LEAST and border < size:
            start = border
            yield start
    while size - start > MOST:
        start += MOST
        yield start
    if start < size:
        yield size


def _find_borders(data: Mapped) -> Iterator[int]:
    """Yield the places behind bytes whose hash begins with zeros, ascending."""
    for begin in range(0, len(data), _STRETCH):
        lead = min(begin, WINDOW - 1)  # bytes of the stretch before that the first hashes need
        piece = np.frombuffer(data[begin - lead : begin + _STRETCH], np.uint8)
        hashes = _hash_windows(piece)[lead:]
        yield from (np.flatnonzero(hashes >> np.uint32(32 - BITS) == 0) + begin + 1).tolist()


def _hash_windows(piece: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint32]:
    """Return for each byte the gear hash of the 32 bytes that end with it."""
    hashes = _GEAR[piece]
    width = 1
    while width < WINDOW:
        wider = hashes.copy()
        wider[width:] += hashes[:-width] << np.uint32(width)
        hashes = wider
        width *= 2
    return hashes

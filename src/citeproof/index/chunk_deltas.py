"""From which older chunks a new one is best made: those at the same place of the same file.

A record that changes moves a few of its keys, which are spread over all of `keys.bin`: every chunk of it
changes, but only by some of its bytes. Such a chunk is sent as what differs from the older ones around it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from pathlib import PurePosixPath

import numpy as np
import zstandard

from citeproof.index.published_manifest import (
    MAX_BASES,
    PublishedChunk,
    PublishedFile,
    cut_numbers,
    make_base_dictionary,
)

LEVEL = 9  # level 19 saves an eighth and takes six times as long
SLACK = 1 << 17  # bytes before and behind that a chunk may also copy from
LARGE = 0.2  # of the chunk: a delta for which a difference of numbers may do better
WORTH = 0.9  # of the whole chunk: a delta that is hardly smaller is not kept


def pair_files(new: Sequence[PublishedFile], old: Sequence[PublishedFile]) -> dict[str, PublishedFile]:
    """Return for the path of each new file the older one it comes from.

    tantivy gives its files new names in each build; of one kind, the largest corresponds to the largest.
    """
    by_path = {file.path: file for file in old}
    pairs = {file.path: by_path[file.path] for file in new if file.path in by_path}
    taken = {file.path for file in pairs.values()}
    for suffix in sorted({PurePosixPath(file.path).suffix for file in new}):
        fresh = _list_by_size([file for file in new if file.path not in pairs], suffix)
        left = _list_by_size([file for file in old if file.path not in taken], suffix)
        pairs.update({one.path: other for one, other in zip(fresh, left, strict=False)})
    return pairs


def _list_by_size(files: Sequence[PublishedFile], suffix: str) -> list[PublishedFile]:
    chosen = [file for file in files if PurePosixPath(file.path).suffix == suffix]
    return sorted(chosen, key=lambda file: (-file.bytes, file.path))


def list_bases(new: PublishedFile, old: PublishedFile) -> list[tuple[tuple[PublishedChunk, ...], int]]:
    """Return for each chunk of a new file the older chunks around its place; none for one that is there.

    With them, where in the joined older chunks its own place in the file is; negative if it is before.

    Chunks that both have say where a place of the new file was in the old one.
    """
    starts, ends = _list_borders(old), list(accumulate(one.bytes for one in old.chunks))
    at = {one.sha256: start for one, start in zip(old.chunks, starts, strict=True)}
    known = [(0, 0)]
    for one, start in zip(new.chunks, _list_borders(new), strict=True):
        if one.sha256 in at and start > known[-1][0] and at[one.sha256] > known[-1][1]:
            known.append((start, at[one.sha256]))
    known.append((new.bytes, old.bytes))
    xs, ys = zip(*known, strict=True)
    found: list[tuple[tuple[PublishedChunk, ...], int]] = []
    for one, start in zip(new.chunks, _list_borders(new), strict=True):
        first, last = np.interp((start, start + one.bytes), xs, ys)
        low, high = bisect_right(ends, first - SLACK), bisect_left(starts, last + SLACK)
        bases = () if one.sha256 in at else old.chunks[low : min(high, low + MAX_BASES)]
        found.append((bases, start - starts[low] if bases else -1))
    return found


def _list_borders(file: PublishedFile) -> list[int]:
    return [0, *accumulate(one.bytes for one in file.chunks)][: len(file.chunks)]


def make_delta(data: bytes, bases: list[bytes]) -> bytes:
    """Return what makes `data` from older chunks."""
    compressor = zstandard.ZstdCompressor(
        level=LEVEL, dict_data=make_base_dictionary(bases), write_dict_id=False
    )
    return compressor.compress(data)


def make_difference(data: bytes, bases: list[bytes], skip: int) -> bytes:
    """Return what is added to the numbers of older chunks to make those of `data`."""
    numbers = np.frombuffer(data, "<u4") - cut_numbers(bases, skip, len(data))
    return zstandard.ZstdCompressor(level=LEVEL).compress(numbers.astype("<u4").tobytes())

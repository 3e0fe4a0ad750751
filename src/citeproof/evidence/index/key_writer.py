"""The files of the key table and of the links, written; what they are is said in `key_table`.

Keys are sorted through partition files, so memory stays bounded at any number of records.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from citeproof.evidence.index.growing_files import GrowingFiles
from citeproof.evidence.index.key_table import CAP, LINKS

U64 = npt.NDArray[np.uint64]
U32 = npt.NDArray[np.uint32]

PARTITION_BITS = 6
BUCKET = 24  # entries a bucket should hold
MAX_BUCKET_BITS = 26

PAIR = np.dtype([("key", "<u8"), ("ordinal", "<u4")])
MAX_RUN = 12  # records under one shared key; more is a mistake of the data, not one work


class KeyPartitions:
    """Pairs of key and ordinal on their way to being sorted, in files by the key's top bits."""

    def __init__(self, folder: Path, lengths: Sequence[int] = ()) -> None:
        """Begin in `folder`, or continue there with files of these lengths."""
        folder.mkdir(exist_ok=True)
        self.file = GrowingFiles(list_partition_files(folder), lengths, buffering=1 << 17)
        self.count = sum(lengths) // PAIR.itemsize

    def add(self, keys: U64, ordinals: U32) -> None:
        """Append pairs, in any order."""
        pairs = np.empty(len(keys), PAIR)
        pairs["key"], pairs["ordinal"] = keys, ordinals
        part = (keys >> np.uint64(64 - PARTITION_BITS)).astype(np.uint8)
        pairs = pairs[np.argsort(part, kind="stable")]
        ends = np.cumsum(np.bincount(part, minlength=1 << PARTITION_BITS))
        start = 0
        for file, end in zip(self.file.files, ends.tolist(), strict=True):
            file.write(pairs[start:end].tobytes())
            start = end
        self.count += len(keys)

    def sort_partitions(self) -> Iterator[tuple[U64, U32]]:
        """Yield each partition's keys and ordinals, sorted by key, then ordinal."""
        self.file.flush()
        for path in self.file.paths:
            pairs = np.fromfile(path, PAIR)
            yield sort_pairs(np.ascontiguousarray(pairs["key"]), np.ascontiguousarray(pairs["ordinal"]))

    def close(self) -> None:
        """Let go of the files."""
        self.file.close()


def list_partition_files(folder: Path) -> tuple[Path, ...]:
    """Return the files of the partitions in `folder`, in the order of their keys."""
    return tuple(folder / f"{number:02x}" for number in range(1 << PARTITION_BITS))


def sort_pairs(keys: U64, ordinals: U32) -> tuple[U64, U32]:
    """Return the pairs sorted by key, then ordinal.

    Two fast sorts that leave the order of equals open, instead of one that keeps it: a third of the
    time. The second sorts (number of the key's run, ordinal) as one 64-bit number.
    """
    order = np.argsort(keys)
    keys, ordinals = keys[order], ordinals[order]
    run = np.zeros(len(keys), np.uint64)
    run[find_run_starts(keys)[1:]] = 1
    both = np.cumsum(run, dtype=np.uint64) << np.uint64(32) | ordinals.astype(np.uint64)
    both.sort()
    return keys, (both & np.uint64(0xFFFF_FFFF)).astype(np.uint32)


def find_run_starts(keys: U64) -> npt.NDArray[np.intp]:
    """Return where each run of equal keys begins."""
    if not len(keys):
        return np.zeros(0, np.intp)
    return np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))


def _cap_pairs(keys: U64, ordinals: U32) -> tuple[U64, U32]:
    """Return the pairs without repeats and without those beyond the CAP-th of a key."""
    fresh = np.ones(len(keys), bool)
    fresh[1:] = (keys[1:] != keys[:-1]) | (ordinals[1:] != ordinals[:-1])
    keys, ordinals = keys[fresh], ordinals[fresh]
    starts = find_run_starts(keys)
    lengths = np.diff(np.append(starts, len(keys)))
    rank = np.arange(len(keys)) - np.repeat(starts, lengths)
    within = rank < CAP
    return keys[within], ordinals[within]


def write_keys(folder: Path, partitions: KeyPartitions) -> str:
    """Write the two files and return the SHA-256 of the buckets."""
    wanted = max(1, partitions.count // BUCKET).bit_length()
    bits = min(max(wanted, PARTITION_BITS), MAX_BUCKET_BITS)
    digest, at = hashlib.sha256(), 0
    with (folder / "keys.bin").open("wb") as data, (folder / "keys.dir").open("wb") as directory:
        for number, pairs in enumerate(partitions.sort_partitions()):
            keys, ordinals = _cap_pairs(*pairs)
            local = 1 << (bits - PARTITION_BITS)
            bucket = (keys >> np.uint64(64 - bits)).astype(np.int64) - number * local
            counts = np.bincount(bucket, minlength=local)
            starts = np.cumsum(counts) - counts
            directory.write((starts + at).astype("<u4").tobytes())
            payload = _fill_buckets(keys, ordinals, bits, starts[bucket], counts[bucket]).tobytes()
            digest.update(payload)
            data.write(payload)
            at += len(keys)
        directory.write(at.to_bytes(4, "little"))
    return digest.hexdigest()


def _fill_buckets(
    keys: U64, ordinals: U32, bits: int, start: npt.NDArray[np.intp], count: npt.NDArray[np.intp]
) -> npt.NDArray[np.uint32]:
    """Return the payload: for each bucket its remainders, then its ordinals."""
    rank = np.arange(len(keys)) - start
    payload = np.empty(2 * len(keys), "<u4")
    remainders = (keys >> np.uint64(32 - bits)) & np.uint64(0xFFFF_FFFF)
    payload[2 * start + rank] = remainders.astype(np.uint32)
    payload[2 * start + count + rank] = ordinals
    return payload


class WorkUnion:
    """Sets that grow together; each is known by its lowest member."""

    def __init__(self) -> None:
        self.parent: dict[int, int] = {}

    def root(self, item: int) -> int:
        top = item
        while (above := self.parent.setdefault(top, top)) != top:
            top = above
        while (above := self.parent[item]) != top:
            self.parent[item], item = top, above
        return top

    def join(self, a: int, b: int) -> None:
        low, high = sorted((self.root(a), self.root(b)))
        self.parent[high] = low


def write_links(folder: Path, works: KeyPartitions) -> int:
    """Write the links and return how many records they save: records less works."""
    union = WorkUnion()
    for keys, ordinals in works.sort_partitions():
        starts = np.append(find_run_starts(keys), len(keys))
        long = np.flatnonzero(np.diff(starts) > 1)
        for start, end in zip(starts[long].tolist(), starts[long + 1].tolist(), strict=True):
            run: list[int] = np.unique(ordinals[start:end]).tolist()
            for a, b in pairwise(run) if len(run) <= MAX_RUN else ():
                union.join(a, b)
    members = np.array(sorted(union.parent), "<u4")
    roots = np.array([union.root(int(member)) for member in members], "<u4")
    order = np.argsort(roots, kind="stable")
    (folder / LINKS).write_bytes(
        b"".join(a.tobytes() for a in (members, roots, roots[order], members[order]))
    )
    return len(members) - len(np.unique(roots))

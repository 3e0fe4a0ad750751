"""The shards that a merge is made of: records and keys stay in them until the step that wants them.

    sources.json   where each shard is, and where its runs of records begin in it and in the whole

So nothing is written twice, and steps that do not wait for each other gather at the same time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

import msgspec
import numpy as np

from citeproof.disk_files import PERMISSIONS, replace_durably
from citeproof.errors import SnapshotError
from citeproof.index import key_table
from citeproof.index.key_table import PAIR, U32, U64
from citeproof.index.record_blocks import Spool, SpoolReader, SpoolState
from citeproof.typed_decoding import decode_json

FILE = "sources.json"


class ShardSource(msgspec.Struct, frozen=True):
    """One shard: its runs of records in the order it has them, and the sizes of its files."""

    folder: str
    starts: tuple[int, ...]
    places: tuple[int, ...]
    lengths: tuple[int, ...]  # records of each run
    spools: dict[str, SpoolState]
    sizes: dict[str, int]

    def locate(self, name: str) -> Path:
        """Return the path of a file of the shard; raise if it is not what it was."""
        path = Path(self.folder, name)
        if path.stat().st_size != self.sizes.get(name, 0):
            hint = "copy the shard again, or build it again"
            raise SnapshotError("has another size than when the shard was built", place=str(path), hint=hint)
        return path


def write_sources(folder: Path, shards: Sequence[ShardSource]) -> None:
    """Write down, in the workspace `folder`, what is merged there."""
    replace_durably(folder / FILE, msgspec.json.encode(shards), PERMISSIONS)


def load_sources(folder: Path) -> list[ShardSource]:
    """Return what is merged in the workspace `folder`; nothing if it is a build of files."""
    try:
        return decode_json((folder / FILE).read_bytes(), type=list[ShardSource])
    except FileNotFoundError:
        return []


def gather_records(shards: Sequence[ShardSource], name: str, target: Path) -> Spool:
    """Return the records of all shards in one spool, in the order of the whole."""
    with ExitStack() as opened:
        readers = [
            opened.enter_context(closing(SpoolReader(shard.locate(name), shard.spools[name])))
            for shard in shards
        ]
        runs = sorted(
            (place, number, count)
            for number, shard in enumerate(shards)
            for place, count in zip(shard.places, shard.lengths, strict=True)
        )
        made = Spool(target)
        with ExitStack() as failing:
            failing.callback(made.close)
            for _, number, count in runs:
                readers[number].move(count, made)
            failing.pop_all()
    return made


class ShardPairs:
    """Pairs of key and ordinal of all shards, sorted as those of one build would be."""

    def __init__(self, shards: Sequence[ShardSource], name: str) -> None:
        self._shards = shards
        self._names = [path.as_posix() for path in key_table.list_partition_files(Path(name))]
        size = sum(shard.sizes.get(name, 0) for shard in shards for name in self._names)
        self.count = size // PAIR.itemsize

    def sort_partitions(self) -> Iterator[tuple[U64, U32]]:
        """Yield each partition's keys and ordinals, sorted by key, then ordinal."""
        for name in self._names:
            parts = [_read_shifted(shard, name) for shard in self._shards]
            keys = np.concatenate([keys for keys, _ in parts])
            yield key_table.sort_pairs(keys, np.concatenate([ordinals for _, ordinals in parts]))

    def close(self) -> None: ...


def _read_shifted(shard: ShardSource, name: str) -> tuple[U64, U32]:
    """Return the pairs of one file, with the ordinals of the whole."""
    pairs = np.fromfile(shard.locate(name), PAIR)
    ordinals = np.ascontiguousarray(pairs["ordinal"])
    starts = np.array(shard.starts or (0,), np.uint32)
    shift = np.array(shard.places or (0,), np.uint32) - starts  # never below zero: others only come between
    ordinals += shift[starts.searchsorted(ordinals, side="right") - 1]
    return np.ascontiguousarray(pairs["key"]), ordinals

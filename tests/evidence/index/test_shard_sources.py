"""What a shard takes of its input, and what a merge takes of its shards."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from citeproof.errors import SnapshotError
from citeproof.evidence.index.build_steps import (
    ShardPairs,
    ShardSource,
    gather_records,
    load_sources,
    write_sources,
)
from citeproof.evidence.index.key_table import KeyPartitions, list_partition_files
from citeproof.evidence.index.readers.base import ShardShare, ShareBookmark
from citeproof.evidence.index.record_blocks import Spool


def walk_pieces(at: ShareBookmark, sizes: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the items of all pieces, as a reader does whose files begin while it is read."""
    for number, size in enumerate(sizes, 1):
        if at.opens():
            for item in range(1, size + 1):
                yield number, item


@pytest.mark.parametrize("seed", range(8))
def test_all_shares_together_take_every_item_once_in_its_unit(seed: int) -> None:
    rng = random.Random(seed)
    sizes = [rng.randrange(40) for _ in range(rng.randrange(1, 9))]
    count, stretch, whole = rng.randrange(1, 4), rng.choice((1, 3, 8)), bool(seed % 2)
    pieces, items = rng.randrange(1, len(sizes) + 1), rng.randrange(20)
    taken: list[tuple[int, int]] = []
    for number in range(count):
        at = ShareBookmark(pieces, items, ShardShare(number, count, stretch), whole=whole)
        for item in at.list_rest(walk_pieces(at, sizes)):
            assert at.unit == (item[0], (item[1] - 1) // stretch)
            assert (item[0] if whole else at.unit[1]) % count == number
            taken.append(item)
    every = [(piece, item) for piece, size in enumerate(sizes, 1) for item in range(1, size + 1)]
    assert sorted(taken) == [one for one in every if one[0] > pieces or (one[0] == pieces and one[1] > items)]


def make_shards(home: Path, records: list[bytes], runs: list[int]) -> list[ShardSource]:
    """Return two shards that take runs of the records by turns, each with some keys of every record."""
    places = [sum(runs[:at]) for at in range(len(runs))]
    shards = []
    for number in range(2):
        folder = home / f"{number}"
        folder.mkdir(parents=True)
        spool, keys = Spool(folder / "spool"), KeyPartitions(folder / "partitions")
        own = [(place, run) for place, run in zip(places, runs, strict=True)][number::2]
        starts = [sum(run for _, run in own[:at]) for at in range(len(own))]
        for (place, run), start in zip(own, starts, strict=True):
            for record in records[place : place + run]:
                spool.add(record)
            ordinals = np.arange(run, dtype=np.uint32)
            keys.add(make_keys(ordinals + np.uint32(place)), ordinals + np.uint32(start))
        state = spool.state()
        spool.close()
        keys.close()
        files = [folder / "spool", *list_partition_files(folder / "partitions")]
        sizes = {path.relative_to(folder).as_posix(): path.stat().st_size for path in files}
        lengths = tuple(run for _, run in own)
        at = tuple(place for place, _ in own)
        shards.append(ShardSource(str(folder), tuple(starts), at, lengths, {"spool": state}, sizes))
    return shards


def make_keys(ordinals: np.ndarray) -> np.ndarray:
    return (ordinals.astype(np.uint64) // np.uint64(3)) * np.uint64(0x9E37_79B9_7F4A_7C15)


@pytest.mark.parametrize("runs", [[16, 8, 24], [5, 11, 7, 2, 40], [3]])
def test_shards_give_what_one_build_had(runs: list[int], tmp_path: Path) -> None:
    records = [b"record %d" % number for number in range(sum(runs))]
    shards = make_shards(tmp_path, records, runs)
    write_sources(tmp_path, shards)
    assert load_sources(tmp_path) == shards
    assert load_sources(tmp_path / "0") == []
    whole, keys = Spool(tmp_path / "whole"), KeyPartitions(tmp_path / "keys")
    for record in records:
        whole.add(record)
    ordinals = np.arange(len(records), dtype=np.uint32)
    keys.add(make_keys(ordinals), ordinals)
    made = gather_records(shards, "spool", tmp_path / "made")
    assert (list(made.blocks()), made.samples()) == (list(whole.blocks()), whole.samples())
    pairs = ShardPairs(shards, "partitions")
    assert pairs.count == keys.count == len(records)
    for ours, theirs in zip(pairs.sort_partitions(), keys.sort_partitions(), strict=True):
        assert [part.tolist() for part in ours] == [part.tolist() for part in theirs]
    for one in (made, whole, keys):
        one.close()


def test_a_shard_that_was_cut_meanwhile_is_told(tmp_path: Path) -> None:
    shards = make_shards(tmp_path, [b"record"] * 30, [10, 20])
    path = tmp_path / "1/spool"
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(SnapshotError, match="another size"):
        gather_records(shards, "spool", tmp_path / "made")

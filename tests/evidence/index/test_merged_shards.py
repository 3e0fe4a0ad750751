"""A snapshot of version 0.2, which several processes built: its full text has the segments of each."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import msgspec
import pytest

from citeproof.evidence.index import manifest, segment_ordinals
from citeproof.evidence.index.build import BuildInput, build
from citeproof.evidence.index.manifest import check_snapshot
from citeproof.evidence.index.snapshot import Snapshot
from tests.evidence.index.dumps import MAKERS


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("whole") / "out"
    build([BuildInput("works", MAKERS["works"](out.parent, 700))], out, name="x")
    return out


def list_answers(folder: Path) -> list[object]:
    """Return what is found by titles, damaged ones and years, of every tenth record."""
    answers: list[object] = []
    with Snapshot.open(folder) as snapshot:
        for at in range(0, snapshot.manifest.records, 10):
            record = snapshot.record_at(at)
            words = record.title.split()
            queries = (record.title, " ".join(words[1:]), " ".join(word[1:] for word in words))
            answers += [
                [(c.record.id, round(c.score, 6)) for c in snapshot.search(query)] for query in queries
            ]
    return answers


def test_a_snapshot_of_merged_shards_is_still_read(whole, tmp_path):
    """Version 0.2 wrote such ones: the segments of a shard count from 0, its runs say where they belong."""
    folder = shutil.copytree(whole, tmp_path / "parted")
    text = folder / "text"
    segments = tuple(segment_ordinals.list_segments(text))
    shards = [segment_ordinals.ShardText(segments, (0,), (0,))]
    (text / segment_ordinals.FILE).write_bytes(msgspec.json.encode(shards))
    made = json.loads((folder / manifest.FILE).read_bytes())
    fact = manifest.make_file_fact(text / segment_ordinals.FILE)
    made["files"][f"text/{segment_ordinals.FILE}"] = {"bytes": fact.bytes, "sha256": fact.sha256}
    (folder / manifest.FILE).write_text(json.dumps(made | {"format": manifest.PARTED}), encoding="utf-8")
    assert check_snapshot(folder) == ()
    assert list_answers(folder) == list_answers(whole)

"""Several processes build what one does; shares of an input are taken by turns."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from citeproof.errors import SnapshotError
from citeproof.evidence.index import manifest, segment_ordinals
from citeproof.evidence.index.build import BuildInput, BuildProgress, build
from citeproof.evidence.index.coverage import parse_claim
from citeproof.evidence.index.manifest import Manifest, check_snapshot
from citeproof.evidence.index.readers.base import InputShare, StretchBookmark
from citeproof.evidence.index.snapshot import Snapshot
from citeproof.surfaces.cli.main import cli
from tests.evidence.index.dumps import MAKERS

EVERY = 100
COVERS = (parse_claim("prefix:10.1103"),)


class StopError(Exception):
    """Ends a build like a crash would."""


def walk_pieces(at: StretchBookmark, sizes: list[int]) -> Iterator[tuple[int, int]]:
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
        paths = [Path("dump.tar")] if whole else []
        at = StretchBookmark(pieces, items, InputShare(number, count), stretch, paths)
        for item in at.list_rest(walk_pieces(at, sizes)):
            assert at.unit == (item[0], (item[1] - 1) // stretch)
            assert (item[0] if whole else at.unit[1]) % count == number
            taken.append(item)
    every = [(piece, item) for piece, size in enumerate(sizes, 1) for item in range(1, size + 1)]
    assert sorted(taken) == [one for one in every if one[0] > pieces or (one[0] == pieces and one[1] > items)]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory) -> list[BuildInput]:
    folder = tmp_path_factory.mktemp("dumps")
    works = MAKERS["works"](folder, 700)
    bad = folder / "bad.jsonl"
    bad.write_text('{"t": 1}\n{"t": "A title that is good enough"}\nnot JSON\n', encoding="utf-8")
    return [
        BuildInput("works", (*works, bad), licence="CC0"),
        BuildInput("crossref", MAKERS["crossref"](folder, 120)),
        BuildInput("bibtex", MAKERS["bibtex"](folder, 30)),
    ]


@pytest.fixture(scope="module")
def whole(inputs, tmp_path_factory) -> tuple[Manifest, Path]:
    out = tmp_path_factory.mktemp("whole") / "out"
    return build(inputs, out, covers=COVERS, name="x"), out


def assert_equal(made: Manifest, out: Path, whole: tuple[Manifest, Path]) -> None:
    def ours(manifest: Manifest) -> dict[str, object]:
        return {name: fact for name, fact in manifest.files.items() if not name.startswith("text/")}

    assert check_snapshot(out) == ()
    assert made.id == whole[0].id
    assert ours(made) == ours(whole[0])
    assert (made.records, made.works, made.bad) == (whole[0].records, whole[0].works, whole[0].bad)
    assert made.bad_records == whole[0].bad_records
    assert made.sources == whole[0].sources


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


@pytest.mark.parametrize("every", [EVERY, 500_000])
def test_several_processes_build_the_same(every, inputs, whole, tmp_path):
    told: list[BuildProgress] = []
    made = build(
        inputs, tmp_path / "out", covers=COVERS, name="x", processes=3, every=every, progress=told.append
    )
    assert_equal(made, tmp_path / "out", whole)
    assert list_answers(tmp_path / "out") == list_answers(whole[1])
    assert {"read", "text", "store", "seal"} <= {progress.step for progress in told}


@pytest.mark.parametrize("before", [1, 2])
def test_a_stopped_build_continues_with_another_number_of_processes(before, inputs, whole, tmp_path):
    def stop(progress: BuildProgress) -> None:
        if progress.records > 450:
            raise StopError

    def run(processes: int, tell) -> Manifest:
        out = tmp_path / "out"
        return build(inputs, out, covers=COVERS, name="x", processes=processes, every=EVERY, progress=tell)

    with pytest.raises(StopError):
        run(before, stop)
    told: list[BuildProgress] = []
    made = run(3 - before, told.append)
    assert "going on after" in told[0].note
    assert_equal(made, tmp_path / "out", whole)


def test_what_a_process_cannot_read_is_an_error_here(tmp_path):
    path = tmp_path / "works.jsonl.gz"
    path.write_bytes(b"no gzip")
    with pytest.raises(Exception, match="is damaged") as single:
        build([BuildInput("works", (path,))], tmp_path / "one")
    with pytest.raises(type(single.value), match="is damaged") as several:
        build([BuildInput("works", (path,))], tmp_path / "many", processes=2)
    assert (several.value.place, several.value.hint) == (single.value.place, single.value.hint)


def test_a_snapshot_of_merged_shards_is_still_read(whole, tmp_path):
    """Version 0.2 wrote such ones: the segments of a shard count from 0, its runs say where they belong."""
    folder = shutil.copytree(whole[1], tmp_path / "parted")
    text = folder / "text"
    segments = tuple(segment_ordinals.list_segments(text))
    shards = [segment_ordinals.ShardText(segments, (0,), (0,))]
    (text / segment_ordinals.FILE).write_bytes(msgspec.json.encode(shards))
    made = json.loads((folder / manifest.FILE).read_bytes())
    fact = manifest.make_file_fact(text / segment_ordinals.FILE)
    made["files"][f"text/{segment_ordinals.FILE}"] = {"bytes": fact.bytes, "sha256": fact.sha256}
    (folder / manifest.FILE).write_text(json.dumps(made | {"format": manifest.PARTED}), encoding="utf-8")
    assert check_snapshot(folder) == ()
    assert list_answers(folder) == list_answers(whole[1])


def run_once_free(command):
    """Run a build as soon as the processes of the one before, whose parent was killed, are gone."""
    deadline = time.monotonic() + 60
    while True:
        try:
            return cli.main(command, standalone_mode=False)
        except SnapshotError as error:
            if "another build is running" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.1)


@pytest.mark.slow
def test_processes_that_are_killed_are_continued(tmp_path):
    paths = MAKERS["works"](tmp_path, 6000)
    out = tmp_path / "out"
    command = ["index", "build", "--from", "works", *map(str, paths), "--out", str(out), "--processes", "2"]
    code = "import sys; from citeproof.surfaces.cli.main import cli; cli(sys.argv[1:])"  # as `citeproof` does
    with subprocess.Popen([sys.executable, "-c", code, *command], start_new_session=True) as child:
        deadline = time.monotonic() + 120
        while child.poll() is None and time.monotonic() < deadline:
            if (out.with_name("out.building") / "partitions").is_dir():
                break
            time.sleep(0.02)
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
    if not out.exists():  # it may have been quicker than we are
        assert run_once_free(command) in (None, 0)
    made = build([BuildInput("works", paths)], tmp_path / "whole")
    with Snapshot.open(out) as snapshot:
        assert snapshot.id == made.id

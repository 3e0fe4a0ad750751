"""Shards: built apart and merged, they give what a build in one go gives."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from citeproof.errors import SnapshotError
from citeproof.evidence.index.build import BuildInput, BuildOrder, BuildProgress, build
from citeproof.evidence.index.coverage import parse_claim
from citeproof.evidence.index.manifest import Manifest, check_snapshot
from citeproof.evidence.index.readers.base import ShardShare
from citeproof.evidence.index.shard_merge import build_shard, merge_shards
from citeproof.evidence.index.sharded_build import build_in_processes, name_shards_folder
from citeproof.evidence.index.snapshot import Snapshot
from citeproof.surfaces.cli.main import cli
from tests.evidence.index.dumps import MAKERS
from tests.soak import FULL

pytestmark = pytest.mark.slow

STRETCH = 100
COVERS = (parse_claim("prefix:10.1103"),)


class StopError(Exception):
    """Ends a build like a crash would."""


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


@pytest.fixture(scope="module")
def shards(inputs, tmp_path_factory) -> list[Path]:
    home = tmp_path_factory.mktemp("shards")
    for number in range(3):
        share = ShardShare(number, 3, STRETCH)
        build_shard(BuildOrder(inputs, home / f"{number}", COVERS, "x", every=250), share)
    return [home / f"{number}" for number in (2, 0, 1)]


def ours(made: Manifest) -> dict[str, object]:
    return {name: fact for name, fact in made.files.items() if not name.startswith("text/")}


def list_answers(folder: Path) -> list[object]:
    """Return what is found by titles, damaged ones and citations: of every fifth record, or all in a soak."""
    answers: list[object] = []
    with Snapshot.open(folder) as snapshot:
        for at in range(0, snapshot.manifest.records, 1 if FULL else 5):
            record = snapshot.record_at(at)
            words = record.title.split()
            queries = (record.title, " ".join(words[1:]), " ".join(word[1:] for word in words))
            answers += [[(c.record, round(c.score, 6)) for c in snapshot.search(query)] for query in queries]
            year = next((v.year for v in record.versions if v.year), 2000)
            answers.append(snapshot.by_author_year(record.authors[:2], year))
    return answers


def assert_equal(made: Manifest, out: Path, whole: tuple[Manifest, Path]) -> None:
    assert check_snapshot(out) == ()
    assert made.id == whole[0].id
    assert ours(made) == ours(whole[0])
    assert (made.records, made.works, made.bad) == (whole[0].records, whole[0].works, whole[0].bad)
    assert made.bad_records == whole[0].bad_records
    assert made.sources == whole[0].sources


def test_merged_shards_are_the_build_in_one_go(shards, whole, tmp_path):
    made = merge_shards(shards, tmp_path / "out")
    assert_equal(made, tmp_path / "out", whole)
    assert list_answers(tmp_path / "out") == list_answers(whole[1])


def test_several_processes_build_the_same(inputs, whole, tmp_path):
    told: list[BuildProgress] = []
    made = build_in_processes(
        BuildOrder(inputs, tmp_path / "out", COVERS, "x"), 2, told.append, stretch=STRETCH
    )
    assert_equal(made, tmp_path / "out", whole)
    assert not name_shards_folder(tmp_path / "out").exists()
    assert {"read", "merge", "seal"} <= {progress.step for progress in told}


@pytest.mark.parametrize("step", ["merge", "store", "seal"])
def test_a_stopped_merge_continues(step, shards, whole, tmp_path):
    def stop(progress: BuildProgress) -> None:
        if progress.step == step and (step != "merge" or progress.records > 0):
            raise StopError

    with pytest.raises(StopError):
        merge_shards(shards, tmp_path / "out", progress=stop)
    made = merge_shards(shards, tmp_path / "out")
    assert_equal(made, tmp_path / "out", whole)


def test_a_stopped_shard_continues(inputs, shards, whole, tmp_path):
    def stop(progress: BuildProgress) -> None:
        if progress.step == "seal":
            raise StopError

    share, out = ShardShare(1, 3, STRETCH), tmp_path / "shard"
    with pytest.raises(StopError):
        build_shard(BuildOrder(inputs, out, COVERS, "x", every=100), share, stop)
    told: list[BuildProgress] = []
    build_shard(BuildOrder(inputs, out, COVERS, "x", every=100), share, told.append)
    assert "going on after" in told[0].note
    made = merge_shards([*shards[:2], out], tmp_path / "out")
    assert_equal(made, tmp_path / "out", whole)


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
            if list(name_shards_folder(out).glob("*.count")):
                break
            time.sleep(0.02)
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
    if not out.exists():  # it may have been quicker than we are
        assert run_once_free(command) in (None, 0)
    made = build([BuildInput("works", paths)], tmp_path / "whole")
    with Snapshot.open(out) as snapshot:
        assert snapshot.id == made.id

"""Builds that were stopped: the same build goes on and gives the same snapshot, another starts anew."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from citeproof.errors import InputError, SnapshotError
from citeproof.evidence.index import build_checkpoint
from citeproof.evidence.index.build import BuildInput, BuildProgress, build, count_stopped_records
from citeproof.evidence.index.coverage import parse_claim
from citeproof.evidence.index.manifest import Manifest, check_snapshot
from citeproof.evidence.index.snapshot import Snapshot
from citeproof.surfaces.cli.main import cli
from tests.evidence.index.dumps import MAKERS
from tests.soak import choose_cases

pytestmark = pytest.mark.slow

COUNT = 2100  # works in each of two files: enough for three words of progress while reading
EVERY = 900


class StopError(Exception):
    """Ends a build like a crash would."""


@pytest.fixture(scope="module")
def inputs(tmp_path_factory) -> list[BuildInput]:
    """Works in two files, a tar of many members, and a BibTeX file."""
    folder = tmp_path_factory.mktemp("dumps")
    return [
        BuildInput("works", MAKERS["works"](folder, COUNT), licence="CC0"),
        BuildInput("crossref", MAKERS["crossref"](folder, 400)),
        BuildInput("bibtex", MAKERS["bibtex"](folder, 50)),
    ]


@pytest.fixture(scope="module")
def undisturbed(inputs, tmp_path_factory) -> Manifest:
    return build(inputs, tmp_path_factory.mktemp("whole") / "out", every=10**9)


def stop_at(step: str, records: int = 0) -> Callable[[BuildProgress], None]:
    def tell(progress: BuildProgress) -> None:
        if progress.step == step and progress.records >= records:
            raise StopError

    return tell


def stopped_build(
    inputs: list[BuildInput], out: Path, step: str = "read", records: int = 4000, **more
) -> Path:
    """Return the workspace that a build left when it was stopped."""
    with pytest.raises(StopError):
        build(inputs, out, progress=stop_at(step, records), every=EVERY, **more)
    return out.with_name("out.building")


def notes(inputs: list[BuildInput], out: Path, **more) -> tuple[Manifest, list[str]]:
    told: list[BuildProgress] = []
    made = build(inputs, out, progress=told.append, every=EVERY, **more)
    assert check_snapshot(out) == ()
    assert not out.with_name("out.building").exists()
    return made, [progress.note for progress in told if progress.note]


def ours(made: Manifest) -> dict[str, object]:
    return {name: fact for name, fact in made.files.items() if not name.startswith("text/")}


def assert_same(made: Manifest, whole: Manifest) -> None:
    assert made.id == whole.id
    assert ours(made) == ours(whole)
    assert (made.records, made.works, made.bad) == (whole.records, whole.works, whole.bad)
    assert made.bad_records == whole.bad_records
    assert made.sources == whole.sources


STOPS = [
    ("read", 2048),
    ("read", 4000),
    *((step, 0) for step in ("text", "store", "keys", "links", "facts", "seal")),
]


@pytest.mark.parametrize(("step", "records"), STOPS)
def test_it_goes_on_where_it_stopped(step, records, inputs, undisturbed, tmp_path):
    out = tmp_path / "out"
    stopped_build(inputs, out, step, records)
    assert not out.exists()
    reached = count_stopped_records(out)
    assert (
        reached == undisturbed.records if step != "read" else records - EVERY - 10 < reached <= records + 100
    )
    made, said = notes(inputs, out)
    assert said == [f"going on after {reached:,} records of a build that was stopped"]
    assert_same(made, undisturbed)
    with Snapshot.open(out) as snapshot:
        for n in (0, 17, COUNT, made.records - 1):
            record = snapshot.record_at(n)
            assert record.id in [found.id for found in snapshot.by_title(record.title)]
            assert snapshot.search(record.title)


def test_it_may_be_stopped_again_and_again(inputs, undisturbed, tmp_path):
    out = tmp_path / "out"
    for step, records in STOPS:
        stopped_build(inputs, out, step, records)
    assert_same(notes(inputs, out)[0], undisturbed)


def test_full_text_holds_each_record_once(inputs, undisturbed, tmp_path):
    out = tmp_path / "out"
    stopped_build(inputs, out, records=2048)
    stopped_build(inputs, out, records=4000)
    build(inputs, out, every=EVERY)
    segments = json.loads((out / "text" / "meta.json").read_text())["segments"]
    assert sum(segment["max_doc"] for segment in segments) == undisturbed.records
    names = {path.name.partition(".")[0] for path in (out / "text").iterdir()} - {"", "meta", "runs"}
    assert names == {segment["segment_id"].replace("-", "") for segment in segments}


def test_a_checkpoint_whose_words_were_not_committed_does_not_count(inputs, undisturbed, tmp_path):
    """As when the build was killed between the two: the checkpoint before it counts."""
    out = tmp_path / "out"
    space = stopped_build(inputs, out, records=2048)
    early = count_stopped_records(out)
    shutil.copytree(space / "snapshot", tmp_path / "early")
    ledger = build_checkpoint.BuildLedger(space, build_checkpoint.load_state(space))
    stopped_build(inputs, out, records=4000)
    late = build_checkpoint.load_state(space)
    ledger.advance(late.now)
    shutil.rmtree(space / "snapshot")
    (tmp_path / "early").rename(space / "snapshot")
    made, said = notes(inputs, out)
    assert said == [f"going on after {early:,} records of a build that was stopped"]
    assert early < late.now.records
    assert_same(made, undisturbed)


OTHERS = {
    "claims": {"covers": [parse_claim("book")]},
    "name": {"name": "other"},
}


@pytest.mark.parametrize("what", OTHERS)
def test_another_build_starts_anew(what, inputs, undisturbed, tmp_path):
    stopped_build(inputs, tmp_path / "out")
    made, said = notes(inputs, tmp_path / "out", **OTHERS[what])
    assert said == [
        "removed out.building, left by a build that was stopped: it was of other files, claims or settings"
    ]
    assert ours(made) == ours(undisturbed)


def test_changed_input_starts_anew(inputs, tmp_path):
    bib = tmp_path / "c.bib"
    bib.write_text("@article{k, title={On growth and form}}")
    with_bib = [*inputs, BuildInput("bibtex", (bib,))]
    stopped_build(with_bib, tmp_path / "out")
    bib.write_text("@article{k, title={On growth or form}}")
    made, said = notes(with_bib, tmp_path / "out")
    assert len(said) == 1
    assert "it was of other files" in said[0]
    with Snapshot.open(tmp_path / "out") as snapshot:
        assert snapshot.record_at(made.records - 1).title == "On growth or form"


def test_a_touched_input_goes_on(inputs, undisturbed, tmp_path):
    stopped_build(inputs, tmp_path / "out")
    inputs[2].paths[0].touch()
    made, said = notes(inputs, tmp_path / "out")
    assert said[0].startswith("going on after")
    assert_same(made, undisturbed)


def test_fresh_starts_anew(inputs, undisturbed, tmp_path):
    stopped_build(inputs, tmp_path / "out")
    made, said = notes(inputs, tmp_path / "out", fresh=True)
    assert said == ["removed out.building, left by a build that was stopped: as --fresh asks"]
    assert_same(made, undisturbed)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


DAMAGES = {
    "progress cut": lambda space: cut(space / "progress.json"),
    "progress empty": lambda space: (space / "progress.json").write_bytes(b""),
    "progress flipped": lambda space: (space / "progress.json").write_bytes(
        (space / "progress.json").read_bytes().replace(b'"records":3', b'"records":2', 1)
    ),
    "progress of another shape": lambda space: (space / "progress.json").write_text('{"sha256": 1}'),
    "progress binary": lambda space: (space / "progress.json").write_bytes(b'\xff\xfe{"'),
    "no progress": lambda space: (space / "progress.json").unlink(),
    "no plan": lambda space: (space / "plan.json").unlink(),
    "plan damaged": lambda space: cut(space / "plan.json"),
    "spool cut": lambda space: cut(space / "spool"),
    "partition gone": lambda space: (space / "partitions" / "2a").unlink(),
    "tally cut": lambda space: cut(space / "tally" / "venues"),
    "no words": lambda space: shutil.rmtree(space / "snapshot"),
    "words damaged": lambda space: cut(space / "snapshot" / "text" / "meta.json"),
}


@pytest.mark.parametrize("damage", choose_cases(DAMAGES, 4))
def test_a_damaged_leftover_starts_anew(damage, inputs, undisturbed, tmp_path):
    DAMAGES[damage](stopped_build(inputs, tmp_path / "out"))
    made, said = notes(inputs, tmp_path / "out")
    assert len(said) == 1
    assert said[0].startswith("removed out.building, left by a build that was stopped: ")
    assert_same(made, undisturbed)


def test_a_step_whose_files_are_gone_starts_anew(inputs, undisturbed, tmp_path):
    (stopped_build(inputs, tmp_path / "out", "links", 0) / "snapshot" / "keys.bin").unlink()
    made, said = notes(inputs, tmp_path / "out")
    assert "its files are damaged" in said[0]
    assert_same(made, undisturbed)


def test_an_input_that_is_gone_costs_nothing(inputs, undisturbed, tmp_path):
    stopped_build(inputs, tmp_path / "out")
    reached = count_stopped_records(tmp_path / "out")
    with pytest.raises(InputError, match="No such file"):
        build([*inputs, BuildInput("works", (tmp_path / "gone",))], tmp_path / "out")
    assert count_stopped_records(tmp_path / "out") == reached
    assert_same(notes(inputs, tmp_path / "out")[0], undisturbed)


def test_input_that_is_damaged_further_on_leaves_nothing(inputs, tmp_path):
    broken = tmp_path / "broken.jsonl.gz"
    broken.write_bytes(inputs[0].paths[1].read_bytes()[:-9])
    with pytest.raises(InputError, match="is damaged"):
        build([inputs[2], BuildInput("works", (broken,))], tmp_path / "out", every=EVERY)
    assert [path.name for path in tmp_path.iterdir()] == ["broken.jsonl.gz"]


def test_two_builds_of_one_folder(inputs, tmp_path):
    def meanwhile(progress: BuildProgress) -> None:
        with pytest.raises(SnapshotError, match="another build is running here"):
            build(inputs, tmp_path / "out")

    assert build(inputs[2:], tmp_path / "out", progress=meanwhile).records


def test_nobody_stopped_here(tmp_path):
    assert count_stopped_records(tmp_path / "out") == 0


def run_once_free(command):
    """Run a build as soon as the one before, which was killed, is gone."""
    deadline = time.monotonic() + 60
    while True:
        try:
            return cli.main(command, standalone_mode=False)
        except SnapshotError as error:
            if "another build is running" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def test_a_build_that_is_killed_is_continued(tmp_path):
    paths = MAKERS["works"](tmp_path, 6000)
    out = tmp_path / "out"
    command = ["index", "build", "--from", "works", *map(str, paths), "--out", str(out)]
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

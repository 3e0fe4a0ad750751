"""Builds that are killed, interrupted or out of disk: no half snapshot, and the next run goes on."""

from __future__ import annotations

import json
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from citeproof.errors import SnapshotError
from citeproof.evidence.index import build_checkpoint
from citeproof.evidence.index.build import BuildInput, build
from citeproof.evidence.index.manifest import Manifest, check_snapshot, load
from tests.evidence.index.dumps import MAKERS
from tests.soak import choose_cases

pytestmark = pytest.mark.slow

EVERY = 3000  # items between two checkpoints
BUILD = """
import sys
from pathlib import Path
from citeproof.errors import CiteproofError
from citeproof.evidence.index.build import BuildInput, build
out, every, *groups = sys.argv[1:]
pairs = zip(groups[::2], groups[1::2])
inputs = [BuildInput(reader, tuple(map(Path, of.split(",")))) for reader, of in pairs]
try:
    build(inputs, Path(out), every=int(every), progress=lambda p: p.note and print(p.note))
except CiteproofError as error:
    print(error)
    sys.exit(2)
"""


@pytest.fixture(scope="module")
def works(tmp_path_factory) -> Path:
    """Works enough for a build of a second or more."""
    path = tmp_path_factory.mktemp("works") / "works.jsonl"
    with path.open("w") as file:
        for n in range(30_000):
            title = f"Spectral methods {n} for partial problem {n * 7} in applied mathematics {n % 13}"
            file.write(
                json.dumps({"t": title, "a": [f"Ann Author{n}", "Bo Other"], "p": [[2000, "J"]]}) + "\n"
            )
    return path


@pytest.fixture(scope="module")
def undisturbed(works, tmp_path_factory) -> Manifest:
    return build([BuildInput("works", (works,))], tmp_path_factory.mktemp("whole") / "out", every=10**9)


def started(inputs: list[BuildInput], out: Path, every: int = EVERY, **more) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", BUILD, str(out), str(every)]
    for source in inputs:
        command += [source.reader, ",".join(map(str, source.paths))]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, **more)


def wait_until_at_work(process: subprocess.Popen[str], out: Path, records: int = 0) -> None:
    """Wait until the build has stored something, and written that it has `records` at least."""
    space = out.with_name("out.building")
    while not (space / "partitions" / "00").exists() or written(space) < records:
        assert process.poll() is None, "the build ended before it could be stopped"
        time.sleep(0.005)


def written(space: Path) -> int:
    stand = build_checkpoint.load_state(space)
    return stand.now.records if stand else 0


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def ours(made: Manifest) -> dict[str, object]:
    return {name: fact for name, fact in made.files.items() if not name.startswith("text/")}


def assert_same(made: Manifest, whole: Manifest, out: Path) -> None:
    assert (made.id, made.sources, made.bad_records) == (whole.id, whole.sources, whole.bad_records)
    assert ours(made) == ours(whole)
    assert check_snapshot(out) == ()
    assert names(out.parent) == ["out"]


def test_killed(works, undisturbed, tmp_path):
    out = tmp_path / "out"
    process = started([BuildInput("works", (works,))], out)
    wait_until_at_work(process, out, 2 * EVERY)
    process.kill()
    process.communicate()
    assert not out.exists()
    told = []
    made = build([BuildInput("works", (works,))], out, progress=told.append, every=EVERY)
    assert told[0].note.startswith("going on after ")
    assert told[0].records >= EVERY
    assert_same(made, undisturbed, out)


def test_killed_and_another_build_in_its_place(works, tmp_path):
    out = tmp_path / "out"
    process = started([BuildInput("works", (works,))], out)
    wait_until_at_work(process, out)
    process.kill()
    process.communicate()
    told = []
    small = tmp_path / "small.jsonl"
    small.write_text('{"t": "On growth and form"}\n')
    build([BuildInput("works", (small,))], out, progress=told.append)
    assert check_snapshot(out) == ()
    assert "left by a build that was stopped" in told[0].note
    assert names(tmp_path) == ["out", "small.jsonl"]


@pytest.mark.soak
def test_killed_anywhere_again_and_again(tmp_path_factory, tmp_path, soak_share):
    """A hundred kills at random moments, over files, members of a tar and every later step."""
    folder, out = tmp_path_factory.mktemp("dumps"), tmp_path / "out"
    counts = {"works": 2500, "crossref": 900, "bibtex": 400, "medline": 1500}
    inputs = [BuildInput(reader, MAKERS[reader](folder, count)) for reader, count in counts.items()]
    began = time.monotonic()
    started(inputs, out, 400).communicate()
    lasts = time.monotonic() - began
    whole = load(out)
    shutil.rmtree(out)
    kills, chance = max(1, round(100 * soak_share)), random.Random(7)
    while kills > 0:
        process = started(inputs, out, 400)
        try:
            process.communicate(timeout=chance.uniform(0.2, 0.9) * lasts)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            kills -= 1
        if out.exists():
            shutil.rmtree(tmp_path / "out.building", ignore_errors=True)  # killed while it tidied up
            assert_same(load(out), whole, out)
            shutil.rmtree(out)
    assert_same(build(inputs, out, every=400), whole, out)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted(works, undisturbed, tmp_path, number):
    out = tmp_path / "out"
    process = started([BuildInput("works", (works,))], out)
    wait_until_at_work(process, out, 2 * EVERY)
    process.send_signal(number)
    process.communicate()
    assert process.returncode != 0
    assert names(tmp_path) == ["out.building"]
    again = started([BuildInput("works", (works,))], out)
    said, _ = again.communicate()
    assert said.startswith("going on after ")
    assert_same(load(out), undisturbed, out)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_before_anything_was_kept(works, tmp_path, number):
    process = started([BuildInput("works", (works,))], tmp_path / "out", 10**9)
    wait_until_at_work(process, tmp_path / "out")
    process.send_signal(number)
    process.communicate()
    assert process.returncode != 0
    assert names(tmp_path) == []


def test_who_stops_a_build_is_told_how_to_go_on(works, tmp_path):
    """The command has half a million records between two checkpoints: it is stopped when all are read."""
    out = tmp_path / "out"
    command = [
        sys.executable,
        "-m",
        "citeproof",
        "index",
        "build",
        "--from",
        "works",
        str(works),
        "--out",
        str(out),
    ]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while not ((stand := build_checkpoint.load_state(out.with_name("out.building"))) and stand.done):
        assert process.poll() is None, "the build ended before it could be stopped"
        time.sleep(0.002)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == 130
    assert (
        f"stopped; 30,000 records are saved in {out}.building\nrun the same command again to continue" in said
    )
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr.startswith("going on after 30,000 records of a build that was stopped\n")
    assert names(tmp_path) == ["out"]


def confined(limit: int):
    """Return what lets no file of a process grow beyond `limit` bytes."""

    def confine() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # writing fails instead of ending the process
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return confine


FULL_AT = [
    (200_000, EVERY, False),
    (20_000, EVERY, False),
    (1_500_000, EVERY, True),
    (3_000_000, EVERY, True),
    (30_000, 10, True),  # while progress.json is written, or near it
    (60_000, 10, True),
]


@pytest.mark.parametrize(("limit", "every", "kept"), choose_cases(FULL_AT, 3))
def test_disk_full(works, undisturbed, tmp_path, limit, every, kept):
    out = tmp_path / "out"
    process = started([BuildInput("works", (works,))], out, every, preexec_fn=confined(limit))
    said, _ = process.communicate()
    assert process.returncode == 2, said
    assert "the disk is full" in said
    assert "hint: free some space, then run the same command again" in said
    assert names(tmp_path) == (["out.building"] if kept else [])
    told = []
    made = build([BuildInput("works", (works,))], out, progress=told.append, every=EVERY)
    assert told[0].note.startswith("going on after ") is kept
    assert_same(made, undisturbed, out)


def test_two_builds_side_by_side_do_not_disturb_each_other(works, tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    processes = [started([BuildInput("works", (works,))], out) for out in (one, two)]
    assert [process.wait() for process in processes if process.communicate()] == [0, 0]
    assert load(one).id == load(two).id


def test_two_builds_of_one_folder(works, undisturbed, tmp_path):
    out = tmp_path / "out"
    process = started([BuildInput("works", (works,))], out)
    wait_until_at_work(process, out)
    with pytest.raises(SnapshotError, match="another build is running here"):
        build([BuildInput("works", (works,))], out)
    process.communicate()
    assert process.returncode == 0
    assert_same(load(out), undisturbed, out)


def test_no_permission_to_write(works, tmp_path, as_nobody):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    with as_nobody(), pytest.raises(SnapshotError, match="cannot be written: no permission"):
        build([BuildInput("works", (works,))], closed / "out")

"""Builds that are killed, interrupted or out of disk: no snapshot, no remains, and the next one works."""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from citeproof.errors import SnapshotError
from citeproof.index.build import Input, build
from citeproof.index.check import check

BUILD = """
import sys
from pathlib import Path
from citeproof.errors import CiteproofError
from citeproof.index.build import Input, build
try:
    build([Input("works", (Path(sys.argv[1]),))], Path(sys.argv[2]))
except CiteproofError as error:
    print(error)
    sys.exit(2)
"""


@pytest.fixture
def works(tmp_path) -> Path:
    """Works enough for a build of a second or more."""
    path = tmp_path / "works.jsonl"
    with path.open("w") as file:
        for n in range(30_000):
            title = f"Spectral methods {n} for partial problem {n * 7} in applied mathematics {n % 13}"
            file.write(
                json.dumps({"t": title, "a": [f"Ann Author{n}", "Bo Other"], "p": [[2000, "J"]]}) + "\n"
            )
    return path


def started(works: Path, out: Path, **more) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", BUILD, str(works), str(out)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, **more)


def at_work(out: Path) -> bool:
    return any(
        (folder / "partitions" / "00").exists() for folder in out.parent.glob(f"{out.name}.building-*")
    )


def wait_until_at_work(process: subprocess.Popen[str], out: Path) -> None:
    while not at_work(out):
        assert process.poll() is None, "the build ended before it could be stopped"
        time.sleep(0.005)
    time.sleep(0.05)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_killed(works, tmp_path):
    out = tmp_path / "out"
    process = started(works, out)
    wait_until_at_work(process, out)
    process.kill()
    process.communicate()
    assert not out.exists()
    told = []
    small = tmp_path / "small.jsonl"
    small.write_text('{"t": "On growth and form"}\n')
    build([Input("works", (small,))], out, progress=told.append)
    assert check(out) == ()
    assert any("left by a build that was killed" in progress.note for progress in told)
    assert names(tmp_path) == ["out", "small.jsonl", "works.jsonl"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted(works, tmp_path, number):
    out = tmp_path / "out"
    process = started(works, out)
    wait_until_at_work(process, out)
    process.send_signal(number)
    process.communicate()
    assert process.returncode != 0
    assert names(tmp_path) == ["works.jsonl"]


@pytest.mark.parametrize("limit", [20_000, 200_000, 1_500_000])
def test_disk_full(works, tmp_path, limit):
    def confine() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # writing fails instead of ending the process
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    said, _ = (process := started(works, tmp_path / "out", preexec_fn=confine)).communicate()
    assert process.returncode == 2, said
    assert "the disk is full" in said
    assert "mend: free some space" in said
    assert names(tmp_path) == ["works.jsonl"]


def test_two_builds_at_once_do_not_disturb_each_other(works, tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    processes = [started(works, one), started(works, two)]
    assert [process.wait() for process in processes if process.communicate()] == [0, 0]
    assert (
        json.loads((one / "manifest.json").read_text())["id"]
        == json.loads((two / "manifest.json").read_text())["id"]
    )


def test_no_permission_to_write(works, tmp_path, as_nobody):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    with as_nobody(), pytest.raises(SnapshotError, match="may not be written"):
        build([Input("works", (works,))], closed / "out")

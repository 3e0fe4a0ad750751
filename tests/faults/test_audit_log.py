"""Audit logs whose writers are killed, whose calls fail, whose disk is full: nothing acknowledged is lost."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.audit_worker import check, forked, heard, prepared, steady

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


@pytest.fixture
def memory() -> Iterator[Path]:
    """A folder in memory where there is one: calls are what fails here, not disks, and it is quicker."""
    place = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=place if os.access(place, os.W_OK) else None) as folder:
        yield Path(folder)


def worker(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.faults.audit_worker", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_killed_at_any_moment(memory, soak_share):
    """A thousand writers, two at a time, while they append, integrate, commit, rotate and open."""
    rounds = max(10, round(500 * soak_share))
    done = worker("kill", memory, rounds, 11)
    assert done.returncode == 0, done.stdout[-500:] + done.stderr[-3000:]
    assert done.stdout.count("killed") == rounds


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_every_system_call_may_fail(memory, soak_share):
    """EIO and ENOSPC at each call on a file, with strace; about an eightieth of them in a usual run."""
    if not shutil.which("strace"):
        pytest.skip("strace is not installed: calls cannot be made to fail")
    done = worker("inject", memory, soak_share if soak_share == 1 else soak_share / 4)
    if done.returncode and "strace: " in done.stderr.splitlines()[-1]:
        pytest.skip(f"strace may not trace here: {done.stderr.splitlines()[-1]}")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "faults met" in done.stdout


BEFORE = [(n, f"before-{n}") for n in range(39)] + [(39 + n, f"waiting-{n}") for n in range(3)]
forks = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


def written(folder: Path, confine=lambda: None) -> list[tuple[int, str]]:
    """Return what a child was told to be safe; it met no error but ours."""
    status, said = heard(forked(lambda tell: (confine(), steady(folder, tell))))
    assert status == 0
    return said


@forks
@pytest.mark.parametrize("limit", [1, 300, 600, 1500, 4000, 8000, 10_000])
def test_files_that_may_not_grow(tmp_path, limit):
    """Short writes and EFBIG in the journal, its copies, bundles and tiles."""
    prepared(tmp_path)

    def confine() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    check(tmp_path, [*BEFORE, *written(tmp_path, confine)])


@pytest.fixture
def disk(tmp_path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    if not shutil.which("mount") or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no small disk can be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@forks
def test_a_full_disk(disk):
    """A few pages left each time, from none on; then there is room again."""
    outcomes = set()
    for pages in range(0, 42, 3):
        home, ballast = disk / f"home-{pages}", disk / "ballast"
        prepared(home)
        left = os.statvfs(disk).f_bavail * os.statvfs(disk).f_bsize
        ballast.write_bytes(b"x" * (left - pages * 4096))
        said = written(home)
        outcomes.add(len(said))
        ballast.unlink()
        check(home, [*BEFORE, *said])
        shutil.rmtree(home)
    assert len(outcomes) > 2

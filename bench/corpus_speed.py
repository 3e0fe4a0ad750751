"""Speed of `citeproof corpus` over thousands of documents: nothing kept, all kept, one in a hundred changed.

    python bench/corpus_speed.py [--files 10000] [--jobs 2] [--folder DIR]

The project is made anew from a seed. Files were just written, so the disk's cache is warm in every run: what
is measured is our own work. `reading` reads and hashes the same files and nothing else, in one process;
ratios to it compare between machines.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import msgspec

from corpus_project import CITED, FOLDER, build

FINE = {0, 1, 4}  # exit codes of a run that examined its documents
SAMPLED = 0.05  # seconds between looks at the memory


@dataclass(frozen=True, slots=True)
class Spent:
    """What one run took: seconds, those of processors, and the most memory of the parent and of any child."""

    wall: float
    cpu: float
    parent: int
    child: int


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--folder", type=Path, help="where the project is made for a while")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder, prefix="citeproof-") as name:
        folder = Path(name) / "project"
        documents = build(folder, given.files)
        size = sum(path.stat().st_size for path in documents)
        print(
            f"{len(documents):,} documents of {size / len(documents):,.0f} bytes, {len(documents) * CITED:,}"
            f" citations, {given.jobs} workers"
        )
        measure(folder, documents, given.jobs, Path(name) / "cache")


def measure(folder: Path, documents: Sequence[Path], jobs: int, cache: Path) -> None:
    """Print what each kind of run took."""
    count = len(documents)
    reading = hashed(documents)
    print(f"{'reading':22} {count / reading:10,.0f} files/s")
    cold = told("cold", ran(folder, jobs, cache), count, reading)
    warm = told("warm", ran(folder, jobs, cache), count, reading)
    for path in documents[:: max(1, min(100, count // 2))]:
        path.write_bytes(path.read_bytes().replace(b"# Note", b"# A note", 1))
    told("warm, 1 % changed", ran(folder, jobs, cache), count, reading)
    for path in documents:
        path.touch()
    told("warm, all touched", ran(folder, jobs, cache), count, reading)
    told("one worker, cold", ran(folder, 1, cache, "--no-cache"), count, reading)
    print(f"warm : cold = {cold.wall / warm.wall:.1f}")
    kept = sum(file.stat().st_size for file in cache.rglob("*.sqlite"))
    print(f"kept on disk: {kept / count:,.0f} bytes a document")
    print(f"found in {min(count, FOLDER)} documents: {found(folder, cache)}")


def hashed(documents: Sequence[Path]) -> float:
    """Return the seconds that reading and hashing take."""
    began = time.perf_counter()
    for path in documents:
        sha256(path.read_bytes()).digest()
    return time.perf_counter() - began


def told(name: str, spent: Spent, count: int, reading: float) -> Spent:
    print(
        f"{name:22} {count / spent.wall:10,.0f} files/s {spent.wall:8.2f} s {spent.cpu / count * 1e3:7.2f} ms"
        f" CPU a file {spent.wall / reading:7.1f} x reading; peak memory {spent.parent / 1e6:,.0f} MB"
        f" + {spent.child / 1e6:,.0f} MB a child"
    )
    return spent


def command(folder: Path, *words: str) -> list[str]:
    return [
        sys.executable,
        "-m",
        "citeproof",
        "corpus",
        "--root",
        os.fspath(folder),
        "--offline",
        *words,
    ]


def around(cache: Path) -> dict[str, str]:
    """Return the environment of a run: nobody's settings, a cache of its own."""
    home = os.fspath(cache.parent)
    return {"PATH": os.defpath, "LANG": "C.UTF-8", "HOME": home, "CITEPROOF_CACHE_DIR": os.fspath(cache)}


def ran(folder: Path, jobs: int, cache: Path, *more: str) -> Spent:
    """Return what one run over the whole project took."""
    words = command(folder, "-r", "--format", "json", "-o", os.devnull, "--jobs", str(jobs), *more)
    began = time.perf_counter()
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(words, cwd=folder / "docs", env=around(cache), stderr=errors)
        peaks = Peaks(child.pid)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - began
        child.returncode = os.waitstatus_to_exitcode(status)
        peaks.stop()
        if child.returncode not in FINE:
            errors.seek(0)
            sys.exit(f"exit code {child.returncode}: {errors.read()[-2000:].decode(errors='replace')}")
    return Spent(wall, usage.ru_utime + usage.ru_stime, peaks.parent, peaks.child)


class Peaks:
    """The most memory of a process and of any of its children, in bytes, looked at now and then."""

    def __init__(self, process: int) -> None:
        self.parent = self.child = 0
        self._process = process
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._ended.wait(SAMPLED):
            self.parent = max(self.parent, _peak(self._process))
            try:
                children = Path(f"/proc/{self._process}/task/{self._process}/children").read_text()
            except OSError:
                continue
            self.child = max([self.child, *(_peak(int(child)) for child in children.split())])


def _peak(process: int) -> int:
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    return next((int(row.split()[1]) * 1024 for row in status.splitlines() if row.startswith("VmHWM")), 0)


def found(folder: Path, cache: Path) -> str:
    """Return the counts of the first folder of documents: what was measured must have found something."""
    words = command(folder, "--format", "json", os.fspath(folder / "docs" / "part-000"))
    ended = subprocess.run(words, cwd=folder, env=around(cache), capture_output=True, check=False)
    counts = msgspec.json.decode(ended.stdout)["summary"]
    return ", ".join(f"{name} {value}" for name, value in counts.items() if isinstance(value, int) and value)


if __name__ == "__main__":
    main()

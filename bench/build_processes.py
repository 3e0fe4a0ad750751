"""What several processes gain in a build, and how much of that this machine can give.

    python bench/build_processes.py works-*.jsonl.zst [--processes 2] [--work FOLDER]

Three rows: a build by one process; the same by several; and as many builds at once as there are processes,
each in a process of its own, which have nothing to do with each other. The last one is the most that can be
gained here: processors share memory and caches, and a build in one process already uses some of a second
processor. All snapshots must have the same id.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from citeproof.evidence.index import manifest


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("works", type=Path, nargs="+")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--work", type=Path, help="a folder with room for the snapshots")
    given = parser.parse_args()
    many = given.processes
    with tempfile.TemporaryDirectory(prefix="builds", dir=given.work) as work:
        rows = [
            ("one process", 1, [Path(work, "one")]),
            (f"{many} processes", many, [Path(work, "many")]),
            (f"{many} builds at once", 1, [Path(work, f"at-once-{number}") for number in range(many)]),
        ]
        first, ids = 0.0, set()
        print(f"{'':18} {'seconds':>8} {'CPU s':>8} {'gain':>6}")
        for name, processes, targets in rows:
            seconds, spent = run_builds(given.works, targets, processes)
            first = first or seconds
            print(f"{name:18} {seconds:8.1f} {spent:8.1f} {len(targets) * first / seconds:6.2f}", flush=True)
            ids |= {manifest.load(target).id for target in targets}
    print(f"{'the same' if len(ids) == 1 else 'DIFFERENT'} ids")
    return int(len(ids) != 1)


def run_builds(works: Sequence[Path], targets: Sequence[Path], processes: int) -> tuple[float, float]:
    """Build the same snapshot at all targets at once; return the seconds by the clock and of processors."""
    start, before = time.perf_counter(), os.times()
    running = []
    for target in targets:
        words = ["index", "build", "--from", "works", *map(str, works), "--out", str(target)]
        command = [sys.executable, "-m", "citeproof", *words, "--processes", str(processes), "--quiet"]
        running.append(subprocess.Popen(command, stdout=subprocess.DEVNULL))
    if sum(one.wait() for one in running):
        raise SystemExit("a build failed")
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return time.perf_counter() - start, spent


if __name__ == "__main__":
    sys.exit(main())

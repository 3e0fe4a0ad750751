"""What it costs to ask a served snapshot instead of a folder: time and processor time, in the same run.

    python bench/index_serve.py SNAPSHOT REFS.bib... [--rounds 3] [--workers 1 4] [--processes 1]

Starts `citeproof index serve` on loopback. Each round checks the same files against the folder and against
the server, by so many workers at once, and compares every byte of the results. Processor time is told for the
workers alone and with the server: the lookups are the same work, wherever it is done. The median of the
rounds is printed. Nothing but the snapshot is asked.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

TICK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Cost:
    """What one round took."""

    wall: float
    workers: float  # processor seconds
    server: float


def main() -> int:
    """Print the ratios; return 1 if the results differ."""
    asked = _read_arguments()
    same = True
    with tempfile.TemporaryDirectory(prefix="served") as folder:
        home = Path(folder)
        process, url = start_server(asked.snapshot, asked.processes, home)
        try:
            load = os.getloadavg()[0]
            print(f"{len(asked.files)} files, load of the machine {load:.1f}, {os.cpu_count()} processors")
            for workers in asked.workers:
                same &= compare(asked, url, process.pid, workers, home)
        finally:
            process.terminate()
            process.wait()
    print("same bytes" if same else "DIFFERENT BYTES")
    return int(not same)


def compare(asked: argparse.Namespace, url: str, server: int, workers: int, home: Path) -> bool:
    """Print what both ways cost with so many workers; return whether every result has the same bytes."""
    here: list[Cost] = []
    there: list[Cost] = []
    results: set[bytes] = set()
    count = 0
    for number in range(asked.rounds):
        order = ((here, str(asked.snapshot)), (there, url))
        for costs, place in order if number % 2 == 0 else reversed(order):
            cost, found = run_workers(asked.files, place, workers, server, home)
            costs.append(cost)
            results |= found
            count = max(data.count(b"\n") for data in found)
    wall, own = (median(getattr(one, name) for one in here) for name in ("wall", "workers"))
    served = {name: median(getattr(one, name) for one in there) for name in ("wall", "workers", "server")}
    print(f"workers: {workers}; references of each: {count}; rounds: {asked.rounds}")
    print(f"  folder  {wall:6.2f} s   workers {own:6.2f} CPU s")
    print(
        f"  server  {served['wall']:6.2f} s   workers {served['workers']:6.2f} CPU s   "
        f"server {served['server']:6.2f} CPU s"
    )
    print(
        f"  ratio   {served['wall'] / wall:6.2f} by the clock, "
        f"{served['workers'] / own:.2f} CPU of the workers, "
        f"{(served['workers'] + served['server']) / own:.2f} CPU of all"
    )
    return len(results) == 1


def run_workers(
    files: list[Path], place: str, workers: int, server: int, home: Path
) -> tuple[Cost, set[bytes]]:
    """Return what it took to check the files by `workers` processes at once, and their results."""
    before, begun = measure_cpu(server), time.perf_counter()
    outputs = [home / f"out{number}.jsonl" for number in range(workers)]
    running = [start_check(files, place, output, home) for output in outputs]
    used = 0.0
    for one in running:
        _, status, usage = os.wait4(one.pid, 0)
        one.returncode = os.waitstatus_to_exitcode(status)
        if one.returncode not in (0, 1, 4):
            sys.exit(f"check ended with {one.returncode}: {(home / 'err.txt').read_text()[-2000:]}")
        used += usage.ru_utime + usage.ru_stime
    wall = time.perf_counter() - begun
    return Cost(wall, used, measure_cpu(server) - before), {path.read_bytes() for path in outputs}


def start_check(files: list[Path], place: str, output: Path, home: Path) -> subprocess.Popen[bytes]:
    """Return a process that checks the files against a snapshot and nothing else."""
    words = ["check", *map(str, files), "--sources", "snapshot", "--snapshot", place]
    places = {"CITEPROOF_CACHE_DIR": str(home / "cache"), "CITEPROOF_OFFLINE": "0"}
    with (home / "err.txt").open("ab") as told:
        return subprocess.Popen(
            [sys.executable, "-m", "citeproof", *words, "--format", "jsonl", "-o", str(output)],
            stderr=told, stdout=subprocess.DEVNULL, env={**os.environ, **places},  # noqa: TID251 - passed on to the child
        )  # fmt: skip


def start_server(snapshot: Path, processes: int, home: Path) -> tuple[subprocess.Popen[str], str]:
    """Return the server and its address."""
    words = ["index", "serve", str(snapshot), "--port", "0", "-q", "--processes", str(processes)]
    places = {"CITEPROOF_CACHE_DIR": str(home / "cache")}
    process = subprocess.Popen(
        [sys.executable, "-m", "citeproof", *words],
        stderr=subprocess.PIPE, text=True, env={**os.environ, **places},  # noqa: TID251 - passed on to the child
    )  # fmt: skip
    assert process.stderr is not None
    for line in process.stderr:
        if found := re.search(r"serves (http://\S+)", line):
            return process, found[1]
    sys.exit("the server did not begin")


def measure_cpu(parent: int) -> float:
    """Return the processor seconds of a process and its children so far."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    total = 0.0
    for process in (str(parent), *children):
        cells = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        total += (int(cells[11]) + int(cells[12])) / TICK
    return total


def _read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("snapshot", type=Path)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, nargs="+", default=[1])
    parser.add_argument("--processes", type=int, default=1, help="of the server")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

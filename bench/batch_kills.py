"""`citeproof batch` whose workers, machines and drivers are killed with signal 9, against a run left alone.

    python bench/batch_kills.py PDFS SNAPSHOT [--documents 200] [--kills 3] [--ray] [--work FOLDER]

The papers are repeated until there are so many documents; each copy has other bytes. Three runs: one that is
left alone; one on local processes, of which workers, their readers of documents and the driver are killed;
with `--ray` one on a cluster of two nodes on addresses of loopback, whose driver, worker and node are killed.
A run whose driver was killed is started again. Every file must have the same bytes; else the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.surfaces.batch_runs import count_done, find_busy_worker, list_children, read_results, start_cluster

from batch_speed import copy_papers

PATIENT = 1800.0  # seconds; a loaded machine is slow


@dataclass(slots=True)
class KilledBatch:
    """A batch under way; `told` counts what was killed, and when."""

    folder: Path
    snapshot: Path
    out: str
    more: tuple[str, ...] = ()
    told: list[str] = field(default_factory=list)
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> subprocess.Popen[bytes]:
        words = ["batch", "papers", "--out", self.out, "--offline", "--quiet", "--format", "html"]
        command = [sys.executable, "-m", "citeproof", *words, "--snapshot", str(self.snapshot), *self.more]
        with (self.folder / f"{self.out}.txt").open("ab") as told:
            self.process = subprocess.Popen(command, cwd=self.folder, stdout=told, stderr=told)
        return self.process

    def finish(self) -> int:
        assert self.process is not None
        return self.process.wait(PATIENT)

    def count_done(self) -> int:
        """Return how many documents are in the ledger."""
        return count_done(self.folder / self.out)

    def wait_for(self, done: int) -> bool:
        """Return whether so many documents are done and the run goes on."""
        assert self.process is not None
        end = time.monotonic() + PATIENT
        while self.count_done() < done:
            if self.process.poll() is not None or time.monotonic() > end:
                return False
            time.sleep(0.05)
        return self.process.poll() is None

    def kill(self, what: str, process: int | None) -> None:
        if process is None:
            return
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            return
        self.told.append(f"{what} at {self.count_done()}")


def main() -> int:
    """Print what was killed when; return 1 if the bytes of two runs differ."""
    asked = _arguments()
    with tempfile.TemporaryDirectory(prefix="kills", dir=asked.work) as work:
        folder, snapshot = Path(work), asked.snapshot.resolve()
        copied = copy_papers(sorted(asked.papers.glob("*.pdf")), folder / "papers", asked.documents)
        alone = KilledBatch(folder, snapshot, "alone", ("--jobs", "2"))
        alone.start()
        code = alone.finish()
        counted = json.loads((folder / "alone" / "summary.json").read_bytes())
        print(
            f"left alone: exit code {code}, {copied} documents, {counted['documents']['checked']} checked, "
            f"{counted['references']:,} references",
            flush=True,
        )
        runs = [kill_local(KilledBatch(folder, snapshot, "local", ("--jobs", "2")), copied, asked.kills)]
        if asked.ray:
            with run_cluster() as (address, nodes):
                more = ("--ray", address)
                runs.append(kill_on_ray(KilledBatch(folder, snapshot, "ray", more), copied, nodes))
        expected = read_results(folder / "alone")
        same = [compare_results(folder / run.out, expected) for run in runs]
    return int(not all(same))


def kill_local(run: KilledBatch, documents: int, kills: int) -> KilledBatch:
    """Kill workers, then a reader in each worker, then the driver, each `kills` times."""
    process = run.start()
    steps: list[tuple[str, Callable[[], int | None]]] = [
        ("worker", lambda: next(iter(list_children(process.pid)), None)),
        (
            "reader",
            lambda: next((one for child in list_children(process.pid) for one in list_children(child)), None),
        ),
        ("driver", lambda: process.pid),
    ]
    total = len(steps) * kills
    for number in range(total):
        what, find = steps[number // kills]
        if not run.wait_for(max(1, documents * (number + 1) // (total + 1))):
            break
        run.kill(what, find())
        if what == "driver":
            process.wait()
            process = run.start()
    return end_run(run)


def kill_on_ray(run: KilledBatch, documents: int, nodes: list[Any]) -> KilledBatch:
    """Kill the driver, a worker while it checks a document, and all processes of a node."""
    process = run.start()
    if run.wait_for(documents // 5):
        run.kill("driver", process.pid)
        process.wait()
        run.start()
    raylets = [node.all_processes["raylet"][0].process.pid for node in nodes]
    if run.wait_for(2 * documents // 5):
        run.kill("worker", wait_for_worker(raylets[1]))
    if run.wait_for(3 * documents // 5):
        children = list_children(raylets[0])
        run.kill("node", raylets[0])
        for child in children:  # a machine that is lost loses all of them
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                continue
    return end_run(run)


def end_run(run: KilledBatch) -> KilledBatch:
    print(f"{run.out}: exit code {run.finish()}; killed: {', '.join(run.told) or 'nothing'}", flush=True)
    return run


def wait_for_worker(raylet: int) -> int | None:
    """Return a worker of a node that checks a document; None if none does within a minute."""
    end, found = time.monotonic() + 60, None
    while found is None and time.monotonic() < end:
        found = find_busy_worker(raylet)
    return found


@contextmanager
def run_cluster() -> Iterator[tuple[str, list[Any]]]:
    """Yield the address of a head without processors, and two nodes with one each."""
    os.environ.update(  # noqa: TID251 - of the cluster's own processes
        RAY_USAGE_STATS_ENABLED="0", RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO="0"
    )
    made, nodes = start_cluster()
    try:
        yield made.address, nodes
    finally:
        made.shutdown()


def compare_results(folder: Path, expected: dict[str, bytes]) -> bool:
    """Return whether a run wrote the same bytes; print what differs."""
    ended = (folder / "summary.json").exists()
    found = read_results(folder) if ended else {}
    different = sorted(
        name for name in found.keys() | expected.keys() if found.get(name) != expected.get(name)
    )
    size = sum(map(len, found.values()))
    print(f"{folder.name}: {len(found)} files, {size:,} bytes: ", end="")
    print(f"{len(different)} DIFFER: {', '.join(different[:10])}" if different else "the same")
    return not different


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("papers", type=Path)
    parser.add_argument("snapshot", type=Path)
    parser.add_argument("--documents", type=int, default=200)
    parser.add_argument("--kills", type=int, default=3, help="of workers, readers and drivers, each")
    parser.add_argument("--ray", action="store_true", help="also on a cluster; needs the extra ray")
    parser.add_argument("--work", type=Path, default=None, help="a folder with room for the copies")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

"""Several runs at once on one machine: how many references could not be checked though nothing failed?

    python bench/at_once.py SNAPSHOT [--runs 8] [--references 60] [--pace 10] [--delays]

The loopback world serves the works of SNAPSHOT. Each run is a process of its own with a bibliography of its
own, an empty cache and no snapshot; they share the limits of the registries, as runs on one machine do.
Rates and the time for one reference are PACE times faster and shorter than by default, so that a run of some
minutes takes seconds; with --delays answers take as long as in `latency.py`, whatever the pace. Printed: the
busiest second of every registry, what became of the references, why any could not be checked, and requests a
reference.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from citeproof.evidence.index.snapshot import Snapshot
from citeproof.laboratory.testing import SnapshotHoldings, World
from citeproof.settings import Settings
from citing import bibliography
from latency import LATENCY, print_paces

SEED = 13


def start(number: int, text: str, world: World, folder: Path, pace: float) -> subprocess.Popen[bytes]:
    """Return a run that was started on a bibliography of its own."""
    file = folder / f"{number}.bib"
    file.write_text(text, encoding="utf-8")
    environment = {
        **os.environ,  # noqa: TID251 - a process of its own needs a path
        **world.environment(),
        "CITEPROOF_PACE": str(pace),
        "CITEPROOF_DEADLINE": str(Settings().deadline / pace),
        "CITEPROOF_CONTACT": "bench@example.org",
        "CITEPROOF_CACHE_DIR": str(folder / f"cache{number}"),
        "CITEPROOF_LIMITS_DIR": str(folder / "limits"),
    }
    command = [sys.executable, "-m", "citeproof", "check", str(file), "--format", "jsonl"]
    return subprocess.Popen(
        [*command, "-o", str(folder / f"{number}.jsonl")], env=environment, cwd=folder, stderr=subprocess.PIPE
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("snapshot", type=Path)
    parser.add_argument("--runs", type=int, default=8)
    parser.add_argument("--references", type=int, default=60)
    parser.add_argument("--pace", type=float, default=10.0)
    parser.add_argument("--delays", action="store_true")
    options = parser.parse_args()
    with (
        Snapshot.open(options.snapshot) as snapshot,
        tempfile.TemporaryDirectory() as name,
        World(SnapshotHoldings(snapshot), latency=LATENCY if options.delays else None) as world,
    ):
        folder = Path(name)
        texts = [
            "\n".join(one.text for one in bibliography(snapshot, options.references, SEED + n, real=2 / 3))
            for n in range(options.runs)
        ]
        began = time.perf_counter()
        runs = [start(n, text, world, folder, options.pace) for n, text in enumerate(texts)]
        for run in runs:
            run.communicate()
        seconds = time.perf_counter() - began
        found = [
            json.loads(line)
            for n in range(options.runs)
            for line in (folder / f"{n}.jsonl").read_text(encoding="utf-8").splitlines()
        ]
        requests = Counter(seen.api for seen in world.log)
        print_paces(world, requests, options.pace)
    verdicts = Counter(one["verdict"] for one in found)
    causes = Counter(
        f"{u['registry']}: {u['cause']}, {u['detail']}"
        for one in found
        if one["verdict"] == "unchecked"
        for u in one["provenance"]["unchecked"]
        if u["cause"] != "needs_key"
    )
    faults = sum(
        any(u["cause"] != "needs_key" for u in one["provenance"]["unchecked"])
        for one in found
        if one["verdict"] == "unchecked"
    )
    print(f"{options.runs} runs at once, {len(found)} references in {seconds:.0f} s: {dict(verdicts)}")
    print(f"  {faults} unchecked because a registry did not answer: {dict(causes)}")
    print(f"  {sum(requests.values()) / len(found):.2f} requests a reference: {dict(requests)}")


if __name__ == "__main__":
    main()

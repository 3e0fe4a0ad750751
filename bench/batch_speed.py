"""Documents and references a second of `citeproof batch`, by one process and by two, and the ratio.

    python bench/pdf_corpus.py DATA/records/works.jsonl.zst --out PDFS --documents 40
    python bench/batch_speed.py PDFS SNAPSHOT [--documents 400] [--jobs 1 2]

The papers are repeated until there are so many documents; each copy has other bytes, so that none is known.
The wall clock tells the truth only on a quiet machine. So processor time is printed beside it, and the ratio
if every worker had a processor of its own: what the driver does for all of them (read, hash, write), which is
the processor time of a second run over what is done, is not divided by the number of workers.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any


def main() -> int:
    """Print the rates; return 1 if two runs do not give the same bytes."""
    asked = _arguments()
    with tempfile.TemporaryDirectory(prefix="batch", dir=asked.work) as work:
        folder = Path(work)
        copied = copy_papers(sorted(asked.papers.glob("*.pdf")), folder / "papers", asked.documents)
        print(
            f"{copied} documents, load of the machine {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors"
        )
        runs = [measure(folder, asked.snapshot, jobs) for jobs in asked.jobs]
    first = runs[0]
    for one in runs[1:]:
        wall = first["wall"] / one["wall"]
        print(
            f"{one['jobs']} processes against {first['jobs']}: {wall:.2f} times as fast by the clock, "
            f"{project(first) / project(one):.2f} times by processor time"
        )
    same = all(one["bytes"] == first["bytes"] for one in runs)
    print("same bytes" if same else "DIFFERENT BYTES")
    return int(not same)


def project(run: dict[str, Any]) -> float:
    """Return the seconds that a run takes if every worker has a processor of its own."""
    return run["driver"] + (run["cpu"] - run["driver"]) / run["jobs"]


def copy_papers(papers: list[Path], folder: Path, count: int) -> int:
    """Return how many documents were made: copies of papers with a comment at the end."""
    folder.mkdir()
    for number in range(count):
        data = papers[number % len(papers)].read_bytes()
        (folder / f"{number:05}.pdf").write_bytes(data + f"\n% {number}\n".encode())
    return count


def measure(folder: Path, snapshot: Path, jobs: int) -> dict[str, Any]:
    """Return the wall clock, the processor time of all processes, and the bytes of one run."""
    out = folder / f"out-{jobs}"
    words = [
        "batch",
        "papers",
        "--out",
        out.name,
        "--offline",
        "--quiet",
        "--snapshot",
        str(snapshot.resolve()),
    ]
    wall, cpu = run_command(folder, *words, "--jobs", str(jobs))
    _, driver = run_command(folder, *words, "--jobs", str(jobs))
    summary = json.loads((out / "summary.json").read_bytes())
    documents, references = summary["documents"]["total"], summary["references"]
    print(
        f"--jobs {jobs}: {documents / wall:.2f} documents/s, {references / wall:.0f} references/s; "
        f"{cpu:.0f} CPU s: {documents / cpu:.2f} documents, {references / cpu:.0f} references each; "
        f"a run over what is done {driver:.1f} s; {references:,} references, "
        f"{documents - summary['documents']['checked']} documents failed"
    )
    results = (out / "results.jsonl").read_bytes()
    return {"jobs": jobs, "wall": wall, "cpu": cpu, "driver": driver, "bytes": results}


def run_command(folder: Path, *words: str) -> tuple[float, float]:
    """Return the seconds that a command took, by the clock and of processors, its children counted."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-m", "citeproof", *words]
    ended = subprocess.run(command, cwd=folder, check=False, capture_output=True)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if ended.returncode not in (0, 1, 4):
        raise SystemExit(f"the batch ended with {ended.returncode}: {ended.stderr.decode()}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("papers", type=Path)
    parser.add_argument("snapshot", type=Path)
    parser.add_argument("--documents", type=int, default=400)
    parser.add_argument("--jobs", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--work", type=Path, default=None, help="a folder with room for the copies")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

"""Speed and size of snapshots, and how the cost of a lookup grows with the number of records.

    python bench/build_speed.py works.jsonl.zst [--sizes 10000,50000,200000,0] [--queries 400]
    python bench/build_speed.py --held SMALL.snapshot LARGE.snapshot

Size 0 is the whole file. Each smaller set is part of the larger ones and the queries are drawn from the
smallest, so that only the number of records around them changes. CPU seconds include all threads.
With --held, snapshots that exist are measured, the smallest first, for instance of `bench/many_works.py`.
Speed depends on the machine; `machine` is the time of a fixed loop, to compare runs by.
"""

from __future__ import annotations

import argparse
import io
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

import zstandard

from citeproof.evidence.index.build import BuildInput, build
from citeproof.evidence.index.snapshot import Snapshot
from citeproof.vocabulary import Record
from noise import KINDS
from retrieval import draw

MIX = ("clean", "typo", "substituted", "truncated", "raw")
GOLDEN = 2654435761  # Knuth's multiplier: spreads line numbers evenly


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("works", type=Path, nargs="?")
    parser.add_argument("--held", type=Path, nargs="+", help="measure these snapshots, and build none")
    parser.add_argument("--sizes", default="10000,50000,200000,0")
    parser.add_argument("--queries", type=int, default=400, help="records drawn; each is asked in five ways")
    parser.add_argument("--keep", type=Path, help="leave the largest snapshot in this folder")
    given = parser.parse_args()
    if not (given.works or given.held):
        parser.error("name a file of works, or snapshots with --held")
    sizes = [int(size) for size in given.sizes.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        head = f"{'records':>9} {'rec/CPU-s':>10} {'B/rec':>6} {'open ms':>8} {'RssAnon':>8}"
        print(f"machine {calibration():.3f} s\n{head} {'p50 ms':>7} {'p99 ms':>7} {'mean':>7} {'ratio':>6}")
        records: list[Record] = []
        first = 0.0
        for out, row in measure_held(given.held) if given.held else build_all(given, sizes, Path(folder)):
            with Snapshot.open(out) as snapshot:
                records = records or draw(snapshot, given.queries, 4, random.Random(5))
                times = lookups(snapshot, records)
            mean = statistics.fmean(times)
            first = first or mean
            cuts = statistics.quantiles(times, n=100)
            print(f"{row} {cuts[49]:>7.3f} {cuts[98]:>7.3f} {mean:>7.3f} {mean / first:>6.2f}")
        print(f"machine {calibration():.3f} s")


def build_all(given: argparse.Namespace, sizes: Sequence[int], folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield a snapshot of each size, and the first columns of its row."""
    for size in sizes:
        source = subset(given.works, size, folder / f"{size}.jsonl")
        out = given.keep if given.keep and size == sizes[-1] else folder / f"snapshot-{size}"
        yield out, built(source, out)


def measure_held(held: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """Yield snapshots that exist, and the first columns of their rows."""
    for out in held:
        with Snapshot.open(out) as snapshot:
            made = snapshot.manifest
        opened, anon = reader_cost(out)
        size = made.bytes / made.records
        yield out, f"{made.records:>9,} {'':>10} {size:>6.0f} {opened:>8.1f} {anon:>5.0f} MB"


def subset(works: Path, size: int, out: Path) -> Path:
    """Return a file with about `size` evenly spread lines of `works`; all of them for 0."""
    if not size:
        return works
    with works.open("rb") as raw, out.open("wb") as kept:
        total = sum(1 for _ in lines(raw, works))
        raw.seek(0)
        for number, line in enumerate(lines(raw, works)):
            if number * GOLDEN % 2**32 < size / total * 2**32:
                kept.write(line)
    return out


def lines(raw: IO[bytes], path: Path) -> IO[bytes]:
    if path.suffix != ".zst":
        return raw
    return io.BufferedReader(zstandard.ZstdDecompressor().stream_reader(raw, closefd=False), 1 << 20)


def built(source: Path, out: Path) -> str:
    """Build the snapshot and return the first columns of its row."""
    began = time.process_time()
    made = build([BuildInput("works", (source,))], out)
    rate = made.records / (time.process_time() - began)
    opened, anon = reader_cost(out)
    size = made.bytes / made.records
    return f"{made.records:>9,} {rate:>10,.0f} {size:>6.0f} {opened:>8.1f} {anon:>5.0f} MB"


def reader_cost(folder: Path) -> tuple[float, float]:
    """Return milliseconds to open and megabytes of private memory after 200 lookups, in a fresh process."""
    code = """if True:
        import sys, time
        from citeproof.evidence.index.snapshot import Snapshot
        began = time.perf_counter()
        snapshot = Snapshot.open(sys.argv[1])
        opened = time.perf_counter() - began
        step = max(1, snapshot.manifest.records // 200)
        for at in range(0, snapshot.manifest.records, step):
            snapshot.by_title(snapshot.record_at(at).title[:-3])
        anon = next(line for line in open("/proc/self/status") if line.startswith("RssAnon"))
        print(opened * 1e3, int(anon.split()[1]) / 1024)
    """
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)],
        capture_output=True,
        text=True,
        check=True,
    )
    opened, anon = done.stdout.split()
    return float(opened), float(anon)


def lookups(snapshot: Snapshot, records: Sequence[Record]) -> list[float]:
    """Return the CPU milliseconds of each lookup."""
    times = []
    for kind in MIX:
        rng = random.Random(kind)
        for record in records:
            query = KINDS[kind](record, rng)
            began = time.process_time()
            snapshot.by_raw(query) if kind == "raw" else snapshot.by_title(query)
            times.append((time.process_time() - began) * 1e3)
    return times


def calibration() -> float:
    """Return the CPU seconds of three million additions."""
    began = time.process_time()
    total = 0
    for number in range(3_000_000):
        total += number
    return time.process_time() - began


if __name__ == "__main__":
    main()

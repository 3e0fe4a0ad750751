"""Speed of the audit log: appends that are on the disk when they return, by batches, one by one and by many.

    python bench/audit_speed.py [--events 200000] [--folder DIR]

The folder decides: its disk sets how often something can be made durable (`fdatasync/s`). Ratios are to that
disk with the same bytes and nothing else, so they compare between machines; `machine` is the time of a fixed
loop. The root of every log is worked out again from its entries at the end.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import TypeVar

from build_speed import calibration
from citeproof.plumbing.clock import SystemClock
from citeproof.plumbing.signed_note import open_note
from citeproof.proof.audit import merkle
from citeproof.proof.audit.audit_log import AuditLog
from citeproof.proof.audit.key_store import KeyStore
from citeproof.proof.audit.log_journal import encode_entry
from citeproof.proof.audit.log_state import parse_checkpoint
from citeproof.proof.audit.tiles import Tiles

Work = TypeVar("Work")
BATCH = 256
WRITERS = 8


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--events", type=int, default=200_000)
    parser.add_argument("--folder", type=Path, help="where the logs are made for a while; decides the disk")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        folder = Path(name)
        size = len(encode_entry("run", event(0), "2026-11-15T12:00:00.000Z", 100_000)) + 1
        small, large = synced(folder, size), synced(folder, size * BATCH)
        print(f"machine {calibration():.3f} s; an event has {size} bytes")
        print(
            f"fdatasync/s of this disk: {small:,.0f} of {size} bytes, {large:,.0f} of {BATCH} times as many"
        )
        encoding(given.events)
        batches(folder / "batches", given.events, large * BATCH)
        singles(folder / "singles", max(1, given.events // 20), small)
        together(folder / "together", given.events, large * BATCH)


def event(n: int) -> dict[str, object]:
    """Return an event of the size that a checked reference makes."""
    return {
        "ev": "verified",
        "stage": "check",
        "ref": n,
        "doi": "10.18653/v1/n19-1423",
        "conf": 0.9713,
        "score": 9.21,
        "verdict": "matched",
        "label": "EXACT",
        "source": "crossref",
        "attempt": 1,
        "claimed": {
            "title": "Pre-training of deep bidirectional transformers",
            "year": 2019,
            "venue": "NAACL",
        },
        "evidence": [f"{n:064x}"],
        "case": f"{n * 7:064x}",
    }


def synced(folder: Path, size: int) -> float:
    """Return how often a second this disk makes so many bytes durable."""
    handle = os.open(folder / "raw", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    data, count, began = b"x" * size, 0, time.perf_counter()
    while (lasted := time.perf_counter() - began) < 1:
        os.write(handle, data)
        os.fdatasync(handle)
        count += 1
    os.close(handle)
    (folder / "raw").unlink()
    return count / lasted


def encoding(count: int) -> None:
    events = [event(n) for n in range(min(count, 50_000))]
    began = time.perf_counter()
    for n, one in enumerate(events):
        encode_entry("run", one, "2026-11-15T12:00:00.000Z", n)
    print(f"{'lines made, none written':32} {len(events) / (time.perf_counter() - began):>10,.0f} events/s")


def batches(folder: Path, count: int, bound: float) -> None:
    log = AuditLog.open_or_create(folder / "log", SystemClock(), KeyStore(folder / "keys"))
    first = opening(folder)
    groups = [[event(n) for n in range(start, start + BATCH)] for start in range(0, count, BATCH)]
    lasted, waits = timed(lambda group: log.append("run", group), groups)
    told(f"batches of {BATCH}", count, lasted, bound, waits)
    began = time.perf_counter()
    log.commit("run", [])
    print(f"  commit after them {(time.perf_counter() - began) * 1000:,.0f} ms", end="; ")
    print(f"open {first:.1f} ms when empty, {opening(folder):.1f} ms with {log.size:,} entries")
    proved(folder, log)


def singles(folder: Path, count: int, bound: float) -> None:
    log = AuditLog.open_or_create(folder / "log", SystemClock(), KeyStore(folder / "keys"))
    lasted, waits = timed(lambda one: log.append("run", [one]), [event(n) for n in range(count)])
    told("one by one", count, lasted, bound, waits)
    proved(folder, log)


def together(folder: Path, count: int, bound: float) -> None:
    log = AuditLog.open_or_create(folder / "log", SystemClock(), KeyStore(folder / "keys"))
    context = multiprocessing.get_context("spawn")
    gate = context.Barrier(WRITERS + 1)
    writers = [
        context.Process(target=writer, args=(folder, gate, n, count // WRITERS)) for n in range(WRITERS)
    ]
    for one in writers:
        one.start()
    gate.wait()
    began = time.perf_counter()
    for one in writers:
        one.join()
    told(f"{WRITERS} processes, batches of {BATCH}", count, time.perf_counter() - began, bound, [])
    assert [one.exitcode for one in writers] == [0] * WRITERS
    proved(folder, log)


def writer(folder: Path, gate: Barrier, number: int, count: int) -> None:
    log = AuditLog.open(folder / "log", SystemClock(), KeyStore(folder / "keys"))
    groups = [[event(n) for n in range(start, min(count, start + BATCH))] for start in range(0, count, BATCH)]
    gate.wait()
    for group in groups:
        log.append(f"run-{number}", group)


def timed(work: Callable[[Work], object], pieces: Sequence[Work]) -> tuple[float, list[float]]:
    waits, began = [], time.perf_counter()
    for piece in pieces:
        start = time.perf_counter()
        work(piece)
        waits.append(time.perf_counter() - start)
    return time.perf_counter() - began, waits


def told(name: str, count: int, lasted: float, bound: float, waits: list[float]) -> None:
    rate = count / lasted
    print(f"{name:32} {rate:>10,.0f} events/s, {rate / bound:.2f} of the bare disk", end="")
    if waits:
        cuts = statistics.quantiles(waits, n=100)
        print(f"; append p50 {cuts[49] * 1000:.2f} ms, p99 {cuts[98] * 1000:.2f} ms", end="")
    print()


def opening(folder: Path) -> float:
    """Return the milliseconds that opening takes, the best of five."""
    times = []
    for _ in range(5):
        began = time.perf_counter()
        AuditLog.open(folder / "log", SystemClock(), KeyStore(folder / "keys")).close()
        times.append(time.perf_counter() - began)
    return min(times) * 1000


def proved(folder: Path, log: AuditLog) -> None:
    """Raise unless the signed root is that of all entries."""
    signed = parse_checkpoint(open_note(log.integrate(), [log.key]).text)
    leaves = [
        merkle.hash_leaf(one) for bundle in Tiles(folder / "log").bundles(signed.size) for one in bundle
    ]
    assert merkle.compute_root(leaves) == signed.root
    assert len(leaves) == signed.size


if __name__ == "__main__":
    main()

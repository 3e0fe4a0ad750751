"""How fast a log is verified: events a second, and beside it the plain SHA-256 of the same bytes.

    python bench/audit_verify.py [--events 200000] [--bytes 500] [--runs 20] [--evidence] [--keep DIR]

The log is written by the real writer. Verification hashes every entry as a leaf, every node above it and
every line of the runs' files, parses each entry, and compares every tile; `ratio` says how many times the
time of one plain SHA-256 over the entries that takes. CPU seconds, so that other work on the machine counts
less; best of three.
With --evidence every event names a stored body of 700 bytes and has a private row: both are checked too.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from citeproof.plumbing.stores.evidence_store import EvidenceStore
from citeproof.plumbing.stores.private_store import PrivateRow, PrivateStore, make_commitment
from citeproof.proof.audit.audit_log import AuditLog
from citeproof.proof.audit.key_store import KeyStore
from citeproof.proof.audit.tiles import Tiles
from citeproof.proof.audit.verify.log_check import verify

BATCH = 2048


class Ticking:
    """A clock of its own: a millisecond a look."""

    def __init__(self) -> None:
        self.at = datetime(2026, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        self.at += timedelta(milliseconds=1)
        return self.at

    def elapsed(self) -> float:
        return self.at.timestamp()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--events", type=int, default=200_000)
    parser.add_argument("--bytes", type=int, default=500, help="of an entry, about")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--evidence", action="store_true", help="bodies and private rows too")
    parser.add_argument("--keep", type=Path, help="leave the log in this new folder")
    parser.add_argument("--memory", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.memory:
        print(peak(given.memory))
        return
    with tempfile.TemporaryDirectory() as folder:
        place = given.keep or Path(folder) / "log"
        written(place, given.events, given.bytes, given.runs, evidence=given.evidence)
        report(place, given.events)


def written(place: Path, events: int, size: int, runs: int, *, evidence: bool) -> None:
    """Write the log: the runs in turns of a batch."""
    log = AuditLog.open_or_create(
        place / "audit", Ticking(), KeyStore(place / "keys"), "bench.example/log", every=50_000
    )
    stores = (EvidenceStore(place / "audit"), PrivateStore(place / "audit")) if evidence else None
    for number, first in enumerate(range(0, events, BATCH)):
        run = f"run-{number % runs}"
        batch = [event(ref, size) for ref in range(first, min(first + BATCH, events))]
        if stores:
            stored(stores[0], stores[1], run, batch)
        log.append(run, batch)
    log.integrate()
    log.close()
    for store in stores or ():
        store.close()


def event(ref: int, size: int) -> dict[str, object]:
    claimed = {"title": "T" * max(1, size - 282), "authors": ["A. Author"], "year": 2001, "venue": None}
    made: dict[str, object] = {"ev": "verified", "stage": "check", "ref": ref + 1, "verdict": "matched"}
    made |= {"label": "VALID", "score": 0.97, "conf": 0.95, "model": "judge", "claimed": claimed}
    return made | {"doi": f"10.5555/{ref}"}


def stored(evidence: EvidenceStore, private: PrivateStore, run: str, batch: list[dict[str, object]]) -> None:
    bodies, rows = [], []
    for one in batch:
        body = os.urandom(350).hex().encode()
        digest = hashlib.sha256(body).hexdigest()
        bodies.append((digest, body))
        salt, commitment = make_commitment(body)
        rows.append(PrivateRow(commitment, run, "case", int(str(one["ref"])), salt, body))
        one |= {"evidence": [digest], "case": commitment}
    evidence.put(bodies)
    private.put(rows)


def report(place: Path, events: int) -> None:
    folder = place / "audit"
    size = sum(len(entry) for bundle in Tiles(folder).bundles(events) for entry in bundle)
    data = b"".join(entry for bundle in Tiles(folder).bundles(events) for entry in bundle)
    plain = best(lambda: hashlib.sha256(data))
    shallow = best(lambda: sound(folder))
    deep = best(lambda: sound(folder, deep=True))
    print(f"{events:,} events, {size / events:.0f} bytes each; SHA-256 of them {plain:.3f} s")
    for name, seconds in (("verify", shallow), ("verify --deep", deep)):
        print(
            f"{name:<14} {seconds:7.3f} s  {events / seconds:>9,.0f} events/s  ratio {seconds / plain:5.1f}"
        )
    command = [sys.executable, __file__, "--memory", str(folder)]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    print(f"memory         {told}")


def peak(folder: Path) -> str:
    """Return what a verification adds to the peak of memory of a fresh process."""
    before = highest()
    sound(folder)
    return f"{(highest() - before) / 1024:.0f} MB more than the {before / 1024:.0f} MB of the modules"


def highest() -> int:
    """Return the peak of this process in KB; `getrusage` would count that of whoever started it."""
    status = Path("/proc/self/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")))


def sound(folder: Path, *, deep: bool = False) -> None:
    found = verify(folder, deep=deep)
    if found.problems:
        raise SystemExit(f"the log is not sound: {found.problems[0]}")


def best(work: Callable[[], object]) -> float:
    """Return the least CPU seconds of three tries."""
    times = []
    for _ in range(3):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times)


if __name__ == "__main__":
    main()

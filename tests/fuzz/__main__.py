"""Runs targets for some CPU-seconds each, every target in a process of its own.

    python -m tests.fuzz [TARGET]... [--seconds 600] [--more] [--seed N] [--ledger]

tests/fuzz/ledger.json adds up what each target has had: a run gives it what is missing of `--seconds`, so
that it goes on where the last one was stopped (Ctrl-C books what was done). Exit code 1 if something was
found; the documents are then in .cache/fuzz/TARGET/. Once the fault is fixed, the document belongs in
tests/fuzz/corpus/TARGET/, where every test run tries it.
"""

from __future__ import annotations

import argparse
import json
import resource
import secrets
import signal
import subprocess
import sys
import threading
from fnmatch import fnmatch
from pathlib import Path

from citeproof.answers.serializers import get_version
from tests.fuzz.fuzz_ledger import FuzzLedger
from tests.fuzz.fuzz_loop import name_input, run_target, shrink
from tests.fuzz.fuzz_targets import ROOT, TARGETS

OUT = ROOT / ".cache" / "fuzz"
POOL = 100  # documents that the next run goes on from


def run_here(name: str, seconds: float, seed: int) -> int:
    """Run one target in this process; print a line of JSON."""
    folder = OUT / name
    folder.mkdir(parents=True, exist_ok=True)
    resource.setrlimit(
        resource.RLIMIT_CPU, (int(seconds * 2) + 120, resource.RLIM_INFINITY)
    )  # for hangs in C
    stop = threading.Event()
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, lambda *_: stop.set())
    target = TARGETS[name]
    kept = [path.read_bytes() for path in sorted((folder / "pool").glob("*"))]
    done = run_target(target, seconds, seed, folder / "current", kept=kept, stopped=stop.is_set)
    for found in done.findings.values():
        data = shrink(target, found)
        (folder / name_input(data)).write_bytes(data)
        sys.stderr.write(
            f"{name}: {found.kind} at {found.place}; {folder / name_input(data)}\n{found.trace}\n"
        )
    (folder / "current").unlink(missing_ok=True)
    _keep_pool(folder / "pool", done.pool)
    counts = {"tried": done.tried, "lines": done.lines, "found": len(done.findings)}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    told = counts | {"peak MB": peak, "seconds": round(done.seconds), "stopped": stop.is_set()}
    sys.stdout.write(json.dumps(told) + "\n")
    return bool(done.findings)


def _keep_pool(folder: Path, pool: list[bytes]) -> None:
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    for data in pool[-POOL:]:
        (folder / name_input(data)).write_bytes(data)


def run_apart(name: str, seconds: float, seed: int, ledger: FuzzLedger) -> tuple[bool, bool]:
    """Run one target in a process of its own and book it; return whether all is well, and to go on."""
    command = [sys.executable, "-m", "tests.fuzz", name, "--here", "--seconds", str(seconds)]
    child = subprocess.Popen(
        [*command, "--seed", str(seed)], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, lambda *_: child.terminate())
    printed, trouble = child.communicate()
    row, line = ledger.find_row(name), printed.strip()
    if not line:  # killed, or crashed in C
        ledger.write_row(name, row.add_run(0, 0, 0, 0, 1))
        tell(f"{name:<28} died with code {child.returncode}; input: {OUT / name}/current")
        tell(trouble.strip()[-4000:])
        return False, True
    made = json.loads(line)
    row = row.add_run(made["seconds"], made["tried"], made["lines"], made["peak MB"], made["found"])
    ledger.write_row(name, row)
    tell(f"{name:<28} {line} since the last finding: {row.seconds} s")
    if child.returncode:
        tell(trouble.strip()[-4000:])
    return not child.returncode, not made["stopped"]


def tell(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("targets", nargs="*", help="names or patterns such as 'extractor-*'; default: all")
    parser.add_argument(
        "--seconds", type=float, default=60, help="CPU-seconds for each target, over all runs"
    )
    parser.add_argument("--more", action="store_true", help="so many seconds on top of what the ledger has")
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    parser.add_argument("--list", action="store_true", help="print the names of the targets")
    parser.add_argument("--ledger", action="store_true", help="print what each target has had")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    asked = chosen.targets or ["*"]  # in the order asked for: the riskiest first, if that is wished
    names = list(dict.fromkeys(one for part in asked for one in TARGETS if fnmatch(one, part)))
    if not names:
        parser.error(f"no such target; known: {', '.join(TARGETS)}")
    if chosen.list:
        tell("\n".join(names))
        return 0
    if chosen.here:
        return max(run_here(name, chosen.seconds, chosen.seed) for name in names)
    ledger = FuzzLedger(get_version())
    if chosen.ledger:
        tell(ledger.format_table(names))
        return 0
    bad = ran = 0
    for name in names:
        missing = chosen.seconds if chosen.more else chosen.seconds - ledger.find_row(name).seconds
        if missing < 1:
            continue
        well, on = run_apart(name, missing, chosen.seed, ledger)
        ran, bad = ran + 1, bad + (not well)
        if not on:
            break
    tell(f"seed {chosen.seed}: {ran} targets run, {bad} with findings, {len(names)} asked for")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())

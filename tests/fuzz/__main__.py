"""Runs targets for some CPU-seconds each, every target in a process of its own.

    python -m tests.fuzz [TARGET]... [--seconds 60] [--seed N]

Exit code 1 if something was found; the documents are then in .cache/fuzz/TARGET/. Once the fault is fixed,
the document belongs in tests/fuzz/corpus/TARGET/, where every test run tries it.
"""

from __future__ import annotations

import argparse
import json
import resource
import secrets
import subprocess
import sys
from fnmatch import fnmatch

from tests.fuzz.fuzz_loop import name_input, run_target, shrink
from tests.fuzz.fuzz_targets import ROOT, TARGETS

OUT = ROOT / ".cache" / "fuzz"


def run_here(name: str, seconds: float, seed: int) -> int:
    """Run one target in this process; print a line of JSON."""
    folder = OUT / name
    folder.mkdir(parents=True, exist_ok=True)
    resource.setrlimit(
        resource.RLIMIT_CPU, (int(seconds * 2) + 120, resource.RLIM_INFINITY)
    )  # for hangs in C
    target = TARGETS[name]
    done = run_target(target, seconds, seed, folder / "current")
    for found in done.findings.values():
        data = shrink(target, found)
        (folder / name_input(data)).write_bytes(data)
        sys.stderr.write(
            f"{name}: {found.kind} at {found.place}; {folder / name_input(data)}\n{found.trace}\n"
        )
    (folder / "current").unlink()
    counts = {"tried": done.tried, "lines": done.lines, "found": len(done.findings)}
    sys.stdout.write(
        json.dumps(counts | {"peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}) + "\n"
    )
    return bool(done.findings)


def tell(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("targets", nargs="*", help="names or patterns such as 'extractor-*'; default: all")
    parser.add_argument("--seconds", type=float, default=60, help="CPU-seconds for each target")
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    parser.add_argument("--list", action="store_true", help="print the names of the targets")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    names = [
        one for one in TARGETS if not chosen.targets or any(fnmatch(one, part) for part in chosen.targets)
    ]
    if not names:
        parser.error(f"no such target; known: {', '.join(TARGETS)}")
    if chosen.list:
        tell("\n".join(names))
        return 0
    if chosen.here:
        return max(run_here(name, chosen.seconds, chosen.seed) for name in names)
    bad = 0
    for name in names:
        command = [sys.executable, "-m", "tests.fuzz", name, "--here", "--seconds", str(chosen.seconds)]
        command += ["--seed", str(chosen.seed)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        bad += done.returncode != 0
        told = done.stdout.strip() or f"died with code {done.returncode}; input: {OUT / name}/current"
        tell(f"{name:<28} {told}")
        if done.returncode:
            tell(done.stderr.strip()[-4000:])
    tell(f"seed {chosen.seed}: {len(names)} targets, {bad} with findings")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())

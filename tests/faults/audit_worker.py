"""Writers of an audit log that are killed, or whose system calls fail, and what must be true after.

    python -m tests.faults.audit_worker kill FOLDER COUNT SEED
    python -m tests.faults.audit_worker inject FOLDER SHARE

A process that has imported everything forks the writers: a thousand of them in a minute. Every event that the
log acknowledged is told through a pipe at once, so that what the writer knew outlives it.
"""

from __future__ import annotations

import os
import random
import re
import select
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from citeproof.errors import AuditError
from citeproof.plumbing.clock import SystemClock
from citeproof.proof.audit.anchors.base import AnchorContext
from citeproof.proof.audit.anchors.base import make as anchor
from citeproof.proof.audit.audit_log import AuditLog
from citeproof.proof.audit.key_store import KeyStore
from citeproof.proof.audit.verify.log_check import verify
from tests.proof.audit.logs import assert_sound

# One call has several names: which of them a machine has depends on its architecture.
CALLS = (
    *("openat", "read", "pread64", "write", "pwrite64", "close", "flock", "mkdir", "mkdirat"),
    *("fsync", "fdatasync", "ftruncate", "rename", "renameat", "renameat2"),
    *("link", "linkat", "unlink", "unlinkat"),
)
FAULTS = ("EIO", "ENOSPC")
Told = Callable[[int, str], None]


def log_of(folder: Path) -> AuditLog:
    return AuditLog.open_or_create(folder / "log", SystemClock(), KeyStore(folder / "keys"), every=40)


def anchors(folder: Path) -> list:
    return [anchor("folder:commits", AnchorContext(folder / "log", SystemClock()))]


def append(log: AuditLog, run: str, payloads: list[str], tell: Told) -> None:
    for number, payload in zip(
        log.append(run, [{"ev": "verified", "n": one} for one in payloads]), payloads, strict=True
    ):
        tell(number, payload)


# --- killed -------------------------------------------------------------------------------------


def restless(folder: Path, name: str, tell: Told) -> None:
    """Write for ever: small and large batches, signing, commits, rotation, opening anew."""
    chance, log = random.Random(name), log_of(folder)
    for n in range(10**9):
        at = chance.random()
        if at < 0.7:
            count = chance.choice([1, 1, 3, 30])
            append(log, chance.choice("abc"), [f"{name}-{n}-{m}-{'x' * 300}" for m in range(count)], tell)
        elif at < 0.85:
            log.integrate()
        elif at < 0.95:
            log.commit("a", anchors(folder))
        elif at < 0.97:
            try:
                log.rotate()
            except AuditError as error:
                if error.message != "a run is being written":  # the other one rotates too
                    raise
        else:
            log.close()
            log = log_of(folder)


def kills(folder: Path, count: int, seed: int) -> None:
    chance, said, home, total = random.Random(seed), [], folder / "home", 0
    for n in range(count):
        writers = [forked(lambda tell, name=f"{n}{who}": restless(home, name, tell)) for who in "pq"]
        for pid, _ in writers:
            time.sleep(chance.expovariate(1 / 0.05))
            os.kill(pid, signal.SIGKILL)
        said += [one for writer in writers for one in heard(writer)[1]]
        check(home, said, settle=n % 3 == 0)
        if n % 20 == 19:
            shutil.rmtree(home)
            total, said = total + len(said), []
        say(f"killed {2 * n + 2}: {total + len(said)} acknowledged")


# --- system calls that fail ---------------------------------------------------------------------


def prepared(folder: Path) -> None:
    """Make a log with something in its tiles, and something not."""
    log = log_of(folder)
    log.append("a", [{"ev": "verified", "n": f"before-{n}"} for n in range(39)])
    log.integrate()
    log.append("b", [{"ev": "verified", "n": f"waiting-{n}"} for n in range(3)])
    log.close()


def checkpoint(log: list[AuditLog]) -> None:
    log[0].integrate()


def rotate(log: list[AuditLog]) -> None:
    log[0].rotate()


def steady(folder: Path, tell: Told) -> None:
    """Do everything once; what fails is left, and the next thing done."""
    log: list[AuditLog] = []
    steps = [
        lambda: log.append(log_of(folder)),
        lambda: append(log[0], "a", ["one", "two"], tell),
        lambda: append(log[0], "b", ["three"], tell),
        lambda: checkpoint(log),
        lambda: append(log[0], "new", [f"four-{n}" for n in range(45)], tell),  # integrates by itself
        lambda: append(log[0], "a", ["five"], tell),
        lambda: log[0].commit("a", anchors(folder)),
        lambda: rotate(log),
        lambda: append(log[0], "a", ["six"], tell),
        lambda: checkpoint(log),
    ]
    for step in steps:
        for _ in range(2):  # as its user would
            try:
                step()
                break
            except AuditError:
                continue
            except IndexError:
                return  # it did not open


def inject(folder: Path, share: float) -> None:
    """Let every call fail in turn, with each error: those that a writer makes when nothing fails."""
    steady(folder / "warm", lambda *_: None)  # whatever is imported late is imported now
    prepared(folder / "first")
    counts = traced(folder, ",".join(f"?{call}" for call in CALLS))
    every = [(call, fault, n + 1) for call in CALLS for fault in FAULTS for n in range(counts[call])]
    chosen = random.Random(3).sample(every, max(1, round(share * len(every))))
    met = Counter(call for call, fault, n in sorted(chosen) if traced(folder, call, fault, n)["met"])
    say(f"{met.total()} of {len(chosen)} faults met, of {len(every)} there are: {dict(met)}")
    assert met.total() > 0.8 * len(chosen)  # threads share their work out differently each time


def traced(folder: Path, calls: str, fault: str = "", n: int = 0) -> Counter[str]:
    """Return how often a thread of the writer made each call, and `met` if one failed; check what it left."""
    home = folder / "home"
    shutil.copytree(folder / "first", home)
    gate, go = os.pipe()
    writer = forked(lambda tell: (select.select([gate], [], []), steady(home, tell)))
    trace = folder / "trace"
    command = ["strace", "-f", "-qq", "-o", str(trace), "-e", f"trace={calls}", "-p", str(writer[0])]
    command += ["-e", f"inject={calls}:error={fault}:when={n}"] if fault else []
    tracer = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while not re.search(r"^TracerPid:\s*[1-9]", Path(f"/proc/{writer[0]}/status").read_text(), re.MULTILINE):
        if tracer.poll() is not None:
            raise SystemExit(f"strace: {tracer.communicate()[1]}")
        time.sleep(0.0005)
    os.write(go, b"x")
    status, said = heard(writer)
    tracer.communicate()
    os.close(gate)
    os.close(go)
    lines = trace.read_text()
    try:
        assert status == 0, "the writer ended otherwise than with an AuditError"
        check(
            home,
            said + [(n, f"before-{n}") for n in range(39)] + [(39 + n, f"waiting-{n}") for n in range(3)],
        )
    except BaseException:
        say(f"after {calls} {fault} at {n}: {lines[-3000:]}")
        raise
    shutil.rmtree(home)
    made = Counter(re.findall(r"^(\d+) +(\w+)\(", lines, re.MULTILINE))
    return Counter(met=lines.count("(INJECTED)")) | Counter(
        {call: max(count for (_, name), count in made.items() if name == call) for _, call in made}
    )


# --- both ---------------------------------------------------------------------------------------


def forked(work: Callable[[Told], object]) -> tuple[int, int]:
    """Return a child that does `work`, and where it tells what was acknowledged."""
    read, write = os.pipe()
    pid = os.fork()
    if pid:
        os.close(write)
        return pid, read
    os.close(read)
    try:
        work(lambda number, payload: told(write, number, payload))
        os._exit(0)
    except BaseException:  # noqa: BLE001 - the child must not go on as its parent
        traceback.print_exc()
        os._exit(3)


def told(write: int, number: int, payload: str) -> None:
    try:
        os.write(write, f"{number} {payload}\n".encode())
    except OSError:  # this call was the one to fail
        os.write(write, f"{number} {payload}\n".encode())


def heard(writer: tuple[int, int]) -> tuple[int, list[tuple[int, str]]]:
    """Return how a child ended and what it told until then."""
    pid, read = writer
    with os.fdopen(read) as pipe:
        lines = pipe.read().split("\n")[:-1]
    _, status = os.waitpid(pid, 0)
    return status, [(int(number), payload) for number, _, payload in (line.partition(" ") for line in lines)]


def check(folder: Path, acknowledged: list[tuple[int, str]], *, settle: bool = True) -> None:
    """Raise unless the log opens, is sound, and has everything that was acknowledged, once."""
    log = log_of(folder)
    if settle:
        log.integrate()
    log.close()
    places = [folder / "log", *(folder / "log").glob("closed/*")]
    for place in places:
        touched = verify(place, []).problems
        assert not touched, f"{place}: {touched}"
    found = Counter(
        (entry["seq"], entry["n"])
        for place in places
        for entry in assert_sound(place)
        if entry["ev"] == "verified"
    )
    missing = [one for one in acknowledged if not found[one]]
    assert not missing, f"acknowledged and lost: {missing[:5]}"


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    mode, place, *more = sys.argv[1:]
    if mode == "kill":
        kills(Path(place), int(more[0]), int(more[1]))
    else:
        inject(Path(place), float(more[0]))

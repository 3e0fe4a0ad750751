"""Documents mended while the process is killed or its calls fail: each is old or new, a rerun mends all."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from citeproof.answers.fix import backups as kept
from citeproof.answers.fix.fixed_file import FixedFile
from citeproof.corpus.corpus_types import DocumentResult, Issue, Level, Severity
from citeproof.corpus.document_fixes import fix_document
from citeproof.errors import UsageError
from citeproof.vocabulary import Act, Remedy

ROOT = Path(__file__).parents[2]
OLD = "It is so (REF-001).\n" + "Other words stand here.\n" * 20
NEW = OLD.replace(" (REF-001).", ". <!-- citeproof: removed REF-001 -->")
# One call has several names: which of them a machine has depends on its architecture.
RENAMES, REMOVALS = {"rename", "renameat", "renameat2"}, {"unlink", "unlinkat"}
CALLS = ("openat", "write", "fsync", "fchmod", "fchown", "close", *sorted(RENAMES | REMOVALS))
FAULTS = ("EIO", "ENOSPC")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="kills and traces processes as Linux does"),
]


def mended(path: Path) -> FixedFile | None:
    def examine(data: bytes) -> DocumentResult:
        start = data.find(b"(REF-001)")
        remedy = Remedy(Act.REMOVE, start, start + 9, "removed REF-001") if start >= 0 else None
        place = (1, 1, 1, 1, "", "", "", "")
        issue = Issue("missing-ref", "", "", Severity.CRITICAL, Level.ERROR, *place, remedy)
        return DocumentResult(path.name, issues=(issue,))

    return fix_document(path, path.name, path.read_bytes(), examine)


def write(files: Iterable[FixedFile | None]) -> None:
    """Write the documents that change."""
    changed = [one for one in files if one is not None]
    list(kept.write_fixes(changed, undo="citeproof corpus --undo FILE", copies=False))


def fix(folder: Path) -> None:
    """Mend every document of a folder, as `citeproof corpus --fix` does; wait for a line before writing."""
    files = [mended(path) for path in sorted(folder.glob("*.md"))]
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    try:
        write(files)
    except UsageError as error:
        sys.stdout.write(str(error))
        sys.exit(2)


def started(folder: Path) -> subprocess.Popen[str]:
    """Return a process that has everything ready and waits."""
    command = [sys.executable, "-m", "tests.faults.test_corpus_fix", str(folder)]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
    assert process.stdout.readline() == "ready\n"
    return process


def filled(folder: Path, many: int) -> None:
    folder.mkdir()
    for number in range(many):
        folder.joinpath(f"{number:03}.md").write_text(OLD)


def check(folder: Path, *, killed: bool) -> int:
    """Return how many documents are new; each is old or new, nothing else is left, and a rerun mends all."""
    texts = Counter(path.read_text() for path in folder.glob("*.md"))
    assert set(texts) <= {OLD, NEW}
    other = [
        path.name for path in folder.iterdir() if not re.search(r"\.md(\.citeproof-backup-|$)", path.name)
    ]
    assert killed or not other
    assert all(re.fullmatch(r"\.citeproof-[0-9a-f]{16}\.part", name) for name in other)
    for path in folder.glob("*.md.citeproof-backup-*"):
        assert path.read_text() == OLD
    write(mended(path) for path in sorted(folder.glob("*.md")))
    documents = sorted(folder.glob("*.md"))
    assert {path.read_text() for path in documents} == {NEW}
    list(kept.undo_changes(documents, force=False))
    assert {path.read_text() for path in documents} == {OLD}
    return texts[NEW]


@pytest.fixture
def memory() -> Iterator[Path]:
    """A folder in memory where there is one: calls are what fails here, not disks, and it is quicker."""
    place = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=place if os.access(place, os.W_OK) else None) as folder:
        yield Path(folder)


@pytest.mark.soak
def test_killed_at_any_moment(memory, soak_share):
    chance = random.Random(7)
    for number in range(max(4, round(80 * soak_share))):
        folder, wanted = memory / str(number), chance.randrange(60)
        filled(folder, 60)
        with started(folder) as process:
            process.stdin.write("\n")
            process.stdin.flush()
            while backups(folder) < wanted and process.poll() is None:
                pass  # a nap would miss the middle: all are written in a few hundredths of a second
            process.kill()
            process.communicate()
        assert check(folder, killed=True) >= wanted - 1
        shutil.rmtree(folder)


def backups(folder: Path) -> int:
    return sum(".citeproof-backup-" in path.name for path in folder.iterdir())


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_every_call_may_fail(memory, soak_share):
    """EIO and ENOSPC at each call that writes three documents, with strace."""
    if not shutil.which("strace"):
        pytest.skip("strace is not installed: calls cannot be made to fail")
    counts = traced(memory, ",".join(f"?{call}" for call in CALLS))
    every = [(call, fault, n + 1) for call in CALLS for fault in FAULTS for n in range(counts[call])]
    made = {call for call, *_ in every}
    assert made >= {"openat", "write", "fsync"}
    assert made & RENAMES
    assert made & REMOVALS
    chosen = random.Random(3).sample(every, max(6, round(soak_share * len(every))))
    met = sum(traced(memory, *one)["met"] for one in chosen)
    assert met > 0.8 * len(chosen)


def traced(memory: Path, calls: str, fault: str = "", n: int = 0) -> Counter[str]:
    """Return how often each call was made while three documents were written, and whether one failed."""
    folder, trace = memory / "home", memory / "trace"
    filled(folder, 3)
    with started(folder) as process:
        command = ["strace", "-f", "-qq", "-o", str(trace), "-e", f"trace={calls}", "-p", str(process.pid)]
        command += ["-e", f"inject={calls}:error={fault}:when={n}"] if fault else []
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as tracer:
            attached(process.pid, tracer)
            out, err = process.communicate("\n")
            tracer.wait(30)
    lines = trace.read_text()
    told = f"after {calls} {fault} at {n}: {out} {err[-2000:]} {lines[-2000:]}"
    assert process.returncode in (0, 2) or "OSError" in err or not fault, told
    assert "SIGKILL" not in lines, told
    check(folder, killed=call_cleans(calls, fault))
    shutil.rmtree(folder)
    made = Counter(re.findall(r"^\d+ +(\w+)\(", lines, re.MULTILINE))
    return made | Counter(met=lines.count("(INJECTED)"))


def call_cleans(calls: str, fault: str) -> bool:
    """Return whether the failing call is the one that would have tidied up."""
    return bool(fault) and calls in REMOVALS


def attached(pid: int, tracer: subprocess.Popen[str]) -> None:
    while not re.search(r"^TracerPid:\s*[1-9]", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE):
        if tracer.poll() is not None:
            pytest.skip(f"strace may not trace here: {tracer.stderr.read()}")
        time.sleep(0.001)


if __name__ == "__main__":
    fix(Path(sys.argv[1]))

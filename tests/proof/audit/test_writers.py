"""Many writers at once, in processes and threads: one tree, nothing lost, nothing twice."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from citeproof.proof.audit import log_state
from citeproof.proof.audit.verify.log_check import verify
from tests.proof.audit.logs import again, assert_sound, events, made

ROOT = Path(__file__).parents[3]
WRITER = """
import json, random, sys
from pathlib import Path
from citeproof.proof.audit.key_store import KeyStore
from citeproof.proof.audit.audit_log import AuditLog
from citeproof.plumbing.clock import SystemClock
folder, name, rounds = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
chance = random.Random(name)
log = AuditLog.open_or_create(folder / "log", SystemClock(), KeyStore(folder / "keys"), every=300)
for n in range(rounds):
    run = chance.choice(["shared", name])
    payloads = [f"{name}-{n}-{m}" for m in range(chance.randint(1, 20))]
    numbers = log.append(run, [{"ev": "verified", "n": one} for one in payloads])
    print(json.dumps([run, list(zip(numbers, payloads))]), flush=True)
    if n % 10 == 5:
        log.integrate()
    if n % 25 == 20:
        log.commit(run, [])
"""


@pytest.mark.slow
def test_eight_processes(tmp_path):
    """They find no log: one of them makes it."""
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), f"w{n}", "40"],
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        for n in range(8)
    ]
    looks = 0
    while any(writer.poll() is None for writer in writers):  # who only reads finds it sound at any time
        if (tmp_path / "log/log.json").exists():
            assert verify(tmp_path / "log", []).problems == ()
            looks += 1
    assert looks > 0
    said = [writer.communicate(timeout=120)[0] for writer in writers]
    assert [writer.returncode for writer in writers] == [0] * 8
    assert len(list((tmp_path / "keys").glob("*.key"))) == 1
    entries = assert_sound(tmp_path / "log")
    acknowledged = [
        (number, run, payload)
        for line in "".join(said).splitlines()
        for run, numbered in [json.loads(line)]
        for number, payload in numbered
    ]
    there = [(entry["seq"], entry["run"], entry["n"]) for entry in entries if entry["ev"] == "verified"]
    assert sorted(acknowledged) == there
    assert sum(entry["ev"] == "merkle_commit" for entry in entries) == 8
    log = again(tmp_path)
    log.integrate()
    assert len(assert_sound(tmp_path / "log")) == len(entries)


def test_threads_share_a_log(tmp_path):
    log, numbers, start = made(tmp_path, every=100), [], threading.Barrier(6)

    def write(name: str) -> None:
        start.wait()
        for n in range(25):
            numbers.extend(log.append(name, events(2, n)))
            if n % 7 == 3:
                log.integrate()

    threads = [threading.Thread(target=write, args=(f"t{n}",)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(numbers) == list(range(300))
    assert len(assert_sound(tmp_path / "log")) == 300


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_may_use_the_log_of_its_parent(tmp_path):
    log = made(tmp_path)
    log.append("parent", events(3))
    for _ in range(2):
        child = os.fork()
        if not child:
            os._exit(0 if log.append("child", events(2)) and log.integrate() else 1)
        assert log.append("parent", events(1))
        assert os.waitpid(child, 0)[1] == 0
    assert log.append("parent", events(1)) == [9]
    assert len(assert_sound(tmp_path / "log")) == 10


def test_two_logs_of_one_process(tmp_path):
    one = made(tmp_path, every=7)
    two = again(tmp_path, one.clock, every=5)
    numbers = [log.append("a", events(1))[0] for _ in range(10) for log in (one, two)]
    assert numbers == list(range(20))
    assert one.integrate() == two.integrate()
    assert len(assert_sound(tmp_path / "log")) == 20


def test_a_copy_that_a_killed_writer_left_behind_is_mended_by_who_comes_next(tmp_path):
    """The journal has the line, the readable copy only half of it or nothing: as between two writes."""
    one, two = made(tmp_path), again(tmp_path)
    for cut in (0, 1, 40, None):
        one.append("a", events(2))
        copy = tmp_path / "log/a.jsonl"
        whole = copy.read_bytes()
        one.append("a", events(3))
        copy.write_bytes(copy.read_bytes()[: -cut or None] if cut is not None else whole)
        two.append("b", events(1))
        assert_sound(tmp_path / "log")
        two.append("a", events(1))
        assert_sound(tmp_path / "log")


def test_a_state_that_looks_unchanged_is_not_believed(tmp_path):
    """Times of files are coarse and their numbers used again: two changes may show none."""
    one = made(tmp_path)
    one.append("a", events(1))
    two = again(tmp_path, one.clock)
    two.integrate()
    assert one._view is not None
    one._view.stamp = log_state.read_state_stamp(tmp_path / "log")
    assert one.append("a", events(1)) == [1]
    assert len(assert_sound(tmp_path / "log")) == 2

"""Workers of a process that was killed: they end with it, and hold none of its locks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest

from citeproof.plumbing.disk_files import take_lock

PATIENT = 120.0  # seconds; a loaded machine is slow
_PARENT = """
import os, sys, time
from pathlib import Path
from citeproof.plumbing.disk_files import take_lock
from citeproof.plumbing.worker_processes import WorkerProcesses

class EndlessWork:
    def do(self, payload):
        print(os.getpid(), flush=True)
        time.sleep(1e6)
    def close(self):
        pass

lock = take_lock(Path(sys.argv[1]))
workers = WorkerProcesses(1, EndlessWork)
workers.send(1, b"x")
time.sleep(1e6)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere workers are not forks")
def test_a_worker_in_the_middle_of_its_work_ends_with_its_parent(tmp_path):
    path = tmp_path / ".lock"
    with subprocess.Popen([sys.executable, "-c", _PARENT, str(path)], stdout=subprocess.PIPE) as parent:
        worker = int(parent.stdout.readline())
        parent.kill()
        parent.wait()
        until = time.monotonic() + PATIENT
        try:
            while True:
                try:
                    os.close(take_lock(path))
                    break
                except BlockingIOError:
                    assert time.monotonic() < until
                    time.sleep(0.01)
        finally:
            with suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)

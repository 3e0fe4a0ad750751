"""Whenever and however a process ends: nothing that read files for it is left behind."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.faults.processes import alive, children, running, until

ROOT = str(Path(__file__).parents[2])
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="looks at processes as Linux shows them"),
]

SCRIPT = """
import os, sys
sys.path.insert(0, {root!r})
from citeproof.plumbing import sandbox
{before}
print(sandbox.run("tests.sandboxed:echo", b"olleh").decode())
{after}
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_when_the_parent_ends_in_the_middle(how):
    script = SCRIPT.format(root=ROOT, before="", after='sandbox.run("tests.sandboxed:sleep", b"100")')
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as parent:
        assert parent.stdout.readline() == b"hello\n"
        helper = until(lambda: children(parent.pid))[0]
        child = until(lambda: children(helper))[0]
        parent.send_signal(how)
        parent.wait(30)
        until(lambda: not alive(child) and not alive(helper))


HOLDING = """
sys.stdout.flush()
if os.fork() == 0:  # it knows nothing of us, and keeps every pipe open
    time.sleep(100)
"""


def test_nothing_is_left_while_another_process_holds_our_pipes():
    """As after a fork that a library made, which no hook hears of."""
    before = "import time\nos.register_at_fork = lambda **_: None"
    after = HOLDING + 'sandbox.run("tests.sandboxed:sleep", b"100")'
    script = SCRIPT.format(root=ROOT, before=before, after=after)
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as parent:
        assert parent.stdout.readline() == b"hello\n"
        helper, other = until(lambda: len(both := children(parent.pid)) == 2 and both)
        child = until(lambda: children(helper))[0]
        parent.kill()
        parent.wait(30)
        until(lambda: not alive(child) and not alive(helper))
        os.kill(other, signal.SIGKILL)


@pytest.mark.soak
def test_nothing_is_left_whenever_the_parent_is_killed(soak_share):
    chance = random.Random(11)
    for number in range(max(3, round(60 * soak_share))):
        mark = f"{os.getpid()}-{number}"  # in the helper's command line, as a folder it imports from
        script = SCRIPT.format(root=ROOT, before=f"sys.path.append('/nowhere/{mark}')", after=AGAIN_AND_AGAIN)
        with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.DEVNULL) as parent:
            time.sleep(chance.uniform(0.0, 0.8))
            parent.kill()
            parent.wait(30)
        until(lambda mark=mark: not running(mark))


AGAIN_AND_AGAIN = """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(2) as threads:
    list(threads.map(lambda s: sandbox.run("tests.sandboxed:sleep", s), [b"0.05", b"0.01"] * 99))
"""

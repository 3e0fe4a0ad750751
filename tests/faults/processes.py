"""What Linux tells about processes."""

import time
from pathlib import Path


def until(met):
    for _ in range(1000):
        if found := met():
            return found
        time.sleep(0.02)
    raise AssertionError("it did not happen")


def children(pid):
    try:
        return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def alive(pid):
    try:
        return " Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False


def running(mark):
    return [pid for pid in Path("/proc").iterdir() if pid.name.isdigit() and mark in _command(pid)]


def _command(process):
    try:
        return (process / "cmdline").read_text()
    except OSError:
        return ""

"""Locks between descriptors and processes: who waits, who is refused, what happens when a file goes away."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from citeproof.plumbing import disk_files
from citeproof.plumbing.disk_files import hold_lock, is_still_named, take_lock

OPEN_FILES = Path("/proc/self/fd")
HOLDER = """
import sys, time
from pathlib import Path
from citeproof.plumbing.disk_files import hold_lock, take_lock
path = Path(sys.argv[2])
if sys.argv[1] == "take":
    take_lock(path)
    print("held", flush=True)
    time.sleep(600)
with hold_lock(path):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.mark.parametrize(
    ("first", "second", "refused"),
    [(False, False, True), (False, True, True), (True, False, True), (True, True, False)],
)
def test_only_shared_locks_are_held_together(tmp_path, first, second, refused):
    path = tmp_path / "lock"
    with hold_lock(path, shared=first):
        if refused:
            with pytest.raises(BlockingIOError), hold_lock(path, shared=second, wait=False):
                pass
        else:
            with hold_lock(path, shared=second, wait=False):
                pass
    with hold_lock(path, wait=False):  # nobody has it now
        pass


def test_an_error_inside_lets_go(tmp_path):
    path = tmp_path / "lock"
    with pytest.raises(ZeroDivisionError), hold_lock(path):
        raise ZeroDivisionError
    with hold_lock(path, wait=False):
        pass


def test_who_waits_gets_it_when_the_other_ends(tmp_path):
    path, order = tmp_path / "lock", []

    def wait():
        with hold_lock(path):
            order.append("second")

    with hold_lock(path):
        other = threading.Thread(target=wait)
        other.start()
        order.append("first")
    other.join(60)
    assert order == ["first", "second"]


@pytest.mark.parametrize("how", ["hold", "take"])
def test_a_killed_process_leaves_no_lock(tmp_path, how):
    path = tmp_path / "lock"
    with subprocess.Popen([sys.executable, "-c", HOLDER, how, str(path)], stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(BlockingIOError):
            take_lock(path)
        with pytest.raises(BlockingIOError), hold_lock(path, wait=False):
            pass
        holder.send_signal(signal.SIGKILL)
    os.close(take_lock(path))


def test_a_lock_on_a_file_that_was_removed_meanwhile_is_no_lock(tmp_path, monkeypatch):
    """Whoever had it removes it between our opening it and our locking it; we lock the new one instead."""
    path, lock, opened = tmp_path / "lock", fcntl.flock, []

    def lose_first(handle, how):
        opened.append(os.fstat(handle).st_ino)
        if len(opened) == 1:
            path.unlink()
            (tmp_path / "other").touch()  # so that the number of the file is not used again at once
        lock(handle, how)

    monkeypatch.setattr(disk_files.fcntl, "flock", lose_first)
    handle = take_lock(path)
    monkeypatch.undo()
    try:
        assert len(opened) == 2
        assert is_still_named(path, handle)
        with pytest.raises(BlockingIOError):
            take_lock(path)
        path.unlink()
        assert not is_still_named(path, handle)
        path.touch()
        assert not is_still_named(path, handle)  # a new file of the same name
    finally:
        os.close(handle)


def test_a_refused_lock_leaves_no_file_open(tmp_path):
    path = tmp_path / "lock"
    handle = take_lock(path)
    before = len(list(OPEN_FILES.iterdir()))
    for _ in range(3):
        with pytest.raises(BlockingIOError):
            take_lock(path)
    assert len(list(OPEN_FILES.iterdir())) == before
    os.close(handle)


def test_a_link_is_not_followed(tmp_path):
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    for lock in (lambda path: hold_lock(path).__enter__(), take_lock):
        with pytest.raises(OSError, match="symbolic"):
            lock(tmp_path / "lock")
    assert not (tmp_path / "elsewhere").exists()

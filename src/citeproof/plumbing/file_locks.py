"""Locks on files, against every other process and thread; the kernel frees them with the process."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from citeproof.plumbing.disk_files import NOFOLLOW

FLAGS = os.O_RDWR | os.O_CREAT | NOFOLLOW


@contextmanager
def hold_lock(path: Path, *, shared: bool = False, wait: bool = True, folder: bool = False) -> Iterator[None]:
    """Hold the lock of a file that stays, or of a `folder`; a shared one only against who wants it alone.

    BlockingIOError where somebody has it and we do not `wait`. It is opened again each time: two descriptors
    exclude each other within one process too, and a child that was forked does not share it.
    """
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY if folder else FLAGS, 0o600)
    try:
        fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))
        try:
            yield
        finally:
            with suppress(OSError):
                fcntl.flock(handle, fcntl.LOCK_UN)
    finally:
        with suppress(OSError):
            os.close(handle)


def take_lock(path: Path, mode: int = 0o600) -> int:
    """Return a descriptor that holds the lock until it is closed; BlockingIOError where somebody has it.

    For a file that goes away with its lock: its holder may have removed it while we opened it.
    """
    while True:
        handle = os.open(path, FLAGS, mode)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if is_still_named(path, handle):
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def is_still_named(path: Path, handle: int) -> bool:
    """Return whether an open file has this name."""
    try:
        return os.path.samestat(path.lstat(), os.fstat(handle))
    except FileNotFoundError:
        return False

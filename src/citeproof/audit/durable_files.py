"""Files that are whole or not there, whatever happens: temp, write, fsync, rename, fsync of the folder."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from citeproof.errors import AuditError
from citeproof.stores.disk_sync import sync_folder

_HINTS = {
    errno.ENOSPC: "free some space; what was acknowledged is safe",
    errno.EDQUOT: "free some space of your quota; what was acknowledged is safe",
    errno.EFBIG: "raise the limit on the size of files; what was acknowledged is safe",
    errno.EACCES: "give this user write permission, or name another folder",
    errno.EPERM: "give this user write permission, or name another folder",
    errno.EROFS: "mount it for writing, or name another folder",
    errno.ENOTDIR: "name a folder",
    errno.EMFILE: "raise the limit on open files",
    errno.ENOENT: "restore the folder if it was moved or removed",
}


@contextmanager
def convert_disk_errors(place: Path, doing: str = "the audit log cannot be written") -> Iterator[None]:
    """Turn the faults of disks and permissions into our error, with the place and the hint."""
    try:
        yield
    except OSError as error:
        hint = _HINTS.get(error.errno or 0, "check the disk; what was acknowledged is safe")
        where = str(error.filename or place)
        raise AuditError(f"{doing}: {error.strerror or error}", place=where, hint=hint) from error


@contextmanager
def hold_lock(path: Path, *, shared: bool = False, wait: bool = True) -> Iterator[None]:
    """Hold the lock against every other process and thread; a shared one only against who wants it alone.

    BlockingIOError where somebody has it and we do not `wait`. It is opened again each time: two descriptors
    exclude each other within one process too, and a child that was forked does not share it.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
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


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it that are missing, for this user only; their names last."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except FileExistsError:
        raise NotADirectoryError(errno.ENOTDIR, "this is a file, not a folder", str(folder)) from None
    with suppress(PermissionError):  # who may add a name to a folder need not have the right to read it
        sync_folder(folder.parent)


def replace_file(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Put `data` in the place of `path`, so that a reader sees the old bytes or the new, never others."""
    temp = path.with_name(f".{path.name}.new")
    handle = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, mode)
    try:
        write_all(handle, data)
        os.fsync(handle)
    finally:
        os.close(handle)
    temp.replace(path)
    sync_folder(path.parent)


def write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def read_small_file(path: Path, most: int = 1 << 20) -> bytes | None:
    """Return the bytes of a small file of ours, None where there is none."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    try:
        with open(handle, "rb", closefd=False) as file:  # closed below even where a folder is here
            data = file.read(most + 1)
    finally:
        os.close(handle)
    if len(data) > most:
        raise AuditError("is too large", place=str(path), hint="restore it from a backup")
    return data

"""How files are written, opened and locked, for every room: whole or not at all, and never through a link.

What may be at a name, and which errors a user sees, is decided above: `own_files` for our state and caches,
`output_files` for what a user asked for, `audit` for the log.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

PERMISSIONS = 0o666  # less the user's mask, as any new file
NOFOLLOW = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)  # Windows has neither
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NOFOLLOW
MORE = os.O_WRONLY | os.O_CREAT | os.O_APPEND | NOFOLLOW
PLAIN = os.O_RDONLY | NOFOLLOW | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)  # no pipe hangs us
FLAGS = os.O_RDWR | os.O_CREAT | NOFOLLOW


@contextmanager
def open_replacement(target: Path, mode: int = PERMISSIONS, *, beside: str = "") -> Iterator[BinaryIO]:
    """Yield a new file that takes the place of `target` at the end; an error leaves the old one and no trace.

    A link at `target` is replaced, not followed. `beside`: the name it has until then, so that a crash leaves
    one such file and not many; only for a folder where no other program writes.
    """
    new = target.with_name(beside or f".citeproof-{os.urandom(8).hex()}.part")
    if beside:
        new.unlink(missing_ok=True)
    try:
        with os.fdopen(os.open(new, NEW, mode), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        new.replace(target)
    finally:
        with suppress(OSError):
            new.unlink(missing_ok=True)


def replace_durably(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Put `data` in the place of our own file, forever: the name of the new one is on the disk too."""
    with open_replacement(path, mode, beside=f".{path.name}.new") as file:
        file.write(data)
    sync_folder(path.parent)


def write_synced(path: Path, data: bytes, flags: int, mode: int = 0o600) -> None:
    """Open a file with `flags`, write `data` and have it on the disk; half a new file is removed again."""
    handle = os.open(path, flags, mode)
    try:
        write_all(handle, data)
        os.fsync(handle)
    except OSError:
        if flags & os.O_EXCL:
            path.unlink()
        raise
    finally:
        os.close(handle)


def write_all(handle: int, data: bytes) -> None:
    """Write all of `data`, however little the system takes at once."""
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def sync_folder(folder: Path) -> None:
    """Have the names in `folder` on the disk: only then do they last over a power cut."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def open_plain_file(path: Path | str, *, folder: int | None = None) -> int:
    """Return a descriptor of a regular file, named in an open `folder`; no link or pipe is followed."""
    handle = os.open(path, PLAIN, dir_fd=folder)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "it is not a plain file", str(path))
    return handle


def read_plain_file(path: Path | str, most: int) -> bytes:
    """Return the bytes of a regular file; OSError (EFBIG) if it has more than `most`."""
    handle = open_plain_file(path)
    try:
        data = read_up_to(handle, most + 1) if os.fstat(handle).st_size <= most else None
    finally:
        os.close(handle)
    if data is None or len(data) > most:
        raise OSError(errno.EFBIG, "it is too large", str(path))
    return data


def read_up_to(handle: int, most: int) -> bytes:
    """Return what an open file has from here on, `most` bytes of it at most."""
    pieces, left, step = list[bytes](), most, max(os.fstat(handle).st_size + 1, 1 << 16)
    while left and (piece := os.read(handle, min(left, step))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


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

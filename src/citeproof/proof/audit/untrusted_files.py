"""Files of a folder that anybody may have written: no link is followed, nothing blocks, all is bounded."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Self

from citeproof.errors import AuditError
from citeproof.plumbing.disk_files import open_plain_file, read_up_to

MAX_NAMES = 1_000_000  # names of one folder that are examined
OPEN_FOLDERS = 64
WAITS = 50  # times a tenth of a second for a writer to let go of the lock


class UnreadableFileError(Exception):
    """A file that is not there (`absent`), that we may not read (`denied`), or that is no plain file."""

    def __init__(self, name: str, why: str, *, absent: bool = False, denied: bool = False) -> None:
        super().__init__(f"{name}: {why}")
        self.name, self.why, self.absent, self.denied = name, why, absent, denied


class UntrustedFolder:
    """Plain files below one folder, by relative name; links out of it (or in it) are not followed."""

    def __init__(self, folder: Path) -> None:
        try:
            self._root = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except FileNotFoundError as error:
            raise UnreadableFileError(str(folder), "no such folder", absent=True) from error
        except OSError as error:
            raise UnreadableFileError(
                str(folder), _explain_error(error), denied=isinstance(error, PermissionError)
            ) from error
        self._folders: dict[str, int] = {"": self._root}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for descriptor in self._folders.values():
            os.close(descriptor)
        self._folders = {}

    def file(self, name: str) -> BinaryIO:
        """Return the plain file `name`, open for reading and unbuffered."""
        parent, _, last = name.rpartition("/")
        try:
            descriptor = open_plain_file(last, folder=self._folder(parent))
        except (OSError, ValueError) as error:  # ValueError: a null byte in the name
            absent = isinstance(error, FileNotFoundError | NotADirectoryError)
            denied = isinstance(error, PermissionError)
            raise UnreadableFileError(name, _explain_error(error), absent=absent, denied=denied) from error
        return open(descriptor, "rb", buffering=0)  # noqa: PTH123 - a descriptor, not a path

    def read(self, name: str, limit: int) -> bytes:
        """Return the whole file `name`, which may have `limit` bytes at most."""
        with self.file(name) as file:
            large = os.fstat(file.fileno()).st_size > limit
            try:
                data = b"" if large else read_up_to(file.fileno(), limit + 1)
            except OSError as error:
                raise UnreadableFileError(name, _explain_error(error)) from error
        if large or len(data) > limit:
            raise UnreadableFileError(name, f"it has more than {limit:,} bytes, the limit for such a file")
        return data

    def require(self, name: str, limit: int) -> bytes:
        """Return the whole file `name`; AuditError with the hint if that cannot be."""
        try:
            return self.read(name, limit)
        except UnreadableFileError as error:
            hint = "run `citeproof audit verify` to see what is wrong with the log"
            raise AuditError(error.why, place=name, hint=hint) from error

    def size(self, name: str) -> int:
        with self.file(name) as file:
            return os.fstat(file.fileno()).st_size

    def has(self, name: str) -> bool:
        """Return whether anything at all has this name, a link included."""
        parent, _, last = name.rpartition("/")
        try:
            os.stat(last, dir_fd=self._folder(parent), follow_symlinks=False)
        except (OSError, ValueError):
            return False
        return True

    def names(self, folder: str = "", *, strict: bool = False) -> list[str]:
        """Return the names in `folder`, sorted; none if it is not a folder or, unless `strict`, not ours."""
        try:
            with os.scandir(self._folder(folder)) as listing:
                return sorted(entry.name for entry, _ in zip(listing, range(MAX_NAMES), strict=False))
        except OSError as error:
            if strict and isinstance(error, PermissionError):
                raise UnreadableFileError(folder, _explain_error(error), denied=True) from error
            return []

    def _folder(self, name: str) -> int:
        """Return a descriptor of the folder `name`, opened step by step so that no link is followed."""
        if name in self._folders:
            return self._folders[name]
        if len(self._folders) > OPEN_FOLDERS:
            for other in [other for other in self._folders if other]:
                os.close(self._folders.pop(other))
        parent, _, last = name.rpartition("/")
        above = self._folder(parent)
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        self._folders[name] = os.open(last, flags, dir_fd=above)
        return self._folders[name]

    @contextmanager
    def hold_writers(self) -> Iterator[bool]:
        """Hold writers off for a moment; False when that cannot be had, and the files may move."""
        try:
            lock = self.file("lock")
        except UnreadableFileError:
            yield False
            return
        with lock:
            yield _lock_shared(lock)


def _lock_shared(lock: BinaryIO) -> bool:
    for _ in range(WAITS):
        with suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return True
        time.sleep(0.1)
    return False


def _explain_error(error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return "it is missing"
    if isinstance(error, OSError) and error.errno == 40:  # ELOOP
        return "it is a link; links are not followed"
    return (getattr(error, "strerror", "") or "it cannot be read").lower()

"""The one way to open files of our own: state, caches, locks, databases.

1. They lie in a private folder: ours, no symbolic link, writable by no other user.
2. They are our own regular files with one name; no symbolic link is followed.
3. None is cut short in place: SQLite has its journal, and a state has a fixed size, changed by one write.

A project is somebody else's: a link that it holds at a name of ours must lead none of our writing elsewhere.
What is refused is an OSError, so that callers that can do without the file do.
"""

from __future__ import annotations

import errno
import os
import shlex
import stat
from contextlib import suppress
from pathlib import Path

_CLOSED = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_ADJACENT = ("-wal", "-shm", "-journal")  # what SQLite keeps next to a database
_ELSEWHERE = "move it away, or name another folder"


class RefusedFileError(PermissionError):
    """A file or folder that we do not use, and how to fix it."""

    def __init__(self, path: Path | str, why: str, hint: str = _ELSEWHERE) -> None:
        super().__init__(errno.EPERM, why, str(path))
        self.hint = hint


def make_private_folder(folder: Path) -> None:
    """Make a folder for this user alone, with those above it that are missing; refuse one of others."""
    _make_folder(folder)
    status = folder.lstat()
    ours = hasattr(os, "geteuid") and status.st_uid == os.geteuid()
    if ours and stat.S_ISDIR(status.st_mode) and status.st_mode & 0o022 == 0o020:
        folder.chmod(stat.S_IMODE(status.st_mode) & ~0o020)  # many systems let the group write to new folders
    check_own_folder(folder)


def check_own_folder(folder: Path | str, *, private: bool = True) -> None:
    """Refuse a folder that is a link, is not ours or, if it is to be private, may be written by others."""
    status = os.lstat(folder)
    if stat.S_ISLNK(status.st_mode):
        real = shlex.quote(os.path.realpath(folder))
        raise RefusedFileError(folder, "is a symbolic link", f"name the folder itself: {real}")
    if not stat.S_ISDIR(status.st_mode):
        raise RefusedFileError(folder, "is not a folder")
    _check_owner(folder, status)
    others = (0o022 if private else 0o002) if hasattr(os, "getuid") else 0
    if status.st_mode & others:
        hint = f"chmod go-w {shlex.quote(str(folder))}"
        raise RefusedFileError(folder, "can be written by other users", hint)


def check_own_tree(folder: Path) -> None:
    """Refuse a folder in which we left work half done, if it holds anything that we cannot have put there."""
    check_own_folder(folder, private=False)
    for place, folders, files in os.walk(folder):
        for name in folders:
            check_own_folder(Path(place, name), private=False)
        for name in files:
            check_own_file(Path(place, name))


def check_own_file(path: Path) -> bool:
    """Return whether our own file is there; refuse anything else that is in its place."""
    try:
        status = path.lstat()
    except FileNotFoundError:
        return False
    _check_regular_file(path, status)
    return True


def open_own_file(path: Path, flags: int, mode: int = 0o600) -> int:
    """Return a descriptor of a regular file of ours in a private folder; no link is followed."""
    check_own_folder(os.path.dirname(path) or ".")  # noqa: PTH120 - every request to a source comes here
    try:
        handle = os.open(path, flags | _CLOSED, mode)
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.EMLINK}:
            raise RefusedFileError(path, "is a symbolic link") from error
        raise
    try:
        _check_regular_file(path, os.fstat(handle))
    except OSError:
        os.close(handle)
        raise
    return handle


def prepare_own_database(path: Path) -> None:
    """Make room for a database of ours, which SQLite opens by name; refuse links there and next to it."""
    make_private_folder(path.parent)
    check_own_database(path)
    with suppress(FileExistsError):
        os.close(open_own_file(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL))


def check_own_database(path: Path) -> None:
    """Refuse a database that is not our own file, or that has foreign files next to it."""
    for end in ("", *_ADJACENT):
        check_own_file(Path(f"{path}{end}"))


def _make_folder(folder: Path) -> None:
    if os.path.lexists(folder):
        return
    if folder.parent != folder:
        _make_folder(folder.parent)
    with suppress(FileExistsError):  # another process was quicker
        folder.mkdir(mode=0o700)


def _check_regular_file(path: Path, status: os.stat_result) -> None:
    if stat.S_ISLNK(status.st_mode):
        raise RefusedFileError(path, "is a symbolic link")
    if not stat.S_ISREG(status.st_mode):
        raise RefusedFileError(path, "is not a regular file")
    _check_owner(path, status)
    if status.st_nlink > 1:
        raise RefusedFileError(path, "has a second name (a hard link)")


def _check_owner(path: Path | str, status: os.stat_result) -> None:
    if hasattr(os, "geteuid") and status.st_uid != os.geteuid():
        hint = "run this as its owner, or change the owner (chown)"
        raise RefusedFileError(path, "belongs to another user", hint)

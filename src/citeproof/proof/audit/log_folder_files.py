"""The folders and small files of an audit log, and the message when the disk fails."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from citeproof.errors import AuditError
from citeproof.plumbing.disk_files import read_plain_file, sync_folder

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


def read_small_file(path: Path, most: int = 1 << 20) -> bytes | None:
    """Return the bytes of a small file of ours, None where there is none."""
    try:
        return read_plain_file(path, most)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno != errno.EFBIG:
            raise
        hint = "restore it from a backup"
        raise AuditError("is too large", place=str(path), hint=hint) from error

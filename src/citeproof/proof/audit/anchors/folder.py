"""A folder in which every checkpoint is written once and never again: `<run>/<YYYY-MM-DDTHH>.merkle`.

It is the default, inside the log, where it proves nothing against anyone who can write there. On a disk or
share that refuses changes (`chattr +a` on the folder, a snapshotting or WORM file server) it does. No file
of the anchor is ever renamed or removed, so that such a folder can be used.
"""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from citeproof.plumbing.disk_files import NEW, sync_folder, write_all
from citeproof.plumbing.output_files import check_output_folder
from citeproof.proof.audit.anchors import base
from citeproof.proof.audit.anchors.base import (
    SUFFIX,
    AnchorContext,
    AnchorOutcome,
    HeldCheckpoint,
    HeldStatus,
)
from citeproof.proof.audit.log_state import make_folder
from citeproof.proof.audit.untrusted_files import UnreadableFileError, UntrustedFolder

DEFAULT = "commits"
_BACK = 8  # earlier commits of the hour that may have these very bytes: somebody tries again
_TRIES = 1000  # names that others take while we look for one
_WHOLE = 0o444
_TMPFILE = getattr(os, "O_TMPFILE", 0)
_UNKNOWN = (errno.EOPNOTSUPP, errno.EISDIR, errno.ENOENT, errno.EINVAL, errno.EXDEV)  # O_TMPFILE or /proc


class FolderAnchor:
    """Files that are made whole or not at all, and never replaced."""

    name = "folder"

    def __init__(self, folder: Path, shown: str, *, create: bool = False, suffix: str = SUFFIX) -> None:
        """Take the folder and how outcomes call it; `create` it only where no disk can be missing."""
        self._folder, self._shown, self._create, self._suffix = folder, shown, create, suffix

    @property
    def inside(self) -> str:
        """The name in the log's folder that is this anchor's; empty for a folder elsewhere."""
        top = self._shown.partition("/")[0]
        return top if self._create and top not in (".", "..") else ""

    def put(self, run: str, hour: str, checkpoint: bytes) -> AnchorOutcome:
        """Return where the checkpoint is; the same bytes are not written twice."""
        base.check_commit_name(run, hour)
        try:
            stem = self._find_same_bytes(run, hour, checkpoint)
        except (OSError, UnreadableFileError) as error:
            why = error.strerror if isinstance(error, OSError) else error.why
            return AnchorOutcome(
                self.name, ok=False, place=f"{self._shown}/{run}", detail=f"not written: {why}"
            )
        return AnchorOutcome(self.name, ok=True, place=f"{self._shown}/{run}/{stem}{self._suffix}")

    def write(self, run: str, stem: str, data: bytes) -> bool:
        """Write a file next to the checkpoints; False, and nothing is touched, when one has that name."""
        return _create_file(self._find_run_folder(run), stem + self._suffix, data)

    def list_held(self, run: str | None = None) -> Iterator[HeldCheckpoint]:
        """Yield every checkpoint in the folder, in the order of their names."""
        try:
            files = UntrustedFolder(self._folder)
        except UnreadableFileError as error:
            if not (self._create and error.absent):
                yield HeldCheckpoint(self._shown, b"", error.why, HeldStatus.UNREAD)
            return
        with files:
            for owner in [run] if run is not None else files.names():
                for name in files.names(owner):
                    if name.endswith(self._suffix):
                        yield self._read_held(files, f"{owner}/{name}")

    def read(self, run: str, stem: str) -> bytes | None:
        """Return the bytes of one file, None when there is none."""
        try:
            with UntrustedFolder(self._folder) as files:
                return files.read(f"{run}/{stem}{self._suffix}", base.LARGEST)
        except UnreadableFileError as error:
            if error.absent:
                return None
            raise

    def _read_held(self, files: UntrustedFolder, name: str) -> HeldCheckpoint:
        try:
            return HeldCheckpoint(f"{self._shown}/{name}", files.read(name, base.LARGEST))
        except UnreadableFileError as error:
            return HeldCheckpoint(f"{self._shown}/{name}", b"", error.why, HeldStatus.UNREAD)

    def _find_same_bytes(self, run: str, hour: str, data: bytes) -> str:
        """Return the name under which exactly these bytes stand."""
        home = self._find_run_folder(run)
        for _ in range(_TRIES):
            number = base.find_free_number(
                lambda n: os.path.lexists(home / f"{base.name_commit(hour, n)}{self._suffix}")
            )
            for earlier in range(number - 1, max(0, number - 1 - _BACK), -1):
                if self.read(run, base.name_commit(hour, earlier)) == data:
                    return base.name_commit(hour, earlier)
            if _create_file(home, f"{base.name_commit(hour, number)}{self._suffix}", data):
                return base.name_commit(hour, number)
        raise OSError(errno.EEXIST, "every file name is taken")

    def _find_run_folder(self, run: str) -> Path:
        """Return the folder of a run; a share that is not mounted must not be made on the local disk."""
        if self._create:
            check_output_folder(self._folder)
            make_folder(self._folder)
        home = self._folder / run
        try:
            home.mkdir(mode=0o700)
        except FileExistsError:
            if home.is_symlink():
                raise OSError(errno.ELOOP, "the folder of the run is a link") from None
        except FileNotFoundError:
            raise OSError(errno.ENOENT, f"{self._shown} is not there; is it mounted?") from None
        else:
            sync_folder(self._folder)
        return home


def _create_file(home: Path, name: str, data: bytes) -> bool:
    """Make a file with all its bytes, in the best way that the disk knows; False when the name is taken."""
    way = _write_unnamed
    while True:
        try:
            way(home, name, data)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno == errno.EPERM and way is not _write_in_place:
                way = _write_in_place  # no links: the file system has none, or the folder is append-only
            elif error.errno in _UNKNOWN and way is _write_unnamed:
                way = _write_then_link
            else:
                raise
        else:
            break
    sync_folder(home)
    return True


def _write_unnamed(home: Path, name: str, data: bytes) -> None:
    """Write a file without a name, then name it: nothing but the whole file is ever seen."""
    if not _TMPFILE:
        raise OSError(errno.EOPNOTSUPP, "not Linux")
    handle = os.open(home, _TMPFILE | os.O_WRONLY | os.O_CLOEXEC, _WHOLE)
    try:
        _fill_file(handle, data)
        # an absolute path needs no handle; given one, Python calls linkat, which follows the link
        os.link(f"/proc/self/fd/{handle}", home / name, src_dir_fd=handle, follow_symlinks=True)
    finally:
        os.close(handle)


def _write_then_link(home: Path, name: str, data: bytes) -> None:
    """Write a file of another name, then link it: for network shares. A crash may leave the other name."""
    other = home / f".{name}.{secrets.token_hex(4)}.part"
    _write_in_place(home, other.name, data)
    try:
        os.link(other, home / name)
    finally:
        with suppress(OSError):
            other.unlink()


def _write_in_place(home: Path, name: str, data: bytes) -> None:
    """Write under the name itself, where links are unknown: a crash may leave half a file."""
    handle = os.open(home / name, NEW, _WHOLE)
    try:
        _fill_file(handle, data)
    finally:
        os.close(handle)


def _fill_file(handle: int, data: bytes) -> None:
    write_all(handle, data)
    os.fchmod(handle, _WHOLE)  # whatever the umask says: others may verify
    os.fsync(handle)


def make_anchor(path: str, around: AnchorContext, suffix: str = SUFFIX) -> FolderAnchor:
    """Return the anchor of `folder:PATH`; one inside the log is made when it is first needed.

    The log tells of a folder elsewhere by its last name: whole paths name people.
    """
    folder = base.resolve_path(around, path)
    own = folder.is_relative_to(around.folder)
    shown = folder.relative_to(around.folder).as_posix() if own else f"…/{folder.name}"
    return FolderAnchor(folder, shown, create=own, suffix=suffix)

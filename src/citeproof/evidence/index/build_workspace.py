"""A folder in which a snapshot grows: it becomes the snapshot at the end, and stays if there is none yet.

The build happens in `<out>.building` next to the target. Its part `snapshot` is renamed to the target when
all is written and synced, and the rest goes away. A build that is stopped (an interrupt, a full disk, a
kill) leaves the folder, and the same build continues there. A lock keeps two builds apart.
"""

from __future__ import annotations

import errno
import os
import shutil
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

from citeproof.errors import SnapshotError
from citeproof.evidence.index.manifest import refuse_inside, remember_own_snapshot
from citeproof.plumbing.disk_files import PERMISSIONS, sync_folder, take_lock
from citeproof.plumbing.output_files import check_output_folder
from citeproof.plumbing.own_files import RefusedFileError, check_own_tree

SNAPSHOT, LOCK = "snapshot", "lock"
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_ENDING = ".building"


class Workspace:
    """The folder of one build. `lost` says that nothing can continue from it, whatever it holds."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.snapshot = folder / SNAPSHOT
        self.lost = False

    def clear(self) -> None:
        """Remove all but the lock: nothing of an earlier build is left."""
        for path in self.folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            elif path.name != LOCK:
                path.unlink()


def name_build_folder(out: Path) -> Path:
    """Return where the snapshot `out` is built."""
    out = out.absolute()
    return out.parent / f"{out.name}{_ENDING}"


@contextmanager
def open_workspace(out: Path, worth: Callable[[Workspace], object]) -> Iterator[Workspace]:
    """Yield the folder in which `out` is built; without an exception its snapshot becomes `out`.

    After an exception the folder stays if `worth` says that a build can continue from it.
    """
    out = out.absolute()
    check_output_folder(out)
    with _explain_errors(out), _allow_termination():
        check_target(out)
        with _hold_lock(name_build_folder(out)):
            space = Workspace(name_build_folder(out))
            try:
                check_target(out)  # a build that has just ended may have made it
                yield space
                sync_tree(space.snapshot)
                space.snapshot.rename(out)
                sync_folder(out.parent)
                remember_own_snapshot(out)
            except BaseException:
                if space.lost or not worth(space):
                    shutil.rmtree(space.folder, ignore_errors=True)
                raise
            shutil.rmtree(space.folder, ignore_errors=True)


def check_target(out: Path) -> None:
    """Raise if something is at `out` that a snapshot must not replace, or around it."""
    refuse_inside(out)
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise SnapshotError(
            "already exists; a snapshot is never overwritten",
            place=str(out),
            hint="choose another --out, or remove it first",
        )


@contextmanager
def _hold_lock(folder: Path) -> Iterator[None]:
    """Hold the lock of `folder`, which is made if it is not there; raise if somebody else holds it."""
    handle = None
    while handle is None:
        folder.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):  # a build that has just ended took its folder away meanwhile
            handle = _take_lock(folder)
    try:
        yield
    finally:
        os.close(handle)


def _take_lock(folder: Path) -> int:
    try:
        check_own_tree(folder)  # a project may bring one, with links that would lead our writing elsewhere
        return take_lock(folder / LOCK, PERMISSIONS)
    except RefusedFileError as error:
        message = f"{error.strerror}: a build continues only in its own folder, without links"
        raise SnapshotError(message, place=error.filename, hint=f"remove {folder}") from error
    except BlockingIOError as error:
        hint = "wait until it ends, or choose another --out"
        raise SnapshotError("another build is running here", place=str(folder), hint=hint) from error


@contextmanager
def _allow_termination() -> Iterator[None]:
    """Let SIGTERM end the build like an interrupt does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, _: FrameType | None) -> None:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def sync_tree(folder: Path) -> None:
    """Have all files of `folder` on the disk, and their names."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())
    for path in [*(p for p in folder.rglob("*") if p.is_dir()), folder]:
        sync_folder(path)


@contextmanager
def _explain_errors(out: Path) -> Iterator[None]:
    """Turn what the disk and tantivy say into our words."""
    try:
        yield
    except OSError as error:
        raise _explain_error(error, out) from error
    except ValueError as error:  # tantivy reports disk errors so
        if "IoError" in str(error) or "os error" in str(error):
            raise _explain_error(error, out) from error
        raise


def _explain_error(error: Exception, out: Path) -> SnapshotError:
    number = error.errno if isinstance(error, OSError) else None
    text = str(error)
    if number in _FULL or "No space left" in text or "File too large" in text:
        hint = "free some space, then run the same command again to continue"
        return SnapshotError(f"the disk is full: {text}", place=str(out.parent), hint=hint)
    if number in {errno.EACCES, errno.EPERM, errno.EROFS}:
        problem, hint = "cannot be written: no permission", "choose another --out"
        return SnapshotError(problem, place=str(out.parent), hint=hint)
    hint = "see the message, then build again"
    return SnapshotError(f"could not be built: {text}", place=str(out), hint=hint)

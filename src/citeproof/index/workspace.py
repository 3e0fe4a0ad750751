"""A folder that becomes the snapshot at the end, or nothing at all.

The build happens in `<out>.building-<pid>` beside the target and is renamed onto it when all is
written and synced. Whatever ends the build earlier (an error, an interrupt, a full disk) removes the
folder; what a killed build left is found and removed by the next one.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from citeproof.errors import SnapshotError

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_MARK = ".building-"


@contextmanager
def workspace(out: Path) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Yield a fresh folder and the names of removed leftovers; on success it becomes `out`."""
    out = out.absolute()
    try:
        _check(out)
        leftovers = _remove_leftovers(out)
    except OSError as error:
        raise _explained(error, out) from error
    folder = out.parent / f"{out.name}{_MARK}{os.getpid()}"
    try:
        with _terminable():
            folder.mkdir(parents=True)
            yield folder, leftovers
            _sync(folder)
            folder.rename(out)
            _sync_folder(out.parent)
    except OSError as error:
        raise _explained(error, out) from error
    except ValueError as error:  # tantivy reports disk trouble so
        if "IoError" in str(error) or "os error" in str(error):
            raise _explained(error, out) from error
        raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _check(out: Path) -> None:
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise SnapshotError(
            "already exists; a snapshot is never overwritten",
            place=str(out),
            mend="choose another --out, or remove it first",
        )


def _remove_leftovers(out: Path) -> tuple[str, ...]:
    """Remove the folders of builds whose process is gone, and return their names."""
    pattern = re.compile(re.escape(out.name + _MARK) + r"(\d{1,10})")
    removed = []
    for path in sorted(out.parent.glob(f"*{_MARK}*")):
        match = pattern.fullmatch(path.name)
        if match and not _alive(int(match[1])):
            shutil.rmtree(path, ignore_errors=True)
            removed.append(path.name)
    return tuple(removed)


def _alive(pid: int) -> bool:
    if pid == os.getpid():
        return False  # a number used again: our own folder does not exist yet
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


@contextmanager
def _terminable() -> Iterator[None]:
    """Let SIGTERM end the build like an interrupt does, with its folder removed."""
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


def _sync(folder: Path) -> None:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())
    for path in [*(p for p in folder.rglob("*") if p.is_dir()), folder]:
        _sync_folder(path)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _explained(error: Exception, out: Path) -> SnapshotError:
    number = error.errno if isinstance(error, OSError) else None
    text = str(error)
    if number in _FULL or "No space left" in text or "File too large" in text:
        return SnapshotError(
            f"the disk is full: {text}",
            place=str(out.parent),
            mend="free some space, or choose another --out",
        )
    if number in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return SnapshotError("may not be written", place=str(out.parent), mend="choose another --out")
    return SnapshotError(
        f"could not be built: {text}", place=str(out), mend="see the message, then build again"
    )

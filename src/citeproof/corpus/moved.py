"""The file of a root that was moved, taken over under its new name; files of roots long gone, taken away.

Whatever is taken over is tested like any other row before it is used: a wrong guess costs time only.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

TABLE = "CREATE TABLE IF NOT EXISTS root (path BLOB NOT NULL, device INTEGER, inode BLOB);"
_LOOKED = 200  # files that are looked at, the youngest first
_OLD = 90 * 86_400 * 10**9  # ns without use after which the file of a root that is gone goes


def note(database: sqlite3.Connection, root: bytes) -> None:
    """Write down whose rows these are."""
    row = (root, *_identity(root))
    if database.execute("SELECT path, device, inode FROM root").fetchall() != [row]:
        database.execute("DELETE FROM root")
        database.execute("INSERT INTO root VALUES (?, ?, ?)", row)


def take_over(path: Path, root: bytes, now: int) -> None:
    """Make the file at `path` from that of a root that is gone and was this one: same inode, or same name."""
    identity, name = _identity(root), Path(os.fsdecode(root)).name
    for other, was, was_identity in _gone(path.parent):
        if was_identity == identity or Path(os.fsdecode(was)).name == name:
            with suppress(sqlite3.Error, OSError):
                path.touch(mode=0o600)
                with closing(sqlite3.connect(other)) as old, closing(sqlite3.connect(path)) as new:
                    old.backup(new)
                _remove(other)
            return
        if now - other.stat().st_mtime_ns > _OLD:
            _remove(other)


def _gone(folder: Path) -> Iterator[tuple[Path, bytes, tuple[int, bytes]]]:
    """Yield files whose root is not there any more, with its path and what it was."""
    with suppress(OSError):
        files = sorted(folder.glob("*.sqlite"), key=lambda file: file.stat().st_mtime_ns, reverse=True)
        for file in files[:_LOOKED]:
            with (
                suppress(sqlite3.Error),
                closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as old,
            ):
                rows = old.execute("SELECT path, device, inode FROM root").fetchall()
                if rows and isinstance(rows[0][0], bytes) and not os.path.lexists(rows[0][0]):
                    yield file, rows[0][0], rows[0][1:]


def _identity(root: bytes) -> tuple[int, bytes]:
    """Return what a folder keeps when it is moved within a file system."""
    try:
        found = os.stat(root)  # noqa: PTH116 - bytes
    except OSError:
        return 0, root
    return found.st_dev, found.st_ino.to_bytes(16, "big")


def _remove(file: Path) -> None:
    for end in ("", "-wal", "-shm"):
        with suppress(OSError):
            Path(f"{file}{end}").unlink()

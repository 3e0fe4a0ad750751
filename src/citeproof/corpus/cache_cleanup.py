"""Files that were kept for roots which are long gone, taken away.

A root is known by its path alone. One that was moved begins again: neither its name nor its inode, which the
system gives to the next folder, would prove that rows are its own.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

from citeproof.stores.cache_database import WAIT
from citeproof.stores.sqlite_file import ENDINGS, connect_database

TABLE = "CREATE TABLE IF NOT EXISTS root (path BLOB NOT NULL);"
_LOOKED = 200  # files that are examined, the oldest first
_OLD = 90 * 86_400 * 10**9  # ns without use after which the file of a root that is gone goes


def record_root(database: sqlite3.Connection, root: bytes) -> None:
    """Write down whose rows these are."""
    if database.execute("SELECT path FROM root").fetchall() != [(root,)]:
        database.execute("DELETE FROM root")
        database.execute("INSERT INTO root VALUES (?)", (root,))


def remove_stale_files(folder: Path, now: int) -> None:
    """Take away the files of a folder that were not used for long and whose roots are not there any more."""
    for file in _list_old_files(folder, now):
        for end in ENDINGS if _has_lost_root(file) else ():
            with suppress(OSError):
                Path(f"{file}{end}").unlink()


def is_own_file(file: Path) -> bool:
    """Return whether a file is there that this user made: no link, and nobody else's."""
    try:
        found = file.lstat()
    except OSError:
        return False
    mine = not hasattr(os, "geteuid") or found.st_uid == os.geteuid()
    return stat.S_ISREG(found.st_mode) and mine


def _list_old_files(folder: Path, now: int) -> Iterator[Path]:
    """Yield our own files that were not used for long."""
    with suppress(OSError):
        used = sorted((file.lstat().st_mtime_ns, file) for file in folder.glob("*.sqlite"))
        yield from (file for at, file in used[:_LOOKED] if now - at > _OLD and is_own_file(file))


def _has_lost_root(file: Path) -> bool:
    """Return whether a file says whose it is, and that root is not there."""
    try:
        with closing(connect_database(file, WAIT, "mode=ro")) as old:
            rows = old.execute("SELECT path FROM root").fetchall()
    except sqlite3.Error:
        return False
    return bool(rows) and isinstance(rows[0][0], bytes) and not os.path.lexists(rows[0][0])

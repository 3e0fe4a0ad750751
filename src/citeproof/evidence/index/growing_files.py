"""Files that only grow and can be cut back to a known length; files mapped into memory for reading."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import IO

SYNCING = 16  # files synced at once: a file system writes its journal once for all that wait
Mapped = mmap.mmap | bytes


class GrowingFiles:
    """Files that are appended to. Opened with `lengths` they continue there; what came after is cut off."""

    def __init__(self, paths: Sequence[Path], lengths: Sequence[int] = (), buffering: int = 1 << 20) -> None:
        self.paths = tuple(paths)
        self.files: list[IO[bytes]] = []
        for path, length in zip(self.paths, lengths or [0] * len(self.paths), strict=True):
            file = path.open("ab", buffering=buffering)
            self.files.append(file)
            file.truncate(length)
            file.seek(length)

    def flush(self) -> tuple[int, ...]:
        """Hand all that was written to the operating system; return the length of each file."""
        for file in self.files:
            file.flush()
        return tuple(file.tell() for file in self.files)

    def close(self) -> None:
        """Let go of the files. What was not flushed may be lost: a full disk is no matter here."""
        for file in self.files:
            with suppress(OSError):
                file.close()


def sync_groups(groups: Iterable[GrowingFiles]) -> list[tuple[int, ...]]:
    """Return the lengths of the files of each group, once all of it is on the disk."""
    groups = list(groups)
    lengths = [group.flush() for group in groups]
    with ThreadPoolExecutor(SYNCING) as pool:
        list(pool.map(os.fsync, [file.fileno() for group in groups for file in group.files]))
    return lengths


def is_grown(paths: Iterable[Path], lengths: Iterable[int]) -> bool:
    """Return whether all files are there and at least as long as they were."""
    try:
        return all(path.stat().st_size >= length for path, length in zip(paths, lengths, strict=True))
    except (OSError, ValueError):
        return False


def map_file(path: Path) -> Mapped:
    """Return the bytes of `path`, mapped; an empty file, which cannot be mapped, gives empty bytes."""
    with path.open("rb") as file:
        if not path.stat().st_size:
            return b""
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

"""Files mapped into memory for reading."""

from __future__ import annotations

import mmap
from pathlib import Path

Mapped = mmap.mmap | bytes


def map_file(path: Path) -> Mapped:
    """Return the bytes of `path`, mapped; an empty file, which cannot be mapped, gives empty bytes."""
    with path.open("rb") as file:
        if not path.stat().st_size:
            return b""
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

"""A snapshot that is put together from chunks, in any order, over several runs.

The files have their full size from the start. What a run that was killed had written is found again by its
digest: no list of what is done could be more right than the bytes themselves.
"""

from __future__ import annotations

import os
from collections import defaultdict
from functools import lru_cache
from pathlib import Path

from citeproof.disk_files import NOFOLLOW, open_plain_file, write_all
from citeproof.index.content_chunks import cut_chunks
from citeproof.index.growing_files import map_file
from citeproof.index.published_manifest import PublishedManifest, check_bytes

_CACHED = 24  # chunks kept, which several deltas are made from
Place = tuple[Path, int]  # a file and where in it


class SnapshotAssembly:
    """The folder in which the files of one manifest come together."""

    def __init__(self, folder: Path, manifest: PublishedManifest) -> None:
        self.folder = folder
        self._manifest = manifest
        self.sizes: dict[str, int] = {}  # of every chunk that is needed, by its digest
        self._places: dict[str, list[Place]] = defaultdict(list)
        for file in manifest.files:
            at = 0
            for chunk in file.chunks:
                self.sizes[chunk.sha256] = chunk.bytes
                self._places[chunk.sha256].append((folder / file.path, at))
                at += chunk.bytes

    def find_missing(self) -> set[str]:
        """Return the chunks that are not in their places yet; make the files in which they will be."""
        wanted = {self.folder / file.path: file.bytes for file in self._manifest.files}
        for path in [path for path in self.folder.rglob("*") if path.is_file() and path not in wanted]:
            path.unlink()  # of an edition that was replaced before it was whole
        new = set[Path]()
        for path, size in wanted.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            new.update({path} if not path.exists() else ())
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | NOFOLLOW, 0o666)
            os.ftruncate(handle, size)
            os.close(handle)
        return {
            digest
            for digest, places in self._places.items()
            if not all(
                path not in new and check_bytes(read_span(path, at, self.sizes[digest]), digest) is not None
                for path, at in places
            )
        }

    def count_allocated(self) -> int:
        """Return the bytes that the files take on the disk already."""
        return sum(512 * path.stat().st_blocks for path in self.folder.rglob("*") if path.is_file())

    def put(self, digest: str, data: bytes) -> int:
        """Write a chunk, whose digest was checked, to all its places; return its bytes there."""
        for path, at in self._places[digest]:
            handle = os.open(path, os.O_WRONLY | NOFOLLOW)
            try:
                os.lseek(handle, at, os.SEEK_SET)
                write_all(handle, data)
            finally:
                os.close(handle)
        return self.count_bytes(digest)

    def count_bytes(self, digest: str) -> int:
        """Return how many bytes of the snapshot a chunk is."""
        return len(self._places[digest]) * self.sizes[digest]


class LocalChunks:
    """Chunks that are on this machine already, in older snapshots."""

    def __init__(self) -> None:
        self._places: dict[str, tuple[Path, int, int]] = {}
        self.read = lru_cache(maxsize=_CACHED)(self._read)

    def add_edition(self, folder: Path, manifest: PublishedManifest) -> None:
        """Add the chunks of a snapshot that was pulled, by its manifest."""
        for file in manifest.files:
            at = 0
            for chunk in file.chunks:
                self._places.setdefault(chunk.sha256, (folder / file.path, at, chunk.bytes))
                at += chunk.bytes

    def add_folder(self, folder: Path) -> None:
        """Add the chunks of any other snapshot, which are found by cutting its files."""
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            for span in cut_chunks(map_file(path)):
                self._places.setdefault(span.sha256, (path, span.start, span.end - span.start))

    def __contains__(self, digest: str) -> bool:
        return digest in self._places

    def _read(self, digest: str) -> bytes | None:
        """Return the bytes of a chunk; None if they are not there, or have changed."""
        place = self._places.get(digest)
        return check_bytes(read_span(*place), digest) if place else None


def read_span(path: Path, at: int, size: int) -> bytes | None:
    """Return a stretch of a file; None where it cannot be read whole."""
    try:
        handle = open_plain_file(path)
    except OSError:
        return None
    try:
        data = os.pread(handle, size, at)
    except OSError:
        return None
    finally:
        os.close(handle)
    return data if len(data) == size else None

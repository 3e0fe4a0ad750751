"""Publishing a snapshot: its files as chunks, what changed as deltas, a manifest, and a signature over it.

1. check    the snapshot is as it was built; what is published already is of the same key
2. chunks   each file is cut by its content; chunks that are there are not written again
3. deltas   chunks that are new, as what differs from those of the edition before
4. release  the manifest, then the signed note: until then everybody sees the edition before

A record that changes moves a few of its keys, which are spread over all of `keys.bin`: every chunk of it
changes, but only by some of its bytes. Such a chunk is sent as what differs from the older ones around it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from pathlib import Path, PurePosixPath
from typing import TypeVar

import numpy as np
import zstandard

from citeproof.errors import SnapshotError
from citeproof.evidence.index import manifest
from citeproof.evidence.index import published_manifest as published
from citeproof.evidence.index.growing_files import Mapped, map_file
from citeproof.evidence.index.manifest import check_snapshot, refuse_links
from citeproof.evidence.index.published_folder import PublishedFolder
from citeproof.evidence.index.published_manifest import (
    MAX_BASES,
    ChunkDelta,
    ChunkSpan,
    PublishedChunk,
    PublishedFile,
    PublishedManifest,
    cut_chunks,
    cut_numbers,
    make_base_dictionary,
)
from citeproof.plumbing.clock import Clock, format_timestamp
from citeproof.plumbing.signed_note import SignerKey

LEVEL = 3  # of whole chunks: most of a snapshot is compressed or random already
WORKERS = 2
AHEAD = 8  # chunks under way
_CACHED = 24  # older chunks in memory, unpacked

Thing = TypeVar("Thing")
Result = TypeVar("Result")
Tell = Callable[[str, int, int], None]  # (step, bytes done, of)
DELTA_LEVEL = 9  # level 19 saves an eighth and takes six times as long
SLACK = 1 << 17  # bytes before and behind that a chunk may also copy from
LARGE = 0.2  # of the chunk: a delta for which a difference of numbers may do better
WORTH = 0.9  # of the whole chunk: a delta that is hardly smaller is not stored


@dataclass(slots=True)
class PublishOutcome:
    """What became of a publication. `fresh` is False if that very snapshot was published already."""

    manifest: PublishedManifest
    fresh: bool
    chunks: int = 0
    chunk_bytes: int = 0  # written for chunks that were not there
    deltas: int = 0
    delta_bytes: int = 0
    removed: int = 0  # files of old editions


@dataclass(slots=True)
class _Publisher:
    """One publication under way."""

    folder: Path
    target: PublishedFolder
    before: PublishedManifest | None
    tell: Tell
    known: dict[str, PublishedChunk] = field(default_factory=dict)
    fresh: set[str] = field(default_factory=set)

    def publish_file(self, path: str, pool: ThreadPoolExecutor, done: int, total: int) -> PublishedFile:
        """Return a file as chunks, all of which are in the target folder."""
        data = map_file(self.folder / path)
        chunks: list[PublishedChunk] = []
        for chunk in _run_ahead(pool, lambda span: self._store(data, span), cut_chunks(data)):
            chunks.append(chunk)
            done += chunk.bytes
            self.tell("chunks", done, total)
        return PublishedFile(path, len(data), tuple(chunks))

    def _store(self, data: Mapped, span: ChunkSpan) -> PublishedChunk:
        known = self.known.get(span.sha256)
        if known and self.target.has_chunk(known.stored, known.stored_bytes):
            return known
        packed = zstandard.ZstdCompressor(level=LEVEL).compress(data[span.start : span.end])
        stored = self.target.add_chunk(packed)
        made = PublishedChunk(span.sha256, span.end - span.start, stored, len(packed))
        self.known[span.sha256] = made
        self.fresh.add(stored)
        return made

    def make_deltas(self, files: Iterable[PublishedFile], pool: ThreadPoolExecutor) -> list[ChunkDelta]:
        """Return how the chunks that the edition before has not are made from its chunks."""
        if self.before is None:
            return []
        pairs = pair_files(tuple(files), self.before.files)
        work = [
            (chunk, bases, skip)
            for file in files
            if file.path in pairs
            for chunk, (bases, skip) in zip(file.chunks, list_bases(file, pairs[file.path]), strict=True)
            if bases
        ]
        before = {chunk.sha256 for file in self.before.files for chunk in file.chunks}
        read = lru_cache(maxsize=_CACHED)(self.target.read_chunk)
        wanted = {row[0].sha256: row for row in work if row[0].sha256 not in before}
        present = {chunk.sha256 for file in files for chunk in file.chunks}
        # those of the edition before are for who skipped it
        made = [delta for delta in self.before.deltas if delta.sha256 in present]
        total = sum(chunk.bytes for chunk, *_ in wanted.values())
        for at, delta in enumerate(
            _run_ahead(pool, lambda row: self._make_delta(*row, read=read), wanted.values())
        ):
            made += [delta] if delta else []
            self.tell("deltas", total * at // len(wanted), total)
        return made

    def _make_delta(
        self,
        chunk: PublishedChunk,
        bases: tuple[PublishedChunk, ...],
        skip: int,
        read: Callable[[PublishedChunk], bytes | None],
    ) -> ChunkDelta | None:
        older = [data for base in bases if (data := read(base)) is not None]
        data = self.target.read_chunk(chunk)
        if data is None or len(older) < len(bases):  # a chunk was lost: it is sent whole
            return None
        packed, form = make_delta(data, older), -1
        if skip >= 0 and len(data) % 4 == 0 and len(packed) > LARGE * len(data):
            other = make_difference(data, older, skip)
            packed, form = min((packed, form), (other, skip), key=lambda choice: len(choice[0]))
        if len(packed) > WORTH * chunk.stored_bytes:
            return None
        names = tuple(base.sha256 for base in bases)
        return ChunkDelta(chunk.sha256, names, self.target.add_chunk(packed), len(packed), form)


def publish_snapshot(
    folder: Path,
    out: Path,
    key: SignerKey,
    clock: Clock,
    *,
    name: str = "",
    keep: int = 0,
    tell: Tell = lambda *_: None,
) -> PublishOutcome:
    """Publish the snapshot in `folder` as the next edition in `out`; `keep` editions stay, or all (0)."""
    made = manifest.load(folder)
    refuse_links(folder)
    if damages := check_snapshot(folder):
        hint = "build it again, or copy it again from where it is whole"
        raise SnapshotError(damages[0].message, place=str(folder / damages[0].file), hint=hint)
    target = PublishedFolder(out)
    with target.hold():
        current = target.load_current(key)
        before = current[1] if current else None
        called = published.check_name(name or (before.name if before else "") or made.name or folder.name)
        if before and before.name != called:
            hint = "publish each snapshot to a folder of its own"
            raise SnapshotError(f"is the folder of the snapshot {before.name!r}", place=str(out), hint=hint)
        publisher = _Publisher(folder, target, before, tell)
        if before:
            publisher.known = {chunk.sha256: chunk for file in before.files for chunk in file.chunks}
        edition = int(clock.now().timestamp())
        with ThreadPoolExecutor(WORKERS) as pool:
            files = _publish_files(publisher, made, pool)
            if current and before and before.files == files:
                return PublishOutcome(before, fresh=False)
            deltas = tuple(publisher.make_deltas(files, pool))
        next_one = PublishedManifest(
            format=published.FORMAT,
            name=called,
            edition=max(edition, before.edition + 1) if before else edition,
            created=format_timestamp(clock),
            id=made.id,
            records=made.records,
            built=made.created,
            files=files,
            deltas=deltas,
            previous=current[0].manifest if current else "",
        )
        note = target.release(next_one, key)
        written = {
            chunk.stored: chunk.stored_bytes
            for file in files
            for chunk in file.chunks
            if chunk.stored in publisher.fresh
        }
        return PublishOutcome(
            next_one, True, len(written), sum(written.values()), len(deltas),
            sum(delta.stored_bytes for delta in deltas), target.prune(note, keep) if keep else 0,
        )  # fmt: skip


def _publish_files(
    publisher: _Publisher, made: manifest.Manifest, pool: ThreadPoolExecutor
) -> tuple[PublishedFile, ...]:
    files, done = list[PublishedFile](), 0
    for path in sorted((*made.files, manifest.FILE)):
        files.append(publisher.publish_file(path, pool, done, made.bytes))
        done += files[-1].bytes
    return tuple(files)


def _run_ahead(
    pool: ThreadPoolExecutor, work: Callable[[Thing], Result], things: Iterable[Thing]
) -> Iterator[Result]:
    """Yield the results in order, with few of them under way: memory stays bounded."""
    waiting: list[Future[Result]] = []
    for thing in things:
        waiting.append(pool.submit(work, thing))
        if len(waiting) > AHEAD:
            yield waiting.pop(0).result()
    for future in waiting:
        yield future.result()


def pair_files(new: Sequence[PublishedFile], old: Sequence[PublishedFile]) -> dict[str, PublishedFile]:
    """Return for the path of each new file the older one it comes from.

    tantivy gives its files new names in each build; of one kind, the largest corresponds to the largest.
    """
    by_path = {file.path: file for file in old}
    pairs = {file.path: by_path[file.path] for file in new if file.path in by_path}
    taken = {file.path for file in pairs.values()}
    for suffix in sorted({PurePosixPath(file.path).suffix for file in new}):
        fresh = _list_by_size([file for file in new if file.path not in pairs], suffix)
        left = _list_by_size([file for file in old if file.path not in taken], suffix)
        pairs.update({file_new.path: other for file_new, other in zip(fresh, left, strict=False)})
    return pairs


def _list_by_size(files: Sequence[PublishedFile], suffix: str) -> list[PublishedFile]:
    chosen = [file for file in files if PurePosixPath(file.path).suffix == suffix]
    return sorted(chosen, key=lambda file: (-file.bytes, file.path))


def list_bases(new: PublishedFile, old: PublishedFile) -> list[tuple[tuple[PublishedChunk, ...], int]]:
    """Return for each chunk of a new file the older chunks around its place; none for one that is there.

    With them, where in the joined older chunks its own place in the file is; negative if it is before.

    Chunks that both have say where a place of the new file was in the old one.
    """
    starts, ends = _list_borders(old), list(accumulate(chunk.bytes for chunk in old.chunks))
    at = {chunk.sha256: start for chunk, start in zip(old.chunks, starts, strict=True)}
    known = [(0, 0)]
    for chunk, start in zip(new.chunks, _list_borders(new), strict=True):
        if chunk.sha256 in at and start > known[-1][0] and at[chunk.sha256] > known[-1][1]:
            known.append((start, at[chunk.sha256]))
    known.append((new.bytes, old.bytes))
    xs, ys = zip(*known, strict=True)
    bases_of: list[tuple[tuple[PublishedChunk, ...], int]] = []
    for chunk, start in zip(new.chunks, _list_borders(new), strict=True):
        first, last = np.interp((start, start + chunk.bytes), xs, ys)
        low, high = bisect_right(ends, first - SLACK), bisect_left(starts, last + SLACK)
        bases = () if chunk.sha256 in at else old.chunks[low : min(high, low + MAX_BASES)]
        bases_of.append((bases, start - starts[low] if bases else -1))
    return bases_of


def _list_borders(file: PublishedFile) -> list[int]:
    return [0, *accumulate(chunk.bytes for chunk in file.chunks)][: len(file.chunks)]


def make_delta(data: bytes, bases: list[bytes]) -> bytes:
    """Return what makes `data` from older chunks."""
    compressor = zstandard.ZstdCompressor(
        level=DELTA_LEVEL, dict_data=make_base_dictionary(bases), write_dict_id=False
    )
    return compressor.compress(data)


def make_difference(data: bytes, bases: list[bytes], skip: int) -> bytes:
    """Return what is added to the numbers of older chunks to make those of `data`."""
    numbers = np.frombuffer(data, "<u4") - cut_numbers(bases, skip, len(data))
    return zstandard.ZstdCompressor(level=DELTA_LEVEL).compress(numbers.astype("<u4").tobytes())

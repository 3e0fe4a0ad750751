"""Where a pulled snapshot is: a link to its current edition, replaced when a new one is whole.

works                                  a link to the edition below; this is what commands are given
.works.pulled/current.json             which edition that is, and of when
.works.pulled/editions/<edition>/      the snapshot itself; the one before stays for who has it open
.works.pulled/manifests/<edition>      its published manifest: where its chunks are
.works.pulled/work/                    the next one, as far as it has come

A snapshot is put together from chunks, in any order, over several runs. The files have their full size from
the start. What a run that was killed had written is found again by its digest: no list of what is done could
be more right than the bytes themselves.
"""

from __future__ import annotations

import os
import shutil
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path

import msgspec

from citeproof.errors import SnapshotError
from citeproof.evidence.index.build_workspace import sync_tree
from citeproof.evidence.index.growing_files import map_file
from citeproof.evidence.index.manifest import refuse_inside, remember_own_snapshot
from citeproof.evidence.index.published_manifest import (
    EditionNote,
    PublishedManifest,
    check_bytes,
    cut_chunks,
    unpack_manifest,
)
from citeproof.plumbing.disk_files import (
    NOFOLLOW,
    hold_lock,
    open_plain_file,
    read_plain_file,
    replace_durably,
    sync_folder,
    write_all,
)
from citeproof.plumbing.own_files import RefusedFileError, check_own_tree
from citeproof.text.typed_decoding import decode_json

MAX_STATE = 100_000  # bytes
_CACHED = 24  # chunks in memory, which several deltas are made from
ChunkPlace = tuple[Path, int]  # a file and where in it


class PulledEdition(msgspec.Struct, frozen=True):
    """What is known of the edition that a link leads to."""

    name: str
    edition: int
    manifest: str
    manifest_bytes: int
    created: str  # when it was published
    built: str
    pulled: str
    url: str
    key: str
    id: str
    records: int
    bytes: int

    @property
    def folder_name(self) -> str:
        return name_edition(self.edition, self.manifest)


def name_edition(edition: int, manifest: str) -> str:
    return f"{edition}-{manifest[:12]}"


class PulledFolder:
    """One pulled snapshot and its editions, by the link that commands are given."""

    def __init__(self, link: Path) -> None:
        self.link = link.absolute()
        self.home = self.link.parent / f".{self.link.name}.pulled"
        self.work = self.home / "work"

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Hold it against another pull; SnapshotError where something else has its name."""
        refuse_inside(self.link)
        if self.link.exists() and not self.link.is_symlink():
            hint = "choose another --out or --name, or remove it first"
            raise SnapshotError("exists, and was not pulled", place=str(self.link), hint=hint)
        if self.link.is_symlink() and self.link.parent / self.link.readlink() != self.locate_current():
            hint = "choose another --out or --name, or remove the link"
            raise SnapshotError("is a link that no pull made", place=str(self.link), hint=hint)
        self.home.mkdir(parents=True, exist_ok=True)
        try:
            check_own_tree(self.home)  # a project may bring one, with links that lead our writing elsewhere
            with hold_lock(self.home / "lock", wait=False):
                yield
        except RefusedFileError as error:
            raise SnapshotError(f"{error.strerror}", place=error.filename, hint=error.hint) from error
        except BlockingIOError as error:
            hint = "wait for it, then try again"
            raise SnapshotError(
                "another process pulls this snapshot", place=str(self.link), hint=hint
            ) from error

    def locate_current(self) -> Path | None:
        """Return the folder that the link leads to, if it is an edition of ours."""
        with suppress(OSError):
            folder = self.link.parent / self.link.readlink()
            return folder if folder.parent == self.home / "editions" else None
        return None

    def load_current(self) -> PulledEdition | None:
        """Return what is known of the current edition; None if nothing is whole yet."""
        try:
            data = read_plain_file(self.home / "current.json", MAX_STATE)
            return decode_json(data, type=PulledEdition)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None

    def load_editions(self) -> Iterator[tuple[Path, PublishedManifest]]:
        """Yield the editions that are here, each with its published manifest; damaged ones are left out."""
        with suppress(OSError, SnapshotError):
            current = self.load_current()
            if current is not None:
                path = self.home / "manifests" / current.folder_name
                note = EditionNote(current.name, current.edition, current.manifest, current.manifest_bytes)
                data = read_plain_file(path, current.manifest_bytes)
                yield self.home / "editions" / current.folder_name, unpack_manifest(data, note, str(path))

    def locate_edition(self, note: EditionNote) -> Path:
        """Return the folder of an edition, which gets this name when it is whole."""
        return self.home / "editions" / name_edition(note.edition, note.manifest)

    def doubt_edition(self, note: EditionNote) -> None:
        """Take an edition that is here for work half done, each byte of which is checked again."""
        if self.work.exists():
            shutil.rmtree(self.work)
        self.locate_edition(note).rename(self.work)

    def make_current(self, edition: PulledEdition, manifest: bytes) -> None:
        """Let the link lead to an edition, from `work` if it has just become whole; older ones go away."""
        editions, manifests = self.home / "editions", self.home / "manifests"
        editions.mkdir(exist_ok=True)
        manifests.mkdir(exist_ok=True)
        folder = editions / edition.folder_name
        if not folder.is_dir():
            sync_tree(self.work)
            self.work.rename(folder)
            sync_folder(editions)
        replace_durably(manifests / edition.folder_name, manifest)
        remember_own_snapshot(folder)
        before = self.locate_current()
        new = self.home.with_name(f"{self.home.name}.link")
        new.unlink(missing_ok=True)
        new.symlink_to(os.path.relpath(folder, self.link.parent))
        new.replace(self.link)
        sync_folder(self.link.parent)
        replace_durably(self.home / "current.json", msgspec.json.encode(edition))
        stays = {folder.name, before.name if before else ""}
        for path in [*editions.iterdir(), *manifests.iterdir()]:
            if path.name not in stays:
                shutil.rmtree(path) if path.is_dir() else path.unlink()


class SnapshotAssembly:
    """The folder in which the files of one manifest come together."""

    def __init__(self, folder: Path, manifest: PublishedManifest) -> None:
        self.folder = folder
        self._manifest = manifest
        self.sizes: dict[str, int] = {}  # of every chunk that is needed, by its digest
        self._places: dict[str, list[ChunkPlace]] = defaultdict(list)
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

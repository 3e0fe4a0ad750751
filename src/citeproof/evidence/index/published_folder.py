"""The folder that a web server serves: chunks are only ever added, and the signed note is replaced last.

A reader that comes while it is written finds the edition before, whole. A publication that is stopped leaves
chunks that the next one finds.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

import msgspec

from citeproof.errors import SnapshotError
from citeproof.evidence.index import published_manifest as published
from citeproof.evidence.index.manifest import refuse_inside
from citeproof.evidence.index.published_manifest import EditionNote, PublishedChunk, PublishedManifest
from citeproof.plumbing.disk_files import (
    PERMISSIONS,
    hold_lock,
    open_replacement,
    read_plain_file,
    sync_folder,
)
from citeproof.plumbing.output_files import check_output_folder
from citeproof.plumbing.signed_note import SignerKey, sign_note
from citeproof.plumbing.zstd_frames import unpack_frame
from citeproof.text.typed_decoding import decode_json

LOCK = ".citeproof.lock"


class PublishedFolder:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Hold the folder against another publication; make it if it is not there."""
        refuse_inside(self.folder / published.NOTE)
        check_output_folder(self.folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with hold_lock(self.folder / LOCK, wait=False):
                yield
        except BlockingIOError as error:
            hint = "wait for it, then try again"
            raise SnapshotError(
                "another process publishes here", place=str(self.folder), hint=hint
            ) from error
        except OSError as error:
            hint = "see the message, then run the same command again: what is written already is used"
            raise SnapshotError(
                f"cannot be written: {error.strerror or error}", place=str(self.folder), hint=hint
            ) from error

    def load_current(self, key: SignerKey) -> tuple[EditionNote, PublishedManifest] | None:
        """Return the edition that is published; None if there is none. SnapshotError if it is not ours."""
        path = self.folder / published.NOTE
        try:
            note = read_plain_file(path, published.MAX_NOTE)
        except FileNotFoundError:
            if any(entry.name not in _OWN for entry in self.folder.iterdir()):
                hint = "name a new folder for what is published"
                raise SnapshotError(
                    "is not empty, and nothing of ours", place=str(path.parent), hint=hint
                ) from None
            return None
        edition = published.read_note(note, key.verifier, str(path))
        return edition, self.load_manifest(edition)

    def load_manifest(self, note: EditionNote) -> PublishedManifest:
        path = self.folder / published.locate_manifest(note.manifest)
        try:
            return published.unpack_manifest(read_plain_file(path, published.MAX_MANIFEST), note, str(path))
        except OSError as error:
            hint = "put it back from a copy, or publish to a new folder"
            raise SnapshotError(f"cannot be read: {error.strerror}", place=str(path), hint=hint) from error

    def has_chunk(self, stored: str, size: int) -> bool:
        with suppress(OSError):
            return (self.folder / published.locate_chunk(stored)).stat().st_size == size
        return False

    def add_chunk(self, data: bytes) -> str:
        """Write the file of a chunk, unless it is there; return its name."""
        stored = sha256(data).hexdigest()
        if not self.has_chunk(stored, len(data)):
            self._write(published.locate_chunk(stored), data)
        return stored

    def read_chunk(self, chunk: PublishedChunk) -> bytes | None:
        """Return the bytes of a chunk; None if its file is missing or damaged."""
        try:
            stored = read_plain_file(self.folder / published.locate_chunk(chunk.stored), published.MAX_STORED)
        except OSError:
            return None
        return published.unpack_chunk(stored, chunk)

    def release(self, manifest: PublishedManifest, key: SignerKey) -> EditionNote:
        """Make a manifest the current one, for everybody and at once."""
        data = published.pack_manifest(manifest)
        note = EditionNote(manifest.name, manifest.edition, sha256(data).hexdigest(), len(data))
        self._write(published.locate_manifest(note.manifest), data)
        self._write(published.VKEY, f"{key.verifier.text}\n".encode())
        self._sync_names()
        self._write(published.NOTE, sign_note(note.text(), key))
        sync_folder(self.folder)
        return note

    def _write(self, name: str, data: bytes) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with open_replacement(path, PERMISSIONS) as file:
            file.write(data)

    def _sync_names(self) -> None:
        chunks = self.folder / published.CHUNKS
        for folder in (
            *(chunks.iterdir() if chunks.is_dir() else ()),
            chunks,
            self.folder / published.MANIFESTS,
        ):
            if folder.is_dir():
                sync_folder(folder)

    def prune(self, note: EditionNote, keep: int) -> int:
        """Remove all but the last `keep` editions; return how many files went."""
        manifests, chunks = set[str](), set[str]()
        digest = note.manifest
        while digest and len(manifests) < keep:
            manifest = self._load_older(digest)
            if manifest is None:
                break
            manifests.add(digest)
            chunks.update(chunk.stored for file in manifest.files for chunk in file.chunks)
            chunks.update(delta.stored for delta in manifest.deltas)
            digest = manifest.previous
        old = [path for path in (self.folder / published.MANIFESTS).iterdir() if path.name not in manifests]
        old += [path for path in (self.folder / published.CHUNKS).glob("*/*") if path.name not in chunks]
        for path in old:
            path.unlink()
        return len(old)

    def _load_older(self, digest: str) -> PublishedManifest | None:
        """Return a manifest by its digest alone; None if it went away before."""
        try:
            data = read_plain_file(self.folder / published.locate_manifest(digest), published.MAX_MANIFEST)
        except OSError:
            return None
        if published.check_bytes(data, digest) is None:
            return None
        unpacked = unpack_frame(data, published.MAX_MANIFEST)
        with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return decode_json(unpacked or b"", type=PublishedManifest)
        return None


_OWN = frozenset((LOCK, published.VKEY, published.CHUNKS, published.MANIFESTS))

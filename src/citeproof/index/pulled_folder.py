"""Where a pulled snapshot is: a link to its current edition, replaced when a new one is whole.

works                                  a link to the edition below; this is what commands are given
.works.pulled/current.json             which edition that is, and of when
.works.pulled/editions/<edition>/      the snapshot itself; the one before stays for who has it open
.works.pulled/manifests/<edition>      its published manifest: where its chunks are
.works.pulled/work/                    the next one, as far as it has come
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from citeproof.disk_files import read_plain_file, replace_durably, sync_folder
from citeproof.errors import SnapshotError
from citeproof.file_locks import hold_lock
from citeproof.index.build_workspace import sync_tree
from citeproof.index.manifest import refuse_inside, remember_own_snapshot
from citeproof.index.published_manifest import EditionNote, PublishedManifest, unpack_manifest
from citeproof.own_files import RefusedFileError, check_own_tree
from citeproof.typed_decoding import decode_json

MAX_STATE = 100_000  # bytes


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
    """Return what the folder of an edition is called."""
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
            found = self.link.parent / self.link.readlink()
            return found if found.parent == self.home / "editions" else None
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
        kept = {folder.name, before.name if before else ""}
        for path in [*editions.iterdir(), *manifests.iterdir()]:
            if path.name not in kept:
                shutil.rmtree(path) if path.is_dir() else path.unlink()

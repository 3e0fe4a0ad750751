"""Paths, patterns, folders and archives to the documents of a batch, in a fixed order."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from citeproof.disk_files import open_plain_file
from citeproof.errors import InputError, UsageError
from citeproof.extractors.archive import archive_signatures
from citeproof.extractors.base import detect_extractor
from citeproof.serializers import UniqueKeys
from citeproof.service.batch.packed_documents import list_packed_documents
from citeproof.service.folder_documents import FolderLimits, PassedFile, list_folder_files
from citeproof.service.input_documents import read_document
from citeproof.service.input_kinds import suggest_names
from citeproof.vocabulary import Document

MOST = 200_000  # documents of one run
LIMITS = FolderLimits(documents=MOST, deepest=20, folders=MOST, files=1_000_000)
BUCKET = "s3://"
_HEAD = 1024  # bytes that tell an archive

Tell = Callable[[str], None]


class ReadsDocument(Protocol):
    """Where one document of a batch is."""

    def read(self, limit: int) -> Document:
        """Return the document; InputError if it cannot be read, or has more than `limit` bytes."""
        ...


@dataclass(frozen=True, slots=True)
class BatchItem:
    """One document of a batch: the name it goes by, and where it is."""

    id: str  # unique in the run
    source: ReadsDocument


class ListsBucket(Protocol):
    """What lists the documents below a prefix of an object store."""

    def list_documents(self, address: str) -> Iterator[tuple[str, ReadsDocument]]: ...

    def find(self, address: str) -> ReadsDocument: ...


@dataclass(frozen=True, slots=True)
class DiskFile:
    """A file on disk, and the folder whose files it may use."""

    path: Path
    root: Path | None = None

    def read(self, limit: int) -> Document:
        found = read_document(self.path, limit, self.root)
        return Document(show_name(self.path), found.data, found.beside)

    @property
    def folders(self) -> tuple[bytes, bytes]:
        """The folder of the file and the root, as bytes: a name may be no text."""
        return os.fsencode(self.path.parent), os.fsencode(self.root) if self.root else b""


@dataclass(frozen=True, slots=True)
class ListedDocument:
    """One row of a list of documents."""

    path: str
    id: str  # empty: the path
    place: str  # FILE:LINE


def list_items(
    inputs: Iterable[str],
    tell: Tell,
    bucket: ListsBucket | None = None,
    listed: Iterable[ListedDocument] = (),
) -> list[BatchItem]:
    """Return the documents that are named, each once, in the order of the inputs; in a folder, by name.

    A file that is no document is there as a `PassedFile`. A folder or a pattern without files is told.
    `listed` come last; a file that they name and that is not there is a document that cannot be read.
    """
    found: dict[str, BatchItem] = {}
    documents = 0
    names = UniqueKeys()  # names of other bytes may look the same
    for one in inputs:
        for name, source in _list_sources(one, tell, bucket):
            known = os.fspath(source.path) if isinstance(source, DiskFile) else name
            if known not in found:
                found[known] = BatchItem(names.make_unique(name), source)
                documents += not isinstance(source, PassedFile)
            if documents > MOST:
                hint = "give them in several runs, each with a folder of its own"
                raise UsageError(f"more than {MOST:,} documents", place=one, hint=hint)
    for row in listed:
        if row.path not in found or row.id:
            source = (
                _require_bucket(bucket, row.path).find(row.path)
                if _is_remote(row.path)
                else DiskFile(Path(row.path))
            )
            found[f"{row.path}\0{row.id}"] = BatchItem(
                names.make_unique(row.id or show_name(row.path)), source
            )
    return list(found.values())


def _is_remote(path: str) -> bool:
    return path.startswith(BUCKET)


def _require_bucket(bucket: ListsBucket | None, place: str) -> ListsBucket:
    if bucket is None:
        hint = "leave out --offline, or fetch the documents first"
        raise UsageError("is on the network", place=place, hint=hint)
    return bucket


def _list_sources(one: str, tell: Tell, bucket: ListsBucket | None) -> Iterator[tuple[str, ReadsDocument]]:
    if _is_remote(one):
        yield from _require_bucket(bucket, one).list_documents(one)
        return
    paths = [Path(one)] if os.path.lexists(one) else _match_pattern(one, tell)
    for path in paths:
        if path.is_dir():
            yield from _list_folder(path, tell)
        elif _is_archive(path) and (packed := list_packed_documents(path, show_name(path))):
            yield from packed
        else:
            yield show_name(path), DiskFile(path)


def _match_pattern(pattern: str, tell: Tell) -> list[Path]:
    if not glob.has_magic(pattern):
        raise UsageError("no such file or folder", place=pattern, hint=suggest_names(pattern, texts=False))
    matched = sorted(Path(name) for name in glob.iglob(pattern, recursive=True))  # noqa: PTH207 - absolute ones too
    if not matched:
        tell(f"{show_name(pattern)}: no file has such a name")
    return [path for path in matched if not ("**" in pattern and path.is_dir())]  # or all would come twice


def _list_folder(folder: Path, tell: Tell) -> Iterator[tuple[str, ReadsDocument]]:
    try:
        files = list_folder_files(folder, tell, LIMITS)
    except InputError as error:
        tell(f"{show_name(folder)}: {error.message}")
        return
    for file in files:
        if isinstance(file, PassedFile):
            yield show_name(file.path), file
        else:
            yield show_name(file), DiskFile(file, folder)
    if not files:
        tell(f"{show_name(folder)}: is a folder with no document in it")


def _is_archive(path: Path) -> bool:
    try:
        with os.fdopen(open_plain_file(path.resolve()), "rb") as file:  # a pipe would be waited for
            head = file.read(_HEAD)
    except (OSError, RuntimeError):
        return False  # told when it is read in earnest
    zipped = head.startswith(archive_signatures.ZIP)
    return zipped or bool(archive_signatures.detect_compression(head)) or archive_signatures.is_tar(head)


def show_name(path: Path | str) -> str:
    """Return a path as text, also where it is none: file names may hold any bytes."""
    return os.fspath(path).encode("utf-8", "backslashreplace").decode("utf-8")


def get_folders(document: Document, source: ReadsDocument) -> tuple[bytes, bytes]:
    """Return the folder of the files that a document may use, and the root above it; empty: none.

    What is read in a child with limits has no use for other files.
    """
    try:
        uses = isinstance(source, DiskFile) and not detect_extractor(document).hostile
    except InputError:
        uses = False
    return source.folders if uses and isinstance(source, DiskFile) else (b"", b"")

"""Paths, patterns, folders, archives and lists to the documents of a batch, in a fixed order.

A list has one path a line, or is CSV with a heading, or has JSON objects, one a line.
"""

from __future__ import annotations

import csv
import glob
import io
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import msgspec

from citeproof.answers.serializers import UniqueKeys
from citeproof.errors import InputError, UsageError
from citeproof.plumbing.disk_files import open_plain_file, read_plain_file
from citeproof.reading.extractors import archive
from citeproof.reading.extractors.base import detect_extractor
from citeproof.service.batch.packed_documents import list_packed_documents
from citeproof.service.folder_documents import FolderLimits, PassedFile, list_folder_files
from citeproof.service.input_documents import read_document
from citeproof.service.input_kinds import suggest_names
from citeproof.text.typed_decoding import decode_json
from citeproof.vocabulary import Document

MOST = 200_000  # documents of one run
LIMITS = FolderLimits(documents=MOST, deepest=20, folders=MOST, files=1_000_000)
BUCKET = "s3://"
_HEAD = 1024  # bytes by which an archive is known

Tell = Callable[[str], None]
_MOST_BYTES = 200_000_000
_LONGEST = 500  # characters of an id
_LONGEST_FIELD = 1 << 17  # characters of one field
_PATHS = ("path", "file", "document")  # names of the column or key of the path
_IDS = ("id", "paper", "paper_id")


class ReadsDocument(Protocol):
    """Where one document of a batch is."""

    def read(self, limit: int) -> Document:
        """Return the document; InputError if it cannot be read, or has more than `limit` bytes."""


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
        document = read_document(self.path, limit, self.root)
        return Document(show_name(self.path), document.data, document.beside)

    @property
    def folders(self) -> tuple[bytes, bytes]:
        """The folder of the file and the root, as bytes: a name may be no text."""
        return os.fsencode(self.path.parent), os.fsencode(self.root) if self.root else b""


@dataclass(frozen=True, slots=True)
class ListedDocument:
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

    A file that is no document is there as a `PassedFile`. `tell` hears of folders and patterns without files.
    `listed` come last; a file that they name and that is not there is a document that cannot be read.
    """
    items: dict[str, BatchItem] = {}
    documents = 0
    names = UniqueKeys()  # names of other bytes may look the same
    for named in inputs:
        for name, source in _list_sources(named, tell, bucket):
            known = os.fspath(source.path) if isinstance(source, DiskFile) else name
            if known not in items:
                items[known] = BatchItem(names.make_unique(name), source)
                documents += not isinstance(source, PassedFile)
            if documents > MOST:
                hint = "give them in several runs, each with a folder of its own"
                raise UsageError(f"more than {MOST:,} documents", place=named, hint=hint)
    for row in listed:
        if row.path not in items or row.id:
            remote = row.path.startswith(BUCKET)
            source = _require_bucket(bucket, row.path).find(row.path) if remote else DiskFile(Path(row.path))
            name = names.make_unique(row.id or show_name(row.path))
            items[f"{row.path}\0{row.id}"] = BatchItem(name, source)
    return list(items.values())


def _require_bucket(bucket: ListsBucket | None, place: str) -> ListsBucket:
    if bucket is None:
        hint = "leave out --offline, or fetch the documents first"
        raise UsageError("is on the network", place=place, hint=hint)
    return bucket


def _list_sources(named: str, tell: Tell, bucket: ListsBucket | None) -> Iterator[tuple[str, ReadsDocument]]:
    if named.startswith(BUCKET):
        yield from _require_bucket(bucket, named).list_documents(named)
        return
    paths = [Path(named)]
    if not os.path.lexists(named):
        if not glob.has_magic(named):
            raise UsageError("no such file or folder", place=named, hint=suggest_names(named, texts=False))
        paths = sorted(map(Path, glob.iglob(named, recursive=True)))  # noqa: PTH207 - absolute ones too
        if not paths:
            tell(f"{show_name(named)}: no file has such a name")
        paths = [path for path in paths if not ("**" in named and path.is_dir())]  # or all would come twice
    for path in paths:
        if path.is_dir():
            yield from _list_folder(path, tell)
        elif _is_archive(path) and (packed := list_packed_documents(path, show_name(path))):
            yield from packed
        else:
            yield show_name(path), DiskFile(path)


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
        return False  # reported when it is read in earnest
    zipped = head.startswith(archive.ZIP)
    return zipped or bool(archive.detect_compression(head)) or archive.is_tar(head)


def show_name(path: Path | str) -> str:
    """Return a path as text, also where it is none: file names may hold any bytes."""
    return os.fspath(path).encode("utf-8", "backslashreplace").decode("utf-8")


def get_folders(document: Document, source: ReadsDocument) -> tuple[bytes, bytes]:
    """Return the folder of the files that a document may use, and the root above it; empty: none."""
    try:
        uses = isinstance(source, DiskFile) and not detect_extractor(document).hostile
    except InputError:
        uses = False
    return source.folders if uses and isinstance(source, DiskFile) else (b"", b"")


def read_item_list(path: Path) -> list[ListedDocument]:
    """Return the documents of a list; paths start from its folder. UsageError at its line for a bad row."""
    try:
        text = read_plain_file(path, _MOST_BYTES).decode("utf-8-sig")
    except OSError as error:
        hint = "check the name and the permissions"
        raise UsageError(f"cannot be read: {error.strerror}", place=str(path), hint=hint) from error
    except UnicodeDecodeError as error:
        raise UsageError("is not UTF-8 text", place=str(path), hint="save it as UTF-8") from error
    read = _read_table if path.suffix.lower() in (".csv", ".tsv") else _read_lines
    rows = list((_read_json_lines if text.lstrip()[:1] == "{" else read)(path, text))
    first: dict[str, str] = {}
    for row in rows:
        if row.id and row.id in first:
            hint = f"give each document an id of its own; the first is at {first[row.id]}"
            raise UsageError(f"the id {row.id!r} is there twice", place=row.place, hint=hint)
        first[row.id] = row.place
    if len(rows) > MOST:
        raise UsageError(f"lists more than {MOST:,} documents", place=str(path), hint="split it")
    return rows


def _read_lines(path: Path, text: str) -> Iterator[ListedDocument]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            yield _make_row(path, number, line.strip(), "")


def _read_table(path: Path, text: str) -> Iterator[ListedDocument]:
    csv.field_size_limit(_LONGEST_FIELD)  # it is the process's, and readers of long lists need more
    rows = csv.DictReader(io.StringIO(text), delimiter="\t" if path.suffix.lower() == ".tsv" else ",")
    try:
        heads = {str(name or "").strip().lower(): name for name in rows.fieldnames or ()}
        of_path = next((heads[name] for name in _PATHS if name in heads), None)
        of_id = next((heads[name] for name in _IDS if name in heads), None)
        if of_path is None:
            hint = "begin it with a line of column names: path,id"
            raise UsageError("has no column named path", place=f"{path}:1", hint=hint)
        for row in rows:
            yield _make_row(path, rows.line_num, row[of_path] or "", (row[of_id] or "") if of_id else "")
    except csv.Error as error:
        place = f"{path}:{rows.line_num + 1}"  # it counts a line when it has read it
        raise UsageError(f"is no CSV: {error}", place=place, hint="correct it") from error


def _read_json_lines(path: Path, text: str) -> Iterator[ListedDocument]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = decode_json(line, type=dict[str, object])
        except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError) as error:
            hint = 'write one object a line, such as {"path": "1.pdf", "id": "1"}'
            raise UsageError(f"is no JSON object: {error}", place=f"{path}:{number}", hint=hint) from error
        named = next((row[name] for name in _PATHS if name in row), "")
        known = next((row[name] for name in _IDS if name in row), "")
        yield _make_row(path, number, str(named or ""), "" if known is None else str(known))


def _make_row(path: Path, number: int, named: str, known: str) -> ListedDocument:
    place = f"{path}:{number}"
    if not named.strip() or "\0" in named:
        raise UsageError("has no path", place=place, hint="give the path of a document in each row")
    if len(known) > _LONGEST:
        raise UsageError(f"has an id of more than {_LONGEST} characters", place=place, hint="shorten it")
    where = named if named.startswith(BUCKET) else str(path.parent / named)
    return ListedDocument(where, show_name(known.strip()), place)

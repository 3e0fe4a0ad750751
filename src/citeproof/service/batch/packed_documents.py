"""The documents in a zip or tar archive, each one of its own; read one at a time, never written to disk.

An archive with a LaTeX document in it is that one document, as `check` reads it. What a header says about a
size is not believed: bytes are counted as they come.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import stat
import struct
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from citeproof.errors import InputError
from citeproof.reading.extractors import archive
from citeproof.reading.extractors.archive.decompression import (
    BROKEN,
    FLOOR,
    RATIO,
    SeekableZstd,
    format_size,
    make_bomb_error,
)
from citeproof.reading.extractors.archive.file_choice import (
    FileChoice,
    choose_documents,
    is_hidden_file,
    is_junk_file,
)
from citeproof.reading.extractors.records.adjacent_files import normalise_path
from citeproof.service.folder_documents import PassedFile
from citeproof.vocabulary import Document

MOST_MEMBERS = 200_000
_DIRECTORY = 128 << 20  # bytes of the list of members of a zip
_HEADER = 4 << 20  # bytes of one read that is no member's: the names and notes of a tar
_HEAD = 200_000  # bytes of a member that tell what it is
_CHUNK = 1 << 18
_TAIL = 70_000  # bytes at the end of a zip that hold its end record
_DAMAGE = (
    *BROKEN,
    *(zipfile.BadZipFile, tarfile.TarError, struct.error, NotImplementedError, RuntimeError),
    *(KeyError, IndexError, OverflowError, RecursionError),
)
_NEW = "create the archive again"


class PackedArchive:
    """An archive on disk; of all archives of a run, only the one that was read last is open."""

    def __init__(self, path: Path, shown: str) -> None:
        self.path, self.shown = path, shown
        self._opened: _ArchiveMembers | None = None

    def open(self) -> _ArchiveMembers | None:
        """Return the archive, opened; None for what is one compressed file."""
        if self._opened is None:
            close_archive()
            with ExitStack() as stack:
                file = stack.enter_context(self.path.open("rb"))
                head = file.read(1024)
                file.seek(0)
                if head.startswith(archive.ZIP):
                    self._opened = _ZipMembers(file, self.shown)
                else:
                    compression = archive.detect_compression(head)
                    self._opened = _open_tar(file, compression, self.shown)
                if self._opened is not None:
                    stack.pop_all()
            _LAST.append(self)
        return self._opened

    def close(self) -> None:
        """Close it until the next call."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None


_LAST: list[PackedArchive] = []


def close_archive() -> None:
    while _LAST:
        _LAST.pop().close()


@dataclass(frozen=True, slots=True)
class PackedDocument:
    """One member of an archive that is a document."""

    archive: PackedArchive = field(repr=False)
    info: object = field(repr=False)
    name: str  # ARCHIVE!/MEMBER

    def read(self, limit: int) -> Document:
        try:
            opened = self.archive.open()
            data = opened.read_member(self.info, limit + 1) if opened else b""
        except _DAMAGE as error:
            message = f"cannot be unpacked: {str(error)[:200]}"
            raise InputError(message, place=self.name, hint=_NEW) from error
        if len(data) > limit:
            hint = "split it, or raise the setting max_document_bytes"
            raise InputError(f"is larger than {limit:,} bytes", place=self.name, hint=hint)
        return Document(self.name, data)


def list_packed_documents(path: Path, shown: str) -> list[tuple[str, PackedDocument | PassedFile]]:
    """Return the files in an archive, damaged or not; none if it is one document itself, or a bomb."""
    archive = PackedArchive(path, shown)
    files: list[tuple[str, PackedDocument | PassedFile]] = []
    try:
        for plain, info, head in _list_heads(archive):
            if isinstance(head, InputError):
                files.append(_make_packed(archive, info, plain))  # reported when it is read in earnest
                continue
            choice = FileChoice(passed=[plain]) if head is None else choose_documents({plain: head})
            if choice.mains or plain in ("[Content_Types].xml", "mimetype"):
                return []
            packed = _make_packed(archive, info, plain)
            files.append((packed[0], PassedFile(packed[0])) if choice.passed else packed)
    except InputError:
        return []  # a bomb: reported when it is read in earnest
    except _DAMAGE:
        pass  # where nothing was found, the archive itself is the document that cannot be read
    finally:
        close_archive()
    return files if any(isinstance(file, PackedDocument) for _, file in files) else []


def _make_packed(archive: PackedArchive, info: object, plain: str) -> tuple[str, PackedDocument]:
    full = f"{archive.shown}!/{plain.encode('utf-8', 'backslashreplace').decode()}"
    return full, PackedDocument(archive, info, full)


def _list_heads(archive: PackedArchive) -> Iterator[tuple[str, object, bytes | InputError | None]]:
    """Yield each member with its beginning, None for no document; names that lead elsewhere are left out."""
    opened = archive.open()
    known: set[str] = set()
    for name, info in opened.list_members() if opened else ():
        plain = normalise_path(name)
        if plain is None or f"{plain}/".startswith("../") or plain in known or is_hidden_file(plain):
            continue
        known.add(plain)
        if len(known) > MOST_MEMBERS:
            raise make_bomb_error(f"has more than {MOST_MEMBERS:,} members", archive.shown)
        if is_junk_file(plain):
            yield plain, info, None
            continue
        try:
            yield plain, info, opened.read_member(info, _HEAD) if opened else b""
        except InputError as error:
            yield plain, info, error


def _open_tar(file: BinaryIO, compression: str, shown: str) -> _TarMembers | None:
    packed = os.fstat(file.fileno()).st_size
    opened: Any = file
    match compression:
        case "gzip":
            opened = gzip.GzipFile(fileobj=file)
        case "bzip2":
            opened = bz2.BZ2File(file)
        case "xz":
            opened = lzma.LZMAFile(file)  # noqa: SIM115 - closed with the archive
        case "zstd":
            opened = SeekableZstd(file)
    bounded = _BoundedFile(opened, packed if opened is file else max(FLOOR, RATIO * packed), shown)
    if not archive.is_tar(bounded.read(512)):
        return None
    bounded.seek(0)
    return _TarMembers(bounded, file)


class _ZipMembers:
    def __init__(self, file: BinaryIO, shown: str) -> None:
        _refuse_long_directory(file, shown)
        self._file, self._zip, self._shown = file, zipfile.ZipFile(file), shown
        end = 0
        for info in sorted(self._zip.infolist(), key=attrgetter("header_offset")):
            if info.header_offset < end:
                raise make_bomb_error("its members overlap", shown)
            end = info.header_offset + info.compress_size

    def list_members(self) -> Iterator[tuple[str, object]]:
        for info in sorted(self._zip.infolist(), key=attrgetter("orig_filename")):
            kind = stat.S_IFMT(info.external_attr >> 16)
            if not info.is_dir() and kind in (0, stat.S_IFREG):
                yield info.orig_filename, info

    def read_member(self, info: object, most: int) -> bytes:
        assert isinstance(info, zipfile.ZipInfo)
        if info.flag_bits & 0x1:
            place = f"{self._shown}!/{info.filename}"
            raise InputError("is encrypted", place=place, hint="pack it without a password")
        allowed = max(FLOOR, RATIO * info.compress_size)
        parts, size = list[bytes](), 0
        with self._zip.open(info) as stream:
            while size < most and (part := stream.read(min(_CHUNK, most - size))):
                parts.append(part)
                size += len(part)
                if size > allowed:
                    unpacked = f"its {format_size(info.compress_size)} unpack to {format_size(size)} and more"
                    raise make_bomb_error(unpacked, f"{self._shown}!/{info.filename}")
        return b"".join(parts)

    def close(self) -> None:
        self._zip.close()
        self._file.close()


class _TarMembers:
    """A tar archive, read forward; a member that was passed is found again by its place."""

    def __init__(self, file: _BoundedFile, packed: BinaryIO) -> None:
        self._file, self._packed = file, packed

    def close(self) -> None:
        self._file.close()
        self._packed.close()

    def list_members(self) -> Iterator[tuple[str, object]]:
        with tarfile.open(fileobj=self._file, mode="r:") as archive:
            for info in archive:
                if info.isreg() and not info.issparse():
                    yield info.name, info

    def read_member(self, info: object, most: int) -> bytes:
        assert isinstance(info, tarfile.TarInfo)
        self._file.seek(info.offset_data)
        wanted, parts = min(most, info.size), list[bytes]()
        while wanted and (part := self._file.read(min(_CHUNK, wanted))):
            parts.append(part)
            wanted -= len(part)
        if wanted:
            raise tarfile.ReadError("it breaks off")
        return b"".join(parts)


class _BoundedFile(io.RawIOBase):
    """A file that gives no more than a tar can need at once, and ends where a bomb would begin."""

    def __init__(self, file: BinaryIO, most: int, shown: str) -> None:
        self._file, self._most, self._shown = file, most, shown

    def read(self, size: int = -1) -> bytes:
        if size < 0 or size > _HEADER:
            raise make_bomb_error("its headers are too long", self._shown)
        self._check(self._file.tell() + size)
        return self._file.read(size)

    def seek(self, offset: int, whence: int = 0) -> int:
        if whence == 0:
            self._check(offset)
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def close(self) -> None:
        self._file.close()
        super().close()

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

    def _check(self, place: int) -> None:
        if place > self._most + tarfile.RECORDSIZE:
            raise make_bomb_error(f"it unpacks to more than {format_size(self._most)}", self._shown)


_ArchiveMembers: TypeAlias = _ZipMembers | _TarMembers  # read member by member, forward


def _refuse_long_directory(file: BinaryIO, shown: str) -> None:
    """Refuse a list of members that is too long to be read; the end of a zip has its length."""
    length = file.seek(0, os.SEEK_END)
    file.seek(max(0, length - _TAIL))
    tail = file.read(_TAIL)
    file.seek(0)
    at = tail.rfind(b"PK\x05\x06")
    if at >= 0 and len(tail) >= at + 22:
        (size,) = struct.unpack_from("<I", tail, at + 12)
        if size == 0xFFFFFFFF and at >= 76 and tail[at - 76 : at - 72] == b"PK\x06\x06":
            (size,) = struct.unpack_from("<Q", tail, at - 76 + 40)
        if size > _DIRECTORY:
            raise make_bomb_error(f"the member list alone has {format_size(size)}", shown)

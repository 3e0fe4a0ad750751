"""An archive to its members in memory; nothing is ever written to disk.

What a header says about a size is not believed: bytes are counted as they come. A member with a
name that leads elsewhere, a link or a device is reported and left alone. Its documents are read one after the
other, to one extraction.
"""

from __future__ import annotations

import io
import stat
import struct
import tarfile
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from operator import attrgetter
from pathlib import PurePosixPath
from posixpath import dirname

import msgspec

from citeproof.errors import InputError
from citeproof.plumbing import sandbox
from citeproof.plumbing.sandbox import Limits, StoppedError
from citeproof.reading.extractors import base
from citeproof.reading.extractors.archive import ZIP, decompression, detect_compression, is_tar
from citeproof.reading.extractors.archive.decompression import UnpackBudget, format_size, make_bomb_error
from citeproof.reading.extractors.archive.file_choice import FileChoice, choose_documents, is_junk_file
from citeproof.reading.extractors.base import detect_extractor
from citeproof.reading.extractors.decoded_text import make_inner_document, refuse_flood
from citeproof.reading.extractors.records.adjacent_files import ArchiveFiles, normalise_path
from citeproof.vocabulary import (
    NO_FACTS,
    Document,
    DocumentFacts,
    Extraction,
    KeyPlace,
    Place,
    Problem,
    RawReference,
)

MAX_MEMBERS = 2_000
_DIRECTORY = 8 * 1024 * 1024  # bytes that the list of members may take; 2,000 with long names need less
_CHUNK = 1 << 18
_LOCAL = struct.Struct("<4s22xHH")  # the head of a member: its mark, the lengths of name and extra field
_BROKEN = (
    *decompression.BROKEN,
    *(zipfile.BadZipFile, tarfile.TarError, struct.error, NotImplementedError, RuntimeError),
    *(KeyError, IndexError, OverflowError, RecursionError),
)
_NEW = "create the archive again"
MAX_MEMBER = 2_000_000  # bytes of one file
MAX_ALL = 8_000_000  # bytes of all of them
_ENTRY = "citeproof.reading.extractors.archive.archive_members:read_in_archive"
_LIMITS = Limits(memory=1 << 30, seconds=60.0, answer=1 << 24)
_read = msgspec.msgpack.Decoder(dict[str, bytes])
FORMAT = "archive"
_NAMED = 5  # files that a note names
_CITING = 20  # sentences of one reference
_ONCE = "unpack it and pass its files"
# Zips that are neither archives nor read: the folder that gives them away, what they are, what to do.
_OFFICE = (
    ("xl/", "an Excel workbook", "save the sheet as CSV"),
    ("ppt/", "a PowerPoint presentation", "save its references as plain text"),
)


@dataclass(slots=True)
class UnpackedArchive:
    """The files of an archive by name, in order, and what was wrong with the others."""

    archive: str
    members: dict[str, bytes] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    single: bool = False  # one compressed file, not an archive of files
    encoding: str = ""  # of its texts, where the user states it

    def tell(self, member: str, message: str, hint: str = _NEW) -> None:
        """Note what was wrong with a member."""
        shown = "".join(sign if sign.isprintable() else "?" for sign in member[:300])
        # Line 1, because a member that is not read has cost its references.
        self.problems.append(Problem(Place(f"{self.archive}!/{shown}", 1), message, hint))

    def room(self, name: str) -> str | None:
        """Return the plain form of a member's name, None (and a problem) if it cannot be taken."""
        plain = normalise_path(name)
        if plain is None or plain == ".." or plain.startswith("../"):
            self.tell(name, "a path that leads out of the archive; not read")
        elif plain in self.members:
            self.tell(name, "occurs twice in the archive; only the first is read")
        else:
            return plain
        return None


def unpack_archive(document: Document) -> UnpackedArchive:
    """Return the members of an archive, or the one file in compressed data."""
    unpacked = UnpackedArchive(document.name)
    data = document.data
    if data.startswith(ZIP):
        _unpack_zip(data, unpacked)
        return unpacked
    if detect_compression(data):
        data, wrong = decompression.decompress_data(data, document.name)
        if wrong and not data:
            raise InputError(wrong, place=document.name, hint=_NEW)
        if wrong:
            unpacked.problems.append(Problem(Place(document.name, 1), wrong + "; read up to there", _NEW))
    if is_tar(data):
        _unpack_tar(data, unpacked)
    else:
        unpacked.single = True
        path = PurePosixPath(document.name.replace("\\", "/"))
        unpacked.members[path.stem if path.suffix and path.stem else path.name or "file"] = data
    return unpacked


def _unpack_zip(data: bytes, unpacked: UnpackedArchive) -> None:
    at = data.rfind(b"PK\x05\x06", max(0, len(data) - 70_000))
    if at >= 0 and len(data) >= at + 22:
        count, size = struct.unpack_from("<HI", data, at + 10)
        if size != 0xFFFFFFFF and size > _DIRECTORY:
            raise make_bomb_error(f"the member list alone has {format_size(size)}", unpacked.archive)
        if count != 0xFFFF:
            _refuse_many_members(count, unpacked.archive)
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        infos = archive.infolist()
    except _BROKEN as error:
        message = f"the zip archive is broken: {str(error)[:200]}"
        raise InputError(message, place=unpacked.archive, hint=_NEW) from error
    _refuse_many_members(len(infos), unpacked.archive)
    _refuse_overlaps(data, infos, unpacked.archive)
    budget = UnpackBudget(unpacked.archive, len(data))
    for info in infos:
        if info.is_dir():
            continue
        name = unpacked.room(info.orig_filename)  # `filename` has lost what comes after a NUL
        if name is None:
            continue
        kind = stat.S_IFMT(info.external_attr >> 16)
        if kind not in (0, stat.S_IFREG):
            unpacked.tell(name, "a link or device; not read")
        elif info.flag_bits & 0x1:
            unpacked.tell(name, "is encrypted", "pack it without a password")
        else:
            _unpack_zip_member(archive, info, name, budget, unpacked)


def _unpack_zip_member(
    archive: zipfile.ZipFile,
    info: zipfile.ZipInfo,
    name: str,
    budget: UnpackBudget,
    unpacked: UnpackedArchive,
) -> None:
    own = UnpackBudget(f"{unpacked.archive}!/{name}", info.compress_size)
    parts: list[bytes] = []
    try:
        with archive.open(info) as stream:
            while part := stream.read(_CHUNK):
                own.spend(len(part))
                budget.spend(len(part))
                parts.append(part)
    except InputError:
        raise
    except _BROKEN as error:
        unpacked.tell(name, f"cannot be unpacked: {str(error)[:200]}")
        return
    data = b"".join(parts)
    if len(data) != info.file_size:
        unpacked.tell(
            name, f"has {format_size(len(data))}, but the archive says {format_size(info.file_size)}"
        )
        return
    unpacked.members[name] = data


def _refuse_many_members(count: int, name: str) -> None:
    if count > MAX_MEMBERS:
        raise make_bomb_error(f"has more than {MAX_MEMBERS:,} members", name)


def _refuse_overlaps(data: bytes, infos: list[zipfile.ZipInfo], name: str) -> None:
    """Refuse an archive in which the same bytes belong to several members, as only bombs have it."""
    end = 0
    for info in sorted(infos, key=attrgetter("header_offset")):
        start = info.header_offset
        if start < end:
            raise make_bomb_error("its members overlap", name)
        if start + _LOCAL.size <= len(data):
            mark, named, extra = _LOCAL.unpack_from(data, start)
            if mark == b"PK\x03\x04":
                end = start + _LOCAL.size + named + extra + info.compress_size


def _unpack_tar(data: bytes, unpacked: UnpackedArchive) -> None:
    budget = UnpackBudget(unpacked.archive, len(data))
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            for count, info in enumerate(archive, start=1):
                _refuse_many_members(count, unpacked.archive)
                _unpack_tar_member(archive, info, budget, unpacked)
    except InputError:
        raise
    except _BROKEN as error:
        if not unpacked.members:
            message = f"the tar archive is broken: {str(error)[:200]}"
            raise InputError(message, place=unpacked.archive, hint=_NEW) from error
        after = f"the tar archive is broken after {next(reversed(unpacked.members))}: {str(error)[:200]}"
        unpacked.problems.append(Problem(Place(unpacked.archive, 1), after, _NEW))


def _unpack_tar_member(
    archive: tarfile.TarFile, info: tarfile.TarInfo, budget: UnpackBudget, unpacked: UnpackedArchive
) -> None:
    if info.isdir():
        return
    name = unpacked.room(info.name)
    if name is None:
        return
    if not info.isreg() or info.issparse():
        unpacked.tell(name, "a link, device or sparse file; not read")
        return
    stream = archive.extractfile(info)
    data = stream.read(info.size) if stream else b""
    budget.spend(len(data))
    if len(data) != info.size:
        unpacked.tell(name, f"breaks off after {format_size(len(data))} of {format_size(info.size)}")
        return
    unpacked.members[name] = data


def read_text_members(data: bytes) -> dict[str, bytes]:
    """Return the text files of an archive by name; none if it cannot be read."""
    try:
        return _read.decode(sandbox.run(_ENTRY, data, _LIMITS))
    except (StoppedError, msgspec.MsgspecError):
        return {}


def read_in_archive(data: bytes) -> bytes:
    """Return the packed files; runs in the child."""
    texts: dict[str, bytes] = {}
    try:
        members = unpack_archive(Document("archive", data)).members
    except InputError:
        members = {}
    for name, body in members.items():
        text = b"\0" not in body[:100_000] and len(body) <= MAX_MEMBER and not is_junk_file(name)
        if text and sum(map(len, texts.values())) + len(body) <= MAX_ALL:
            texts[name] = body
    return msgspec.msgpack.encode(texts)


def read_archive(document: Document) -> Extraction:
    """Return the references of every document in an archive, and what could not be read."""
    unpacked = unpack_archive(document)
    unpacked.encoding = document.encoding
    if unpacked.single:
        return _read_single_file(unpacked)
    if "[Content_Types].xml" in unpacked.members:
        for folder, what, hint in _OFFICE:
            if any(name.startswith(folder) for name in unpacked.members):
                raise InputError(f"is {what}", place=unpacked.archive, hint=hint)
    choice = choose_documents(unpacked.members)
    reading = _ArchiveReader(unpacked)
    reading.all_of(choice)
    return reading.extraction(choice)


class _ArchiveReader:
    """What came out of each document so far."""

    def __init__(self, unpacked: UnpackedArchive) -> None:
        self._found = unpacked
        self._read: dict[str, tuple[Extraction, ArchiveFiles]] = {}

    def all_of(self, choice: FileChoice) -> None:
        """Read every document; one that cannot be read is a problem next to the others."""
        for done, name in enumerate(choice.documents, start=1):
            adjacent = ArchiveFiles(self._found.members, dirname(name))
            data, full = self._found.members[name], f"{self._found.archive}!/{name}"
            document = replace(make_inner_document(full, data, self._found.encoding), beside=adjacent)
            try:
                with base.forward_progress(lambda *_: None):
                    self._read[name] = choice.documents[name].extract(document), adjacent
            except InputError as error:
                self._fail(name, error)
            base.report_progress(done, len(choice.documents))
        for name, why in choice.unreadable.items():
            self._fail(name, why)
        for name in choice.nested:
            self._fail(name, InputError("an archive inside an archive is not unpacked", hint=_ONCE))

    def _fail(self, name: str, error: InputError) -> None:
        self._found.tell(name, error.message, error.hint)

    def extraction(self, choice: FileChoice) -> Extraction:
        """Return all that was read, each reference once; InputError if nothing could be."""
        names = self._list_documents()
        if not names:
            raise self._explain_nothing()
        references: dict[tuple[str, Place, str], RawReference] = {}
        problems = [*self._found.problems]
        counts: list[int] = []
        twice = 0
        for name in names:
            extraction, adjacent = self._read[name]
            for reference in extraction.references:
                moved = replace(reference, place=self._move_place(reference.place, adjacent))
                known = (moved.key, moved.place, moved.text)
                before = references.get(known)
                citing = (*before.citing, *moved.citing) if before else moved.citing
                references[known] = replace(moved, citing=tuple(dict.fromkeys(citing))[:_CITING])
                twice += before is not None
            problems += (replace(p, place=self._move_place(p.place, adjacent)) for p in extraction.problems)
            counts.append(len(extraction.references) if extraction.expected is None else extraction.expected)
        refuse_flood(len(references), self._found.archive)
        counted = any(self._read[name][0].expected is not None for name in names)
        return Extraction(
            tuple(references.values()),
            (*dict.fromkeys(problems), *self._note_left_out(choice, names)),
            sum(counts) - twice if counted else None,
            FORMAT,
            self._merge_facts(names, list(references.values())),
            dated=next(iter(days)) if len(days := {self._read[name][0].dated for name in names}) == 1 else "",
        )

    def _merge_facts(self, names: list[str], references: list[RawReference]) -> DocumentFacts:
        """Return what the documents say: authors of one alone, keys of all; what one cites is in use."""
        facts = [(self._read[name][0].about, self._read[name][1]) for name in names]
        cited = {(reference.key, reference.place.file) for reference in references}
        undefined, uncited = (
            dict.fromkeys(
                KeyPlace(value.key, self._move_place(value.place, adjacent))
                for about, adjacent in facts
                for value in getattr(about, field)
            )
            for field in ("undefined", "uncited")
        )
        unused = tuple(entry for entry in uncited if (entry.key, entry.place.file) not in cited)
        alone = facts[0][0] if len(facts) == 1 else NO_FACTS
        return DocumentFacts(alone.authors, tuple(undefined), unused, alone.saved_by)

    def _list_documents(self) -> list[str]:
        used = {name: adjacent.used - {name} for name, (_, adjacent) in self._read.items()}
        names: list[str] = []
        for name in sorted(used, key=lambda name: any(name in theirs for theirs in used.values())):
            if not any(name in used[other] for other in names):
                names.append(name)
        return [name for name in used if name in names]

    def _move_place(self, place: Place, adjacent: ArchiveFiles) -> Place:
        if place.file.startswith(f"{self._found.archive}!/"):
            return place
        full = adjacent.full(place.file) if place.file else None
        return replace(place, file=f"{self._found.archive}!/{full or place.file}")

    def _explain_nothing(self) -> InputError:
        first = next(iter(self._found.problems), None)
        if first is None:
            message = "contains no document in a known format"
            return InputError(message, place=self._found.archive, hint="see docs/formats.md")
        return InputError(first.message, place=first.place.file, hint=first.hint)

    def _note_left_out(self, choice: FileChoice, names: list[str]) -> Iterable[Problem]:
        used = {name for read in names for name in self._read[read][1].used}
        if passed := [name for name in choice.passed if name not in used]:
            yield self._note(passed, "no document in a known format")
        if unused := [name for name in choice.parts if name not in used]:
            yield self._note(unused, f"not used by {', '.join(choice.mains[:3])}")

    def _note(self, names: list[str], why: str) -> Problem:
        telling = sorted(names, key=lambda name: name.startswith(".") or "/." in name)  # hidden ones last
        shown = ", ".join(name[-100:] for name in telling[:_NAMED])
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        count = "1 file was" if len(names) == 1 else f"{len(names)} files were"
        message = f"{count} passed over ({why}): {shown}{more}"
        return Problem(Place(self._found.archive), message, note=True)


def _read_single_file(unpacked: UnpackedArchive) -> Extraction:
    ((name, data),) = unpacked.members.items()
    document = make_inner_document(f"{unpacked.archive}!/{name}", data, unpacked.encoding)
    extractor = detect_extractor(document)
    if extractor.name == FORMAT:
        raise InputError("an archive inside an archive is not unpacked", place=document.name, hint=_ONCE)
    extraction = extractor.extract(document)
    return replace(extraction, problems=(*unpacked.problems, *extraction.problems), format=FORMAT)

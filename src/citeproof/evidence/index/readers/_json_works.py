"""JSON dumps as a stream of works: lines, lists, `{"items": […]}`, and tars or zips of such files.

A file is read as lines unless it begins as a list. Lists up to `WHOLE` bytes are taken apart at once, longer
ones by a scanner in one pass, so that memory stays flat. Members of a tar are read where they are, in the
order of the archive, those of a zip by name; nothing is unpacked to disk. Names only serve as places.
"""

from __future__ import annotations

import io
import tarfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, TypeVar, cast

import msgspec

from citeproof.errors import InputError
from citeproof.evidence.index.readers._dump_files import (
    DAMAGED,
    MAX_LINE,
    open_dump,
    open_members,
    read_lines,
    unpack_stream,
)
from citeproof.evidence.index.readers.base import AbstractedRecord, BadRecord, Bookmark
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Place, Record

T = TypeVar("T")

WHOLE = 64_000_000  # bytes of a list that are read at once
MAX_MEMBER = 1_000_000_000  # bytes of a list; what comes after is not read
MAX_ITEM = MAX_LINE
_BUFFER = _CHUNK = 1 << 20

_LIST = re.compile(rb"(?:\xef\xbb\xbf)?\s{0,200}(?:\{\s{0,200}\"items\"\s{0,200}:\s{0,200})?\[")
# Up to the next bracket that counts. Strings are skipped whole, because they may hold brackets; inside a
# work so are objects and lists without others in them. What is cut off by the end of a chunk matches later.
_PLAIN = rb'[^"{}\[\]]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^"{}\[\]]*+)*+'
_BETWEEN = re.compile(_PLAIN + rb"([{}\[\]])", re.DOTALL)
_INSIDE = re.compile(
    _PLAIN + rb"(?:(?:\{" + _PLAIN + rb"\}|\[" + _PLAIN + rb"\])" + _PLAIN + rb")*+([{}\[\]])", re.DOTALL
)
_TARS = (".tar", ".tar.gz", ".tgz", ".tar.zst")

Decode = Callable[[bytes | msgspec.Raw], T | None]
Found = tuple[Place, bytes | msgspec.Raw]


class _ItemBatch(msgspec.Struct):
    items: list[msgspec.Raw]


_BATCH = msgspec.json.Decoder(_ItemBatch)
_ROWS = msgspec.json.Decoder(list[msgspec.Raw])


def make_decoder(decoder: msgspec.json.Decoder[Any], shape: Callable[[object], T | None]) -> Decode[T]:
    """Return a way to decode an item: only the fields that `decoder` names, then `shape`."""

    def decode(data: bytes | msgspec.Raw) -> T | None:
        try:
            item: object = decoder.decode(data)
        except msgspec.ValidationError:  # a field of another type, which the shape skips
            item = msgspec.json.decode(data)
        return shape(item)

    return decode


def add_abstract(
    shape: Callable[[object], Record | None], read_abstract: Callable[[object], str]
) -> Callable[[object], AbstractedRecord | None]:
    """Return a shape that gives the record of `shape` with its abstract."""

    def make(item: object) -> AbstractedRecord | None:
        record = shape(item)
        return AbstractedRecord(record, read_abstract(item)) if record else None

    return make


def read_works(
    paths: Sequence[Path], at: Bookmark | None = None, *, decode: Decode[T]
) -> Iterator[T | BadRecord]:
    """Yield what `decode` makes of each work in the files; what it cannot read is a `BadRecord`.

    Works before the bookmark are skipped undecoded, files and members before it unopened.
    """
    at = at or Bookmark()
    for path in paths:
        for work in at.list_rest(_find_works(path, at)):
            if isinstance(work, BadRecord):
                yield work
                continue
            try:
                record = decode(work[1])
            except (ValueError, RecursionError) as error:  # msgspec's errors are ValueErrors
                yield BadRecord(work[0], f"not a work: {error}"[:300])
            else:
                yield record or BadRecord(work[0], "not a work: no identifier or no usable title")


def _find_works(path: Path, at: Bookmark) -> Iterator[Found | BadRecord]:
    try:
        if path.name.endswith(_TARS):
            with open_dump(path) as stream:
                yield from _read_tar(path, stream, at)
            return
        with open_members(path, "") as members:
            for name, stream in members:
                if at.opens():
                    yield from _read_document(name, stream)
    except tarfile.TarError as error:
        raise InputError(f"is damaged: {error}", place=str(path), hint="fetch the file again") from error


def _read_tar(path: Path, stream: IO[bytes], at: Bookmark) -> Iterator[Found | BadRecord]:
    """Yield the works of each file in a tar; a damaged member never costs the others."""
    with tarfile.open(fileobj=stream, mode="r|") as archive:
        for member in archive:
            archive.members = []  # type: ignore[attr-defined]  # else the list of all that was read grows with the archive
            raw = archive.extractfile(member) if member.isfile() else None
            if raw is None or not member.name.endswith((".json", ".jsonl", ".gz", ".zst")):
                continue
            if not at.opens():
                continue
            place = f"{path.name}/{member.name}"[:500]
            try:
                with unpack_stream(member.name, raw) as content:
                    yield from _read_document(place, content)
            except DAMAGED as error:
                yield BadRecord(Place(file=place), f"the file is damaged from here on: {error}"[:300])


def _read_document(name: str, stream: IO[bytes]) -> Iterator[Found | BadRecord]:
    """Yield the works of one file, each with its line or its number in the list."""
    buffered = io.BufferedReader(cast("io.RawIOBase", stream), _BUFFER)
    try:
        head = _LIST.match(buffered.peek(1024)[:1024])
        yield from _read_json_list(name, buffered, head.end()) if head else _read_json_lines(name, buffered)
    finally:
        buffered.detach()  # the function that opened the stream closes it


def _read_json_lines(name: str, stream: IO[bytes]) -> Iterator[Found | BadRecord]:
    for number, line in read_lines(stream):
        place = Place(file=name, line=number)
        if line is None:
            yield BadRecord(place, f"the line is longer than {MAX_LINE:,} bytes")
        elif not line.isspace():
            yield place, line


def _read_json_list(name: str, stream: IO[bytes], start: int) -> Iterator[Found | BadRecord]:
    data = stream.read(WHOLE)
    items = _split_list(data) if len(data) < WHOLE else None
    if items is not None:
        for number, item in enumerate(items, 1):
            yield Place(file=name, line=number), item
        return
    number = 0
    try:
        for number, scanned in enumerate(_scan_list(data[start:], stream), 1):
            yield Place(file=name, line=number), scanned
    except ValueError as error:
        yield BadRecord(Place(file=name, line=number + 1), str(error))


def _split_list(data: bytes) -> list[msgspec.Raw] | None:
    """Return the items of a list; None if the JSON is broken somewhere."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        return _BATCH.decode(data).items if data.lstrip().startswith(b"{") else _ROWS.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _scan_list(data: bytes, stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the items of a list whose first bytes are `data`; raise `ValueError` where it ends early."""
    at = start = depth = 0
    total = len(data)
    while True:
        while bracket := (_INSIDE if depth else _BETWEEN).match(data, at):
            at = bracket.end()
            if bracket[1] in b"{[":
                start = start if depth else at - 1
                depth += 1
                continue
            depth -= 1
            if depth < 0:
                return
            if depth == 0:
                yield data[start:at]
        keep = start if depth else at
        if len(data) - keep > MAX_ITEM:
            raise ValueError(f"a work is longer than {MAX_ITEM:,} bytes; nothing after it was read")
        more = stream.read(_CHUNK)
        total += len(more)
        if not more:
            raise ValueError("the list breaks off here")
        if total > MAX_MEMBER:
            raise ValueError(f"the list is longer than {MAX_MEMBER:,} bytes; the rest was not read")
        data, at, start = data[keep:] + more, at - keep, 0

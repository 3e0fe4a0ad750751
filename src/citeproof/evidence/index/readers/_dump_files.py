"""Dump files as streams: plain, gzip or zstd, and the members of a zip or wheel."""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TypeVar, cast

import zstandard
from lxml import etree

from citeproof.errors import InputError
from citeproof.evidence.index.readers.base import BadRecord, Bookmark
from citeproof.vocabulary import Place

MAX_LINE = 4_000_000  # bytes; no record of any dump is longer
DAMAGED = (gzip.BadGzipFile, EOFError, zlib.error, zstandard.ZstdError)  # what unpacking raises
_BUFFER = 1 << 20
T = TypeVar("T")


@contextmanager
def open_dump(path: Path) -> Iterator[IO[bytes]]:
    """Yield the bytes of `path`, unpacked by its suffix; failures name the file and the hint."""
    try:
        with path.open("rb") as raw, unpack_stream(path.name, raw) as stream:
            yield stream
    except FileNotFoundError as error:
        raise InputError("no such file", place=str(path), hint="check the path") from error
    except IsADirectoryError as error:
        raise InputError("is a folder, not a file", place=str(path), hint="give its files") from error
    except PermissionError as error:
        raise InputError(
            "cannot be read: no permission", place=str(path), hint="give read permission"
        ) from error
    except (*DAMAGED, zipfile.BadZipFile) as error:
        raise InputError(f"is damaged: {error}", place=str(path), hint="fetch the file again") from error


@contextmanager
def unpack_stream(name: str, raw: IO[bytes]) -> Iterator[IO[bytes]]:
    """Yield the bytes of a file that is open, unpacked by the suffix of its name."""
    if name.endswith(".gz"):
        with gzip.GzipFile(fileobj=raw) as stream:
            yield cast("IO[bytes]", stream)
    elif name.endswith(".zst"):
        with zstandard.ZstdDecompressor().stream_reader(raw, read_size=_BUFFER) as stream:
            yield io.BufferedReader(stream, _BUFFER)
    else:
        yield raw


@contextmanager
def open_members(path: Path, suffix: str) -> Iterator[Iterator[tuple[str, IO[bytes]]]]:
    """Yield (name, bytes) of `path` itself, or of each member of a zip or wheel that ends in `suffix`.

    Members are read in the archive and never unpacked to disk. Their names only serve as places.
    """
    if path.suffix not in {".whl", ".zip"}:
        with open_dump(path) as stream:
            yield iter([(str(path), stream)])
        return
    with open_dump(path) as raw, zipfile.ZipFile(raw) as archive:

        def walk() -> Iterator[tuple[str, IO[bytes]]]:
            for name in sorted(n for n in archive.namelist() if n.endswith(suffix)):
                with archive.open(name) as member, unpack_stream(name, member) as stream:
                    yield f"{path.name}/{name}", stream

        yield walk()


def read_lines(stream: IO[bytes]) -> Iterator[tuple[int, bytes | None]]:
    """Yield each line with its number from 1; None for a line longer than any record may be."""
    number = 0
    while line := stream.readline(MAX_LINE):
        number += 1
        if len(line) < MAX_LINE or line.endswith(b"\n"):
            yield number, line
            continue
        while (rest := stream.readline(MAX_LINE)) and not rest.endswith(b"\n"):
            pass
        yield number, None


def read_xml_files(
    paths: Sequence[Path], at: Bookmark | None = None, *, read_file: Callable[[str, IO[bytes]], Iterator[T]]
) -> Iterator[T]:
    """Yield what `read_file` finds in each file, or each `.xml.gz` member of a zip or wheel, in order."""
    at = at or Bookmark()
    for path in paths:
        with open_members(path, ".xml.gz") as members:
            for name, stream in members:
                if at.opens():
                    yield from at.list_rest(read_file(name, stream))


def read_elements(
    name: str,
    stream: IO[bytes],
    tag: str | Sequence[str],
    read: Callable[[etree._Element, Place], T | None],
    missing: str,
) -> Iterator[T | BadRecord]:
    """Yield what `read` makes of each element `tag`; `missing` is reported a file that has none.

    `read` returns None for an element that is no record of its own.
    """
    walk = etree.iterparse(
        stream,
        events=("end",),
        tag=tag,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        recover=False,
    )
    line = None
    try:
        for _, element in walk:
            subset = element.getroottree().docinfo.internalDTD if line is None else None
            if subset is not None and next(subset.iterentities(), None) is not None:  # no dump needs its own
                yield BadRecord(Place(file=name, line=1), "the file declares its own XML entities: refused")
                return
            record = read(element, Place(file=name, line=element.sourceline))
            if record is not None:
                line = element.sourceline
                yield record
                element.clear()  # without this the whole file stays in memory
                while element.getprevious() is not None:
                    del element.getparent()[0]
    except etree.XMLSyntaxError as error:
        yield BadRecord(Place(file=name, line=error.lineno or line), f"the XML breaks off here: {error.msg}")
        return
    if line is None:
        yield BadRecord(Place(file=name), missing)

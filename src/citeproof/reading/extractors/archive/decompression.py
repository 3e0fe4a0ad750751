"""Compressed bytes to plain ones, counted while they come: gzip, bzip2, xz, zstd."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import zlib
from collections.abc import Iterator
from typing import BinaryIO, Protocol

from citeproof.errors import InputError
from citeproof.reading.extractors.archive import detect_compression

MAX_TOTAL = 100 * 1024 * 1024  # bytes that an archive may unpack to
RATIO = 100  # to 1; no text that somebody wrote packs so well
FLOOR = 1024 * 1024  # bytes that do no harm, however well they were packed
_CHUNK = 1 << 18
_ZSTD_WINDOW = 128 * 1024 * 1024

BROKEN = (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError)  # raised on damaged data


class ReadableStream(Protocol):
    """What can be read piece by piece."""

    def read1(self, size: int, /) -> bytes: ...


class UnpackBudget:
    """How much an archive may still unpack to, in all."""

    def __init__(self, name: str, packed: int) -> None:
        self._name = name
        self._most = min(MAX_TOTAL, max(FLOOR, RATIO * packed))
        self._packed = packed
        self._spent = 0

    def spend(self, count: int) -> None:
        """Count bytes that came out; InputError once they are too many."""
        self._spent += count
        if self._spent > self._most:
            most = f"more than {format_size(MAX_TOTAL)}"
            size = f"{format_size(self._spent)} and more" if self._most < MAX_TOTAL else most
            raise make_bomb_error(f"its {format_size(self._packed)} unpack to {size}", self._name)


def make_bomb_error(message: str, name: str) -> InputError:
    """Return the refusal of an archive that was made to do harm, or looks like it."""
    hint = "if you trust it, unpack it and pass the files or the folder"
    return InputError(message, place=name, hint=hint)


def format_size(count: int) -> str:
    """Return a size as people write it."""
    return f"{count / (1 << 20):,.0f} MB" if count >= 1 << 20 else f"{count:,} bytes"


def decompress_data(data: bytes, name: str) -> tuple[bytes, str]:
    """Return what `data` unpacks to, and what was wrong with it: what came before the damage stays."""
    budget = UnpackBudget(name, len(data))
    parts: list[bytes] = []
    try:
        for part in _decompress_pieces(data):
            budget.spend(len(part))
            parts.append(part)
    except BROKEN as error:
        return b"".join(parts), f"the {detect_compression(data)} data is broken: {str(error)[:200]}"
    return b"".join(parts), ""


def _decompress_pieces(data: bytes) -> Iterator[bytes]:
    packed = io.BytesIO(data)
    match detect_compression(data):
        case "gzip":
            yield from _read_pieces(gzip.GzipFile(fileobj=packed))
        case "bzip2":
            yield from _read_pieces(bz2.BZ2File(packed))
        case "xz":
            yield from _read_pieces(lzma.LZMAFile(packed))  # noqa: SIM115 - it holds nothing but memory
        case _:
            yield from _decompress_zstd(packed)


def _decompress_zstd(packed: io.BytesIO) -> Iterator[bytes]:
    import zstandard  # noqa: PLC0415 - only its own files pay for it

    reader = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
    try:
        yield from _read_pieces(reader.stream_reader(packed, read_across_frames=True))
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from error


def _read_pieces(stream: ReadableStream) -> Iterator[bytes]:
    while part := stream.read1(_CHUNK):  # `read` would lose what came before the damage
        yield part


class SeekableZstd(io.RawIOBase):
    """A zstd file that can be read again from an earlier place, as gzip's can: from its start."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._at = 0
        self._open()

    def read(self, size: int = -1) -> bytes:
        """Return up to `size` bytes; ValueError where the file is damaged."""
        parts, left = [], size if size >= 0 else sys.maxsize
        while left and (part := self._read_piece(min(left, _CHUNK))):
            parts.append(part)
            left -= len(part)
        return b"".join(parts)

    def seek(self, offset: int, whence: int = 0) -> int:
        """Return the new place; one before the present one is reached from the start of the file."""
        if whence != 0 or offset < 0:
            raise io.UnsupportedOperation("seek")
        if offset < self._at:
            self._at = 0
            self._file.seek(0)
            self._open()
        while self._at < offset and self._read_piece(min(offset - self._at, _CHUNK)):
            pass
        return self._at

    def tell(self) -> int:
        return self._at

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

    def _open(self) -> None:
        import zstandard  # noqa: PLC0415 - only its own files pay for it

        reader = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
        self._stream = reader.stream_reader(self._file, read_across_frames=True, closefd=False)

    def _read_piece(self, most: int) -> bytes:
        import zstandard  # noqa: PLC0415 - same

        try:
            part = self._stream.read(most)
        except zstandard.ZstdError as error:
            raise ValueError(str(error)) from error
        self._at += len(part)
        return part

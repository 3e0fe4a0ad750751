"""The records file: packed records in small zstd blocks, found by ordinal.

    records.zst   the blocks, one after another; each unpacks to BLOCK end offsets (u32) and the records
    records.idx   the start of each block in records.zst (u64), and its end as the last entry
    records.dict  the zstd dictionary, trained on an even sample of the records

Abstracts, where a snapshot has them, are in files of the same form called `abstracts`.

Small blocks with a dictionary cost as few bytes as large ones without, at a fifth of the read time
(measured: 77 bytes a record and 5 µs at 8 records with one, 87 bytes and 22 µs at 64 without). So records
wait in a spool until the dictionary can be trained on a sample that is even over all of them.
"""

from __future__ import annotations

import hashlib
import mmap
import struct
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

import zstandard

from citeproof.evidence.index.growing_files import GrowingFiles, map_file
from citeproof.evidence.index.manifest import make_damage_error
from citeproof.plumbing.zstd_frames import unpack_frame
from citeproof.vocabulary.quick_dataclass import dataclass

RECORDS, ABSTRACTS = "records", "abstracts"  # what the files are called
LEVELS = {RECORDS: 1, ABSTRACTS: 9}  # of records, level 3 saves 12 bytes each and costs 3 µs more
DICTIONARY = 112_640  # bytes; zstd's own advice for its trained dictionaries
MAX_BLOCK = 64_000_000  # bytes a block may unpack to: nothing we write is near it
_LENGTH = struct.Struct("<I")
_SPAN = struct.Struct("<QQ")
_CACHED = 256  # unpacked blocks in memory; about 0.5 MB
BLOCK = 8  # records
SAMPLES = 8_192  # records the dictionary is trained on, at least, if there are so many
_ENDS = struct.Struct(f"<{BLOCK}I")


def list_block_files(stem: str) -> tuple[str, ...]:
    """Return the names of the three files called `stem`."""
    return f"{stem}.zst", f"{stem}.idx", f"{stem}.dict"


def write_blocks(folder: Path, spool: Spool, stem: str = RECORDS, like: Path | None = None) -> str:
    """Write the three files and return the SHA-256 of the records before compression.

    `like` is a snapshot whose dictionary is used again, where it has one.
    """
    dictionary = b""
    with suppress(FileNotFoundError):
        dictionary = (like / f"{stem}.dict").read_bytes() if like else b""
    dictionary = dictionary or _train_dictionary(spool.samples())
    (folder / f"{stem}.dict").write_bytes(dictionary)
    compressor = zstandard.ZstdCompressor(
        level=LEVELS[stem],
        dict_data=zstandard.ZstdCompressionDict(dictionary) if dictionary else None,
        write_checksum=True,
        write_dict_id=False,
    )
    digest, at = hashlib.sha256(), 0
    with (
        (folder / f"{stem}.zst").open("wb", buffering=1 << 20) as data,
        (folder / f"{stem}.idx").open("wb", buffering=1 << 20) as index,
    ):
        for block in spool.blocks():
            digest.update(block)
            frame = compressor.compress(block)
            index.write(at.to_bytes(8, "little"))
            data.write(frame)
            at += len(frame)
        index.write(at.to_bytes(8, "little"))
    return digest.hexdigest()


def _train_dictionary(samples: list[bytes]) -> bytes:
    """Return a dictionary for blocks like `samples`; empty when there is too little to learn from."""
    if sum(map(len, samples)) < 4 * DICTIONARY:
        return b""
    try:
        return zstandard.train_dictionary(DICTIONARY, list(samples)).as_bytes()
    except zstandard.ZstdError:  # samples that are too uniform: small files do without
        return b""


class RecordBlocks:
    """The records of an open snapshot, by ordinal. Safe for many threads."""

    def __init__(self, folder: Path, count: int, stem: str = RECORDS) -> None:
        self.count = count
        self._path = folder / f"{stem}.zst"
        self._data = map_file(self._path)
        self._index = map_file(folder / f"{stem}.idx")
        dictionary = (folder / f"{stem}.dict").read_bytes()
        self._dictionary = zstandard.ZstdCompressionDict(dictionary) if dictionary else None
        self._block = lru_cache(maxsize=_CACHED)(self._read_block)

    def _read_block(self, number: int) -> bytes:
        block = None
        with suppress(struct.error):
            start, end = _SPAN.unpack_from(self._index, 8 * number)
            block = unpack_frame(self._data[start:end], MAX_BLOCK, self._dictionary)
        if block is None:
            raise make_damage_error(f"block {number} cannot be read", self._path)
        return block

    def __getitem__(self, ordinal: int) -> bytes:
        """Return the packed record at `ordinal`, which comes out of files that may be damaged."""
        if not 0 <= ordinal < self.count:
            problem = f"refers to record {ordinal} of {self.count}: it is damaged"
            raise make_damage_error(problem, self._path.parent)
        number, at = divmod(ordinal, BLOCK)
        block = self._block(number)
        base = 4 * BLOCK
        try:
            start = base + (_LENGTH.unpack_from(block, 4 * at - 4)[0] if at else 0)
            return block[start : base + _LENGTH.unpack_from(block, 4 * at)[0]]
        except struct.error as error:
            raise make_damage_error(f"block {number} is too short: it is damaged", self._path) from error

    def close(self) -> None:
        for file in (self._data, self._index):
            if isinstance(file, mmap.mmap):
                file.close()


@dataclass(frozen=True, slots=True)
class SpoolState:
    count: int = 0  # records
    waiting: tuple[bytes, ...] = ()  # those that fill no block yet
    sampled: tuple[int, ...] = ()  # where the sampled blocks begin in the file
    stride: int = BLOCK  # one block in so many records is sampled


class Spool:
    """Takes packed records in order and gives them back in blocks."""

    def __init__(self, path: Path, state: SpoolState | None = None, length: int = 0) -> None:
        state = state or SpoolState()
        self.file = GrowingFiles((path,), (length,))
        self.count = state.count
        self._write = self.file.files[0].write
        self._at = length
        self._waiting = list(state.waiting)
        self._sampled = list(state.sampled)
        self._stride = state.stride

    def add(self, packed: bytes) -> None:
        self._waiting.append(packed)
        self.count += 1
        if len(self._waiting) == BLOCK:
            self._append(_join_block(self._waiting))
            self._waiting.clear()

    def _append(self, block: bytes) -> None:
        if self.count % self._stride == 0:
            self._sampled.append(self._at)  # every n-th block; n doubles whenever there are enough
            if len(self._sampled) * BLOCK >= 2 * SAMPLES:
                del self._sampled[1::2]
                self._stride *= 2
        self._write(_LENGTH.pack(len(block)))
        self._write(block)
        self._at += _LENGTH.size + len(block)

    def state(self) -> SpoolState:
        """Return where the spool is; the file has its length at this moment."""
        return SpoolState(self.count, tuple(self._waiting), tuple(self._sampled), self._stride)

    def samples(self) -> list[bytes]:
        """Return an even sample of the records, in order."""
        self.file.flush()
        records: list[bytes] = []
        with self.file.paths[0].open("rb") as file:
            for at in self._sampled:
                file.seek(at)
                records += _split_block(file.read(_LENGTH.unpack(file.read(_LENGTH.size))[0]))
        return records + self._waiting

    def blocks(self) -> Iterator[bytes]:
        """Yield all blocks in order; the last may hold fewer records."""
        self.file.flush()
        with self.file.paths[0].open("rb", buffering=1 << 20) as file:
            while head := file.read(_LENGTH.size):
                yield file.read(_LENGTH.unpack(head)[0])
        if self._waiting:
            yield _join_block(self._waiting)

    def close(self) -> None:
        """Let go of the file."""
        self.file.close()


def _join_block(records: list[bytes]) -> bytes:
    """Return one block: the end offset of each record, then the records."""
    ends, at = [], 0
    for record in records:
        at += len(record)
        ends.append(at)
    ends += [at] * (BLOCK - len(records))
    return _ENDS.pack(*ends) + b"".join(records)


def _split_block(block: bytes) -> list[bytes]:
    ends = _ENDS.unpack_from(block)
    starts = (0, *ends[:-1])
    return [block[_ENDS.size + start : _ENDS.size + end] for start, end in zip(starts, ends, strict=True)]

"""A list as one compact file: opened lazily, looked up by hash, named by its content.

    8 bytes magic · 4 bytes length of the head · head (JSON) · padding to 8
    sorted 64-bit hashes of what names an entry · 32-bit number of the row of each · offset of each row
    filter: one byte for each value of the lowest bits of a hash, 1 if there is such a hash · rows

A hash may fit two entries: a row is taken only if it has the name itself. Numbers are little-endian.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from math import isqrt
from typing import Any, Literal

import msgspec
from xxhash import xxh3_64_intdigest

from citeproof.text.typed_decoding import decode_json
from citeproof.vocabulary.quick_dataclass import dataclass

MAGIC = b"cplist02"
SPARSE = 8  # bytes of the filter for each hash


class DamagedListError(Exception):
    """A compiled list that is not what it was; the message says how."""


class ListHead(msgspec.Struct, frozen=True, kw_only=True):
    """What a compiled list says about itself."""

    name: str
    day: str  # its date, ISO 8601: no newer entry can be in it
    entries: int
    source: str  # SHA-256 of the file it was compiled from
    origin: str  # that file's name, or address
    licence: str
    kinds: dict[str, int] = {}
    keys: int = 0  # hashes in the table
    filter: int = 0  # bytes of the filter, a power of two
    made: str = ""  # when it was compiled, RFC 3339
    tag: str = ""  # ETag of the file at its home
    modified: str = ""  # Last-Modified of the file at its home
    form: str = "notices"  # of its rows
    finds_by: tuple[str, ...] = ()  # sorts of names in the table: "doi", "issn", ...


@dataclass(frozen=True, slots=True)
class PackedRow:
    """One row, ready for the file: what it is counted as, its bytes, and what it is found by."""

    kind: str
    data: bytes
    names: tuple[str, ...]


def compile_rows(head: ListHead, rows: Iterable[PackedRow]) -> bytes:
    """Return the compiled list; `entries`, `kinds` and `keys` of the head are counted here."""
    pairs: list[tuple[int, int]] = []
    offsets, body, kinds, sorts = array("I", [0]), bytearray(), dict[str, int](), set[str]()
    for at, row in enumerate(rows):
        kinds[row.kind] = kinds.get(row.kind, 0) + 1
        body += row.data
        offsets.append(len(body))
        pairs += [(hash_name(name), at) for name in row.names]
        sorts.update(name.partition(":")[0] for name in row.names)
    pairs.sort()
    # by this table most hashes that are not there are recognised with one look
    sieve = bytearray(1 << max(6, (len(pairs) * SPARSE - 1).bit_length()))
    for key, _ in pairs:
        sieve[key & len(sieve) - 1] = 1
    counted = {"entries": len(offsets) - 1, "kinds": kinds, "keys": len(pairs), "filter": len(sieve)}
    head = msgspec.structs.replace(head, **counted, finds_by=tuple(sorted(sorts)))
    tables = (array("Q", [key for key, _ in pairs]), array("I", [at for _, at in pairs]), offsets)
    packed = (_to_little_endian(table).tobytes() for table in tables)
    return b"".join((_encode_head(head), *packed, bytes(sieve), bytes(body)))


def restate_day(known: CompiledList, day: str) -> bytes:
    """Return the same list with another date: its home says that it has not changed since."""
    return _encode_head(msgspec.structs.replace(known.head, day=day)) + bytes(known.tables)


def _encode_head(head: ListHead) -> bytes:
    encoded = msgspec.json.encode(head)
    start = MAGIC + len(encoded).to_bytes(4, "little") + encoded
    return start + bytes(-len(start) % 8)


class CompiledList:
    """One compiled list in memory; look-ups take microseconds."""

    def __init__(self, data: bytes | memoryview, digest: str) -> None:
        """Take the whole file; `DamagedListError` if it is not the one that `digest` names."""
        if sha256(data).hexdigest() != digest:
            raise DamagedListError("its content does not match its name")
        if data[:8] != MAGIC:
            raise DamagedListError("it was made by another version")
        self.digest = digest
        end = 12 + int.from_bytes(data[8:12], "little")
        try:
            self.head = decode_json(data[12:end], type=ListHead)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise DamagedListError("it was made by another version") from error
        view, at = memoryview(data), end + -end % 8
        size, self.tables = self.head.keys, view[at:]
        try:
            self._keys = _read_table(view[at : (at := at + 8 * size)], "Q", size)
            self._rows = _read_table(view[at : (at := at + 4 * size)], "I", size)
            count = self.head.entries + 1
            self._offsets = _read_table(view[at : (at := at + 4 * count)], "I", count)
            self.filter = _read_filter(view[at : (at := at + self.head.filter)], self.head.filter)
        except (ValueError, TypeError) as error:  # a head that promises more than there is
            raise DamagedListError("its tables are cut off") from error
        self.mask = self.head.filter - 1
        self._near = 2 * isqrt(size)  # places off, at most, in all but few cases
        self.finds_by = self.head.finds_by
        self.memory: dict[object, tuple[Any, ...]] = {}  # answers that look-ups may keep
        self._body = view[at:]

    def find_rows(self, key: int) -> Sequence[int]:
        """Return the numbers of the rows that are found by a hash."""
        if not self.filter[key & self.mask]:
            return ()
        keys, size = self._keys, len(self._keys)
        guess = key * size >> 64  # hashes are spread evenly
        first, last = guess - self._near, guess + self._near
        if first > 0 and last < size and keys[first] < key < keys[last]:
            at = bisect_left(keys, key, first, last)
        else:
            at = bisect_left(keys, key)
        numbers: list[int] = []
        while at < size and keys[at] == key:
            numbers.append(self._rows[at])
            at += 1
        return numbers

    def read_row(self, row: int) -> memoryview:
        """Return the bytes of a row; `DamagedListError` for one that is not there."""
        try:
            return self._body[self._offsets[row] : self._offsets[row + 1]]
        except IndexError as error:
            raise DamagedListError("its tables do not fit together") from error

    def list_rows(self) -> Iterator[memoryview]:
        return map(self.read_row, range(self.head.entries))


def hash_name(name: str) -> int:
    """Return the 64-bit hash under which an entry of that name is found."""
    return xxh3_64_intdigest(name.encode("utf-8", "replace"))


def _to_little_endian(table: array[int]) -> array[int]:
    if sys.byteorder == "big":
        table = array(table.typecode, table)
        table.byteswap()
    return table


def _read_filter(view: memoryview, size: int) -> bytes:
    if len(view) != size or size <= 0 or size & (size - 1):
        raise ValueError("cut off")
    return bytes(view)


def _read_table(view: memoryview, code: Literal["Q", "I"], size: int) -> memoryview | array[int]:
    if sys.byteorder == "little":
        table: memoryview | array[int] = view.cast(code)
    else:
        table = array(code, view.tobytes())
        table.byteswap()
    if len(table) != size:
        raise ValueError("cut off")
    return table

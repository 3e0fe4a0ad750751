"""A list as one compact file: opened lazily, looked up by hash, named by its content.

    8 bytes magic · 4 bytes length of the head · head (JSON) · padding to 8
    sorted 64-bit hashes of what names an entry · 32-bit number of the row of each · offset of each row · rows

A hash may fit two entries: a row is taken only if it has the name itself. Numbers are little-endian.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b, sha256
from typing import Literal

import msgspec

MAGIC = b"cplist01"


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
    counted = {"entries": len(offsets) - 1, "kinds": kinds, "keys": len(pairs)}
    head = msgspec.structs.replace(head, **counted, finds_by=tuple(sorted(sorts)))
    tables = (array("Q", [key for key, _ in pairs]), array("I", [at for _, at in pairs]), offsets)
    return b"".join(
        (_encode_head(head), *(_to_little_endian(table).tobytes() for table in tables), bytes(body))
    )


def restate_day(known: CompiledList, day: str) -> bytes:
    """Return the same list with another date: its home says that it has not changed since."""
    return _encode_head(msgspec.structs.replace(known.head, day=day)) + bytes(known.tables)


def _encode_head(head: ListHead) -> bytes:
    told = msgspec.json.encode(head)
    start = MAGIC + len(told).to_bytes(4, "little") + told
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
            self.head = msgspec.json.decode(data[12:end], type=ListHead)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise DamagedListError("it was made by another version") from error
        view, at = memoryview(data), end + -end % 8
        size, self.tables = self.head.keys, view[at:]
        try:
            self._keys = _read_table(view[at : (at := at + 8 * size)], "Q", size)
            self._rows = _read_table(view[at : (at := at + 4 * size)], "I", size)
            count = self.head.entries + 1
            self._offsets = _read_table(view[at : (at := at + 4 * count)], "I", count)
        except (ValueError, TypeError) as error:  # a head that promises more than there is
            raise DamagedListError("its tables are cut off") from error
        self._body = view[at:]

    def find_rows(self, key: int) -> Iterator[memoryview]:
        """Yield the rows that are found by a hash; `DamagedListError` for one that is not there."""
        keys = self._keys
        at = bisect_left(keys, key)
        while at < len(keys) and keys[at] == key:
            try:
                row = self._rows[at]
                yield self._body[self._offsets[row] : self._offsets[row + 1]]
            except IndexError as error:
                raise DamagedListError("its tables do not fit together") from error
            at += 1

    def list_rows(self) -> Iterator[memoryview]:
        """Yield every row."""
        for at in range(self.head.entries):
            yield self._body[self._offsets[at] : self._offsets[at + 1]]


def hash_name(name: str) -> int:
    """Return the 64-bit hash under which an entry of that name is found."""
    return int.from_bytes(blake2b(name.encode("utf-8", "replace"), digest_size=8).digest(), "little")


def _to_little_endian(table: array[int]) -> array[int]:
    if sys.byteorder == "big":
        table = array(table.typecode, table)
        table.byteswap()
    return table


def _read_table(view: memoryview, code: Literal["Q", "I"], size: int) -> memoryview | array[int]:
    if sys.byteorder == "little":
        table: memoryview | array[int] = view.cast(code)
    else:
        table = array(code, view.tobytes())
        table.byteswap()
    if len(table) != size:
        raise ValueError("cut off")
    return table

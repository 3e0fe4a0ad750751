"""A list as one compact file: opened lazily, looked up by hash, named by its content.

    8 bytes magic · 4 bytes length of the head · head (JSON) · padding to 8
    sorted 64-bit hashes of what names a work · 32-bit number of the row of each · offset of each row · rows

A hash may fit two works: a row is taken only if it names the work itself. Numbers are little-endian.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from hashlib import blake2b, sha256
from typing import Literal

import msgspec

from citeproof.index.lists.retraction_csv import ListedNotice
from citeproof.text.title import make_title_key, strip_notice
from citeproof.vocabulary import ListQuestion, Notice, NoticeKind

MAGIC = b"cplist01"
SHORTEST = 25  # letters and digits of a title that names a work; "Editorial" does not
YEARS = 1  # between the cited year and the listed one: online and in print
_ROWS = msgspec.msgpack.Encoder()
_ROW = msgspec.msgpack.Decoder(ListedNotice)


class DamagedListError(Exception):
    """A compiled list that is not what it was; the message says how."""


class ListHead(msgspec.Struct, frozen=True, kw_only=True):
    """What a compiled list says about itself."""

    name: str
    day: str  # its date, ISO 8601: no newer notice can be in it
    entries: int
    source: str  # SHA-256 of the file it was compiled from
    origin: str  # that file's name, or address
    licence: str
    kinds: dict[str, int] = {}
    keys: int = 0  # hashes in the table
    made: str = ""  # when it was compiled, RFC 3339
    tag: str = ""  # ETag of the file at its home


def compile_list(head: ListHead, rows: Iterable[ListedNotice]) -> bytes:
    """Return the compiled list; `entries`, `kinds` and `keys` of the head are counted here."""
    pairs: list[tuple[int, int]] = []
    offsets, body, kinds = array("I", [0]), bytearray(), dict[str, int]()
    for at, row in enumerate(rows):
        kinds[row.kind] = kinds.get(row.kind, 0) + 1
        body += _ROWS.encode(row)
        offsets.append(len(body))
        pairs += [(_hash_name(name), at) for name in _list_names(row)]
    pairs.sort()
    head = msgspec.structs.replace(head, entries=len(offsets) - 1, kinds=kinds, keys=len(pairs))
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

    def __init__(self, data: bytes, digest: str) -> None:
        """Take the whole file; `DamagedListError` if it is not the one that `digest` names."""
        if sha256(data).hexdigest() != digest:
            raise DamagedListError("its content does not match its name")
        if data[:8] != MAGIC:
            raise DamagedListError("it was made by another version")
        self.digest = digest
        end = 12 + int.from_bytes(data[8:12], "little")
        try:
            self.head = msgspec.json.decode(data[12:end], type=ListHead)
        except msgspec.MsgspecError as error:
            raise DamagedListError("it was made by another version") from error
        view, at = memoryview(data), end + -end % 8
        size, self.tables = self.head.keys, view[at:]
        self._keys = _read_table(view[at : (at := at + 8 * size)], "Q")
        self._rows = _read_table(view[at : (at := at + 4 * size)], "I")
        self._offsets = _read_table(view[at : (at := at + 4 * (self.head.entries + 1))], "I")
        self._body = view[at:]

    def find_notices(self, question: ListQuestion) -> tuple[Notice, ...]:
        """Return every notice about the work, each once: by DOI and PubMed number, else title and author."""
        found: dict[Notice, None] = {}
        for doi in question.dois:
            for row in self._find_rows(f"doi:{doi}"):
                if row.doi == doi:
                    found[_make_notice(row, doi)] = None
        for pmid in question.pmids:
            for row in self._find_rows(f"pmid:{pmid}"):
                if row.pmid == pmid and not (row.doi and row.doi in question.dois):
                    found[_make_notice(row, f"PMID {pmid}")] = None
        if not found and question.title and question.families:
            found |= dict.fromkeys(self._find_by_title(question))
        return tuple(found)

    def _find_by_title(self, question: ListQuestion) -> Iterator[Notice]:
        """Yield the notices about a work of this title, author and year that nothing else tells apart."""
        key = make_title_key(strip_notice(question.title))[:400]
        if len(key) < SHORTEST:
            return
        people = None
        for row in self._find_rows(f"title:{key}"):
            apart = (row.doi and question.dois) or (row.pmid and question.pmids)
            far = row.year and question.year and abs(row.year - question.year) > YEARS
            people = people or {make_title_key(name) for name in question.families}
            if row.title == key and not apart and not far and not people.isdisjoint(row.families):
                yield _make_notice(row, "title and author")

    def _find_rows(self, name: str) -> Iterator[ListedNotice]:
        key, keys = _hash_name(name), self._keys
        at = bisect_left(keys, key)
        while at < len(keys) and keys[at] == key:
            row = self._rows[at]
            yield _ROW.decode(self._body[self._offsets[row] : self._offsets[row + 1]])
            at += 1


def _list_names(row: ListedNotice) -> Iterator[str]:
    if row.doi:
        yield f"doi:{row.doi}"
    if row.pmid:
        yield f"pmid:{row.pmid}"
    if len(row.title) >= SHORTEST and row.families:
        yield f"title:{row.title}"


def _make_notice(row: ListedNotice, about: str) -> Notice:
    return Notice(NoticeKind(row.kind), row.day, row.notice, about, row.reasons)


def _hash_name(name: str) -> int:
    return int.from_bytes(blake2b(name.encode("utf-8", "replace"), digest_size=8).digest(), "little")


def _to_little_endian(table: array[int]) -> array[int]:
    if sys.byteorder == "big":
        table = array(table.typecode, table)
        table.byteswap()
    return table


def _read_table(view: memoryview, code: Literal["Q", "I"]) -> memoryview | array[int]:
    if sys.byteorder == "little":
        return view.cast(code)
    table = array(code, view.tobytes())
    table.byteswap()
    return table

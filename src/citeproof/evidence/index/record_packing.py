"""Records to short bytes and back.

A stored record is a msgpack array whose fields are in the order of `PackedRecord`; trailing defaults are
left out. Readers of the format skip fields they do not know, so fields are only ever appended.

    author    [family, given] or [family, given, suffix, collective]
    version   [year, venue] or [year, venue, kind] or [year, venue, kind, volume, issue, pages]

A build turns each record into an entry: packed, with what it is to be filed under next to it. The reader of
the largest dumps gives entries itself and saves the making of a record: names, versions and records are
frozen objects that cost more to make than all the keys of a work.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, TypeAlias

import msgspec

from citeproof.evidence.index.signature_keys import hash_family
from citeproof.text.names import fold_family_words
from citeproof.vocabulary import Ids, Kind, Name, Record, Version

PackedVersion: TypeAlias = tuple[Any, ...]
MAX_CACHED = 1_000_000  # names or families in memory; some 300 bytes each

Person: TypeAlias = tuple[msgspec.Raw, int, str]  # packed name; number and words of the folded family


class RecordTitles(msgspec.Struct, array_like=True):
    """The first field of a stored record; the others are skipped."""

    titles: list[str]


class RecordHeading(RecordTitles, array_like=True):
    """The beginning of a stored record: what ranking needs."""

    authors: list[list[Any]]
    versions: list[list[Any]]


class PackedRecord(RecordHeading, array_like=True):
    id: str
    ids: list[str]  # scheme, value, scheme, value, ...
    kind: str
    marks: list[str] = []
    complete: bool = True
    publisher: str | None = None


_ENCODER = msgspec.msgpack.Encoder()
_PACKED = msgspec.msgpack.Decoder(PackedRecord)
_HEADING = msgspec.msgpack.Decoder(RecordHeading)
_TITLES = msgspec.msgpack.Decoder(RecordTitles)


def pack_name(family: str, given: str, suffix: str = "", *, collective: bool = False) -> msgspec.Raw:
    """Return one author as bytes that go into a record as they are."""
    if suffix or collective:
        return msgspec.Raw(_ENCODER.encode((family, given, suffix, collective)))
    return msgspec.Raw(_ENCODER.encode((family, given)))


def pack_version(version: Version) -> PackedVersion:
    """Return one version, its trailing defaults cut off."""
    if version.volume is None and version.issue is None and version.pages is None:
        if version.kind is Kind.UNKNOWN:
            return version.year, version.venue
        return version.year, version.venue, version.kind
    return version.year, version.venue, version.kind, version.volume, version.issue, version.pages


def pack_fields(
    titles: Sequence[str],
    authors: Sequence[msgspec.Raw],
    versions: Sequence[PackedVersion],
    name: str,
    ids: Sequence[tuple[str, str]],
    kind: Kind,
    marks: Sequence[str] = (),
    complete: bool = True,
    publisher: str | None = None,
) -> bytes:
    flat = [part for pair in ids for part in pair]
    if publisher is not None:
        return _ENCODER.encode((titles, authors, versions, name, flat, kind, marks, complete, publisher))
    if marks or not complete:
        return _ENCODER.encode((titles, authors, versions, name, flat, kind, marks, complete))
    return _ENCODER.encode((titles, authors, versions, name, flat, kind))


def unpack_titles(data: bytes) -> list[str]:
    return _TITLES.decode(data).titles


def unpack_heading(data: bytes) -> RecordHeading:
    """Return the titles, authors and versions of a stored record."""
    return _HEADING.decode(data)


def unpack_record(data: bytes, *, source: str, work: str, read_at: str | None) -> Record:
    """Return the record stored in `data`."""
    packed = _PACKED.decode(data)
    return Record(
        source=source,
        id=packed.id,
        titles=tuple(packed.titles),
        authors=tuple([Name(*fields) for fields in packed.authors]),
        authors_complete=packed.complete,
        versions=tuple([_make_version(*fields) for fields in packed.versions]),
        kind=Kind(packed.kind),
        publisher=packed.publisher,
        ids=Ids(tuple(zip(packed.ids[::2], packed.ids[1::2], strict=True))),
        marks=tuple(packed.marks),
        work=work,
        read_at=read_at,
        content_hash=hashlib.sha256(data).hexdigest(),
    )


def _make_version(
    year: int | None, venue: str | None, kind: str = "unknown", *locators: str | None
) -> Version:
    return Version(year, venue, Kind(kind), *locators)


class IndexEntry(msgspec.Struct, gc=False):
    """One record, ready to be stored and filed."""

    packed: bytes
    titles: Sequence[str]
    people: Sequence[Person]
    versions: Sequence[PackedVersion]
    ids: Sequence[tuple[str, str]]
    abstract: bytes = b""  # UTF-8; only where a build keeps abstracts


class FamilyCache:
    """Family names, each folded and hashed once."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, str]] = {}

    def person(self, name: Name) -> Person:
        packed = pack_name(name.family, name.given, name.suffix, collective=name.collective)
        return (packed, *self.fold_family(name.family))

    def fold_family(self, family: str) -> tuple[int, str]:
        """Return the folded family name as a number and as words."""
        value = self._known.get(family)
        if value is None:
            if len(self._known) >= MAX_CACHED:
                self._known.clear()
            if family.isascii() and family.isalpha():  # as most are: what `family_words` gives for one word
                value = hash_family(family.lower()), family.lower()
            else:
                words = fold_family_words(Name(family))
                value = hash_family("".join(words)), " ".join(words)
            self._known[family] = value
        return value


def make_entry(record: Record, families: FamilyCache) -> IndexEntry:
    people = [families.person(name) for name in record.authors]
    versions = [pack_version(version) for version in record.versions]
    pairs = record.ids.pairs
    packed = pack_fields(
        record.titles,
        [person[0] for person in people],
        versions,
        record.id,
        pairs,
        record.kind,
        record.marks,
        record.authors_complete,
        record.publisher,
    )
    return IndexEntry(packed, record.titles, people, versions, pairs)

"""Records to short bytes and back.

A stored record is a msgpack array whose fields are in the order of `PackedRecord`; trailing defaults are
left out. Readers of the format skip fields they do not know, so fields are only ever appended.

    author    [family, given] or [family, given, suffix, collective]
    version   [year, venue] or [year, venue, kind] or [year, venue, kind, volume, issue, pages]
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, TypeAlias

import msgspec

from citeproof.vocabulary import Ids, Kind, Name, Record, Version

PackedVersion: TypeAlias = tuple[Any, ...]


class RecordTitles(msgspec.Struct, array_like=True):
    """The first field of a stored record; the others are skipped."""

    titles: list[str]


class RecordHeading(RecordTitles, array_like=True):
    """The beginning of a stored record: what ranking needs."""

    authors: list[list[Any]]
    versions: list[list[Any]]


class PackedRecord(RecordHeading, array_like=True):
    """A stored record."""

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
    """Return a record as bytes, from fields in their packed forms."""
    flat = [part for pair in ids for part in pair]
    if publisher is not None:
        return _ENCODER.encode((titles, authors, versions, name, flat, kind, marks, complete, publisher))
    if marks or not complete:
        return _ENCODER.encode((titles, authors, versions, name, flat, kind, marks, complete))
    return _ENCODER.encode((titles, authors, versions, name, flat, kind))


def unpack_titles(data: bytes) -> list[str]:
    """Return the titles of a stored record."""
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

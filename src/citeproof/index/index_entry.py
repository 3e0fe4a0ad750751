"""A record on its way into a snapshot: packed, with what it is to be filed under next to it.

Readers give records; a build turns each into an entry. The reader of the largest dumps gives entries
itself and saves the making of a record: names, versions and records are frozen objects that cost more
to make than all the keys of a work.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from citeproof.index.record_packing import PackedVersion, pack_fields, pack_name, pack_version
from citeproof.index.signature_keys import hash_family
from citeproof.text.names import fold_family_words
from citeproof.vocabulary import Name, Record

MAX_CACHED = 1_000_000  # names or families kept ready; some 300 bytes each

Person: TypeAlias = tuple[msgspec.Raw, int, str]  # packed name; number and words of the folded family


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
        """Return a name with its folded family."""
        packed = pack_name(name.family, name.given, name.suffix, collective=name.collective)
        return (packed, *self.fold_family(name.family))

    def fold_family(self, family: str) -> tuple[int, str]:
        """Return the folded family name as a number and as words."""
        value = self._known.get(family)
        if value is None:
            if len(self._known) >= MAX_CACHED:
                self._known.clear()
            value = self._known[family] = _fold_family(family)
        return value


def _fold_family(family: str) -> tuple[int, str]:
    if family.isascii() and family.isalpha():  # as most are: what `family_words` gives for one plain word
        plain = family.lower()
        return hash_family(plain), plain
    words = fold_family_words(Name(family))
    return hash_family("".join(words)), " ".join(words)


def make_entry(record: Record, families: FamilyCache) -> IndexEntry:
    """Return the entry of a record."""
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

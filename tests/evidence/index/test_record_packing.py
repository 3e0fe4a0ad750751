"""Stored records come back as they were."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from citeproof.evidence.index.record_packing import FamilyCache, make_entry, unpack_heading, unpack_record
from citeproof.vocabulary import Ids, Kind, Name, Record, Version

WORDS = st.text(max_size=12)
MAYBE = st.none() | WORDS
RECORDS = st.builds(
    Record,
    source=st.just("snapshot:x"),
    id=WORDS,
    titles=st.lists(WORDS, min_size=1, max_size=3).map(tuple),
    authors=st.lists(st.builds(Name, WORDS, WORDS, WORDS, st.booleans()), max_size=4).map(tuple),
    authors_complete=st.booleans(),
    versions=st.lists(
        st.builds(
            Version, st.none() | st.integers(1400, 2100), MAYBE, st.sampled_from(Kind), MAYBE, MAYBE, MAYBE
        ),
        max_size=3,
    ).map(tuple),
    kind=st.sampled_from(Kind),
    publisher=MAYBE,
    ids=st.lists(st.tuples(WORDS, WORDS), max_size=3).map(lambda pairs: Ids(tuple(pairs))),
    marks=st.lists(WORDS, max_size=2).map(tuple),
    work=st.just("snapshot:x#3"),
    read_at=st.just("2024-01-01"),
)


@given(RECORDS)
def test_round_trip(record):
    data = make_entry(record, FamilyCache()).packed
    found = unpack_record(data, source=record.source, work=record.work, read_at=record.read_at)
    assert found.content_hash == hashlib.sha256(data).hexdigest()
    assert replace(found, content_hash="") == record
    assert unpack_heading(data).titles == list(record.titles)
    assert [author[0] for author in unpack_heading(data).authors] == [name.family for name in record.authors]


def test_plain_records_are_short():
    record = Record(
        "", "works:1", ("A",), (Name("Wu", "F."),), versions=(Version(2000, "J"),), kind=Kind.ARTICLE
    )
    assert len(make_entry(record, FamilyCache()).packed) < 40

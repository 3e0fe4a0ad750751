"""The works that the loopback world's servers know: a few records, or a whole snapshot."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from rapidfuzz import fuzz

from citeproof.evidence.index.snapshot import Snapshot
from citeproof.text import ids
from citeproof.text.names import make_family_key
from citeproof.text.title import STOPWORDS, make_title_key, split_words
from citeproof.vocabulary import Ids, Kind, Name, Record

T = TypeVar("T")

GOOD = 0.6  # likeness from which a record of a shelf is a hit
MOST_YEARS = 10  # years of one search by author
WORDS_ALONE = 0.95  # what a title scores of which every word occurs, in whatever order


class Shelf:
    """A few records as holdings."""

    def __init__(self, *records: Record) -> None:
        self.records = records
        self._words = [frozenset(split_words(r.title)) - STOPWORDS for r in records]

    def by_id(self, scheme: str, value: str) -> Sequence[Record]:
        normal = ids.normalise_id(scheme, value) or value
        return [record for record in self.records if (scheme, normal) in record.ids.pairs]

    def search(self, words: str, limit: int = 20) -> Sequence[Record]:
        scores = [(self._score(at, words), -at) for at in range(len(self.records))]
        hits = sorted((row for row in scores if row[0] >= GOOD), reverse=True)
        return [self.records[-at] for _, at in hits[:limit]]

    def find_words(self, words: Collection[str]) -> Sequence[Record]:
        return [record for record in self.records if {*words} <= {*split_words(record.title)}]

    def by_author(self, family: str, since: int, until: int) -> Sequence[Record]:
        key = make_family_key(Name(family))
        return [
            record
            for record in self.records
            if any(make_family_key(name) == key for name in record.authors)
            and any(since <= (version.year or 0) <= until for version in record.versions)
        ]

    def _score(self, at: int, asked: str) -> float:
        """Return how like the asked words a title is, or how much of it a whole citation contains."""
        alike = max(
            (fuzz.ratio(make_title_key(asked), make_title_key(t)) / 100 for t in self.records[at].titles),
            default=0.0,
        )
        own = self._words[at]
        share = len(own & frozenset(split_words(asked))) / len(own) if own else 0.0
        return max(alike, WORDS_ALONE * share)


class SnapshotHoldings:
    """A snapshot as holdings; the linked records of one work (preprint, proceedings, journal) are one."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def by_id(self, scheme: str, value: str) -> Sequence[Record]:
        return self._works(self._snapshot.by_id(scheme, value))

    def search(self, words: str, limit: int = 20) -> Sequence[Record]:
        candidates = self._snapshot.search(words, limit=limit)
        return self._works(candidate.record for candidate in candidates)[:limit]

    def find_words(self, words: Collection[str]) -> Sequence[Record]:
        records = self._works(self._snapshot.by_words(words))
        return [record for record in records if {*words} <= {*split_words(record.title)}]

    def by_author(self, family: str, since: int, until: int) -> Sequence[Record]:
        years = range(since, min(until, since + MOST_YEARS) + 1)
        return self._works(
            record for year in years for record in self._snapshot.by_author_year((Name(family),), year)
        )

    def _works(self, records: Iterable[Record]) -> list[Record]:
        """Return each work once, in the order in which its first record came."""
        seen: set[str] = set()
        works = []
        for record in records:
            if record.work and record.work in seen:
                continue
            seen.add(record.work)
            works.append(merge_records(record, *self._snapshot.same_work(record)))
        return works


def merge_records(record: Record, *others: Record) -> Record:
    """Return one record of a work with the titles, versions, identifiers and marks of all of them."""
    every = (record, *others)
    return replace(
        record,
        titles=_drop_duplicates(title for member in every for title in member.titles),
        authors=max((member.authors for member in every), key=len) if not record.authors else record.authors,
        versions=_drop_duplicates(version for member in every for version in member.versions),
        kind=next((member.kind for member in every if member.kind is not Kind.UNKNOWN), Kind.UNKNOWN),
        publisher=next((member.publisher for member in every if member.publisher), None),
        ids=Ids(_drop_duplicates(pair for member in every for pair in member.ids.pairs)),
        marks=_drop_duplicates(mark for member in every for mark in member.marks),
    )


def _drop_duplicates(values: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(values))

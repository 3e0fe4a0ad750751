"""What a snapshot is asked about one reference, as values: the same whether it is a folder here or served."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from citeproof.index.snapshot import Snapshot
from citeproof.vocabulary import Name, Record, SourceFacts

LINKED = 3  # records of one identifier whose other versions are looked up as well


@dataclass(frozen=True, slots=True)
class RecordQuestion:
    """Which records: by an identifier scheme, or by "title", "raw", "authors" or "mention"."""

    by: str
    value: str = ""
    authors: tuple[Name, ...] = ()
    year: int | None = None
    words: Sequence[str] = ()  # around a mention; they put the works in order


@dataclass(frozen=True, slots=True)
class FactQuestion:
    """What is known around a reference: the prefix of its DOI, and its venue; empty: not asked."""

    prefix: str
    venue: str


def find_records(snapshot: Snapshot, asked: RecordQuestion) -> list[Record]:
    """Return the records that may answer, best first."""
    if asked.by == "title":
        return snapshot.by_title(asked.value, authors=asked.authors)
    if asked.by == "raw":
        return snapshot.by_raw(asked.value)
    if asked.by == "authors":
        return snapshot.by_authors(asked.authors)
    if asked.by == "mention":
        if asked.year is None:
            return []
        return snapshot.by_author_year(asked.authors, asked.year, words=asked.words)
    found = snapshot.by_id(asked.by, asked.value)
    return found + [other for record in found[:LINKED] for other in snapshot.same_work(record)]


def find_facts(snapshot: Snapshot, asked: FactQuestion) -> SourceFacts:
    """Return whether the snapshot has seen the DOI prefix and the venue."""
    prefix, venue = asked.prefix, asked.venue
    return SourceFacts(
        doi_prefix_seen=snapshot.knows_doi_prefix(prefix) if prefix else None,
        venue_seen=snapshot.knows_venue(venue),
        venue_known=snapshot.finds_venue_name(venue) if venue and snapshot.tells_names else None,
    )

"""What a snapshot is asked about one reference, as values: the same whether it is a folder here or served.

Its venues are a list, too: what some record appeared in exists; its silence proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from citeproof.errors import SnapshotError
from citeproof.evidence.index.snapshot import Snapshot
from citeproof.vocabulary import (
    VENUE_REGISTRY,
    ListAnswer,
    ListQuestion,
    Name,
    Record,
    SourceFacts,
    VenueListing,
    VenueStanding,
)

LINKED = 3  # records of one identifier whose other versions are looked up as well
NO_NAMES = "was built without venue names; build it again with `citeproof index build`"


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
    records = snapshot.by_id(asked.by, asked.value)
    return records + [other for record in records[:LINKED] for other in snapshot.same_work(record)]


def find_facts(snapshot: Snapshot, asked: FactQuestion) -> SourceFacts:
    """Return whether the snapshot has seen the DOI prefix and the venue."""
    prefix, venue = asked.prefix, asked.venue
    return SourceFacts(
        doi_prefix_seen=snapshot.facts.knows_doi_prefix(prefix) if prefix else None,
        venue_seen=snapshot.facts.knows_venue(venue),
        venue_known=snapshot.facts.finds_venue_name(venue) if venue and snapshot.facts.tells_names else None,
    )


@dataclass(slots=True)
class VenueRegistry:
    """The venue names of one snapshot, in all their spellings."""

    snapshot: Snapshot
    name: str = VENUE_REGISTRY
    _silent: ListAnswer | None = field(default=None, init=False)

    def look_up(self, question: ListQuestion, day: date) -> ListAnswer:  # noqa: ARG002 - names do not get old
        """Return whether the first venue of the question, the cited one, is known."""
        silent = self._silent or self._say_nothing()
        cited = question.venues[0] if question.venues else ""
        if silent.trouble or not cited:
            return silent
        try:
            is_known = self.snapshot.facts.finds_venue_name(cited)
        except SnapshotError as error:
            self._silent = replace(silent, trouble=f"is damaged: {error}")
            return self._silent
        if not is_known:
            return silent
        known = VenueListing(VenueStanding.KNOWN, cited, "title")
        return replace(silent, listings=(known,))

    @classmethod
    def list_all(cls, snapshots: Iterable[Snapshot]) -> tuple[VenueRegistry, ...]:
        """Return the registries of the snapshots that have enough venues."""
        return tuple(cls(snapshot) for snapshot in snapshots if snapshot.facts.tells_venues)

    def _say_nothing(self) -> ListAnswer:
        trouble = "" if self.snapshot.facts.has_venue_names else NO_NAMES
        self._silent = ListAnswer(self.name, digest=self.snapshot.id, trouble=trouble, subject="venues")
        return self._silent

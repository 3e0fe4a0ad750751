"""An offline snapshot as a source: its silence means something only where it claims completeness.

Its venues are a list, too: what some record appeared in exists; its silence proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from typing import ClassVar

from citeproof.errors import SnapshotError
from citeproof.evidence.index.coverage import (
    CoverageClaim,
    SameVenue,
    find_reach,
    is_at_edge,
    is_id_covered,
    is_same_folded,
)
from citeproof.evidence.index.snapshot import Snapshot
from citeproof.evidence.sources.base import SEARCHES
from citeproof.text.title import split_words
from citeproof.vocabulary import (
    ID_ORDER,
    VENUE_REGISTRY,
    Absent,
    Cause,
    Found,
    ListAnswer,
    ListQuestion,
    Lookup,
    Question,
    Reach,
    Record,
    Reference,
    SourceFacts,
    Unchecked,
    VenueListing,
    VenueStanding,
)
from citeproof.vocabulary.quick_dataclass import dataclass, field, replace

AT_EDGE = "not in this snapshot, which has such works of this year, but not of both years around it"
NOT_COVERED = "not in this snapshot, which does not claim to hold it"
_LINKED = 3  # records of one identifier whose other versions are looked up as well
NO_NAMES = "was built without venue names; build it again with `citeproof index build`"
_AROUND = 4000  # characters around a mention whose words are used


class SnapshotSource:
    """One snapshot, asked by identifier, title, raw string, authors, or an author–year mention."""

    answers: ClassVar[frozenset[str]] = frozenset((*ID_ORDER, "acl", "openreview", "dblp")) | SEARCHES

    def __init__(
        self,
        snapshot: Snapshot,
        *,
        claims: Sequence[CoverageClaim] | None = None,
        same_venue: SameVenue = is_same_folded,
    ) -> None:
        """Take the claims from the snapshot itself unless they are given."""
        self.snapshot = snapshot
        self.name = snapshot.source
        self.claims = tuple(snapshot.covers if claims is None else claims)
        self._same_venue = same_venue
        self._whole = any(c.what == "all" and not c.since and not c.until for c in self.claims)

    async def lookup(self, question: Question) -> Lookup:
        """Return the records that may answer, or what their absence means."""
        try:
            records = self._find_records(question)
        except SnapshotError as error:
            return Unchecked(self.name, question.by, Cause.MALFORMED, f"the snapshot is damaged: {error}")
        if question.by in SEARCHES:
            reach = find_reach(question.reference, self.claims, self._same_venue)
        else:
            covered = is_id_covered(question.by, question.value, self.claims)
            reach = Reach.COMPLETE if covered else Reach.PARTIAL
        if records:
            whole = reach is Reach.COMPLETE and self._whole
            return Found(self.name, question.by, tuple(records), reach, whole=whole, value=question.value)
        if reach is not Reach.PARTIAL:
            return Absent(self.name, question.by, reach, question.value)
        edge = question.by in SEARCHES and is_at_edge(question.reference, self.claims, self._same_venue)
        why = AT_EDGE if edge else NOT_COVERED
        return Unchecked(self.name, question.by, Cause.NOT_COVERED, why, value=question.value)

    def _find_records(self, question: Question) -> list[Record]:
        """Return the records that may answer, best first; of an identifier with the work's other versions."""
        snapshot, claimed = self.snapshot, question.reference.claimed
        match question.by:
            case "title":
                return snapshot.by_title(question.value, authors=claimed.authors)
            case "raw":
                return snapshot.by_raw(question.value)
            case "authors":
                return snapshot.by_authors(claimed.authors)
            case "mention":
                if claimed.year is None:
                    return []
                words = [word for text in question.reference.citing for word in split_words(text[:_AROUND])]
                return snapshot.by_author_year(claimed.authors, claimed.year, words=words)
        records = snapshot.by_id(question.by, question.value)
        return records + [other for record in records[:_LINKED] for other in snapshot.same_work(record)]

    def facts(self, reference: Reference) -> SourceFacts:
        """Return whether the snapshot has seen the DOI prefix and the venue of the reference."""
        known, venue = self.snapshot.facts, reference.claimed.venue or ""
        prefix = (reference.claimed.ids.first("doi") or "").partition("/")[0]
        return SourceFacts(
            doi_prefix_seen=known.knows_doi_prefix(prefix) if prefix else None,
            venue_seen=known.knows_venue(venue),
            venue_known=known.finds_venue_name(venue) if venue and known.tells_names else None,
        )


@dataclass(slots=True)
class VenueRegistry:
    """The venue names of one snapshot, in all their spellings."""

    snapshot: Snapshot
    name: str = VENUE_REGISTRY
    _silent: ListAnswer | None = field(default=None, init=False)

    def look_up(self, question: ListQuestion, day: date) -> ListAnswer:  # noqa: ARG002 - names do not get old
        """Return whether the first venue of the question, the cited one, is known."""
        if self._silent is None:
            trouble = "" if self.snapshot.facts.has_venue_names else NO_NAMES
            self._silent = ListAnswer(self.name, digest=self.snapshot.id, trouble=trouble, subject="venues")
        silent = self._silent
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

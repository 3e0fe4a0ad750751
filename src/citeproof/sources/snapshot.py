"""An offline snapshot as a source: its silence means something only where it claims completeness."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from citeproof.errors import SnapshotError
from citeproof.index.coverage import CoverageClaim, SameVenue, is_id_covered, is_same_folded
from citeproof.index.coverage import is_covered as covered
from citeproof.index.snapshot import Snapshot
from citeproof.text.title import split_words
from citeproof.vocabulary import (
    ID_ORDER,
    Absent,
    Cause,
    Found,
    Lookup,
    Question,
    Reach,
    Record,
    Reference,
    SourceFacts,
    Unchecked,
)

NOT_COVERED = "not in this snapshot, which does not claim to hold it"
_AROUND = 4000  # characters around a mention whose words are used
_LINKED = 3  # records of one identifier whose other versions are looked up as well
_SEARCHES = frozenset(("title", "raw", "authors", "mention"))


class SnapshotSource:
    """One snapshot, asked by identifier, title, raw string, authors, or an author–year mention."""

    answers: ClassVar[frozenset[str]] = frozenset((*ID_ORDER, "acl", "openreview", "dblp")) | _SEARCHES

    def __init__(
        self,
        snapshot: Snapshot,
        *,
        name: str | None = None,
        claims: Sequence[CoverageClaim] | None = None,
        same_venue: SameVenue = is_same_folded,
    ) -> None:
        """Take the name and the claims from the snapshot itself unless they are given."""
        self.snapshot = snapshot
        self.name = snapshot.source if name is None else name
        self.claims = snapshot.covers if claims is None else tuple(claims)
        self._same_venue = same_venue
        self._whole = any(
            claim.what == "all" and not claim.since and not claim.until for claim in self.claims
        )

    async def lookup(self, question: Question) -> Lookup:
        """Return the records that may answer, or what their absence means."""
        complete = self._complete(question)
        try:
            records = self._records(question)
        except SnapshotError as error:
            return Unchecked(self.name, question.by, Cause.MALFORMED, f"the snapshot is damaged: {error}")
        if records:
            reach = Reach.COMPLETE if complete else Reach.PARTIAL
            whole = complete and self._whole
            return Found(self.name, question.by, tuple(records), reach, whole=whole, value=question.value)
        if complete:
            return Absent(self.name, question.by, Reach.COMPLETE, question.value)
        return Unchecked(self.name, question.by, Cause.NOT_COVERED, NOT_COVERED, value=question.value)

    def _records(self, question: Question) -> list[Record]:
        if question.by == "title":
            return self.snapshot.by_title(question.value, authors=question.reference.claimed.authors)
        if question.by == "raw":
            return self.snapshot.by_raw(question.value)
        if question.by == "authors":
            return self.snapshot.by_authors(question.reference.claimed.authors)
        if question.by == "mention":
            return self._find_mentioned(question.reference)
        found = self.snapshot.by_id(question.by, question.value)
        return found + [other for record in found[:_LINKED] for other in self.snapshot.same_work(record)]

    def _find_mentioned(self, reference: Reference) -> list[Record]:
        """Return the works by the people named and of that year; the words around put them in order."""
        claimed = reference.claimed
        if claimed.year is None:
            return []
        words = [word for text in reference.citing for word in split_words(text[:_AROUND])]
        return self.snapshot.by_author_year(claimed.authors, claimed.year, words=words)

    def facts(self, reference: Reference) -> SourceFacts:
        """Return whether the snapshot has seen the DOI prefix and the venue of the reference."""
        doi = reference.claimed.ids.first("doi")
        return SourceFacts(
            doi_prefix_seen=self.snapshot.knows_doi_prefix(doi.partition("/")[0]) if doi else None,
            venue_seen=self.snapshot.knows_venue(reference.claimed.venue or ""),
        )

    def _complete(self, question: Question) -> bool:
        """Return whether the snapshot claims to hold what is asked for."""
        if question.by in _SEARCHES:
            return covered(question.reference, self.claims, self._same_venue)
        return is_id_covered(question.by, question.value, self.claims)

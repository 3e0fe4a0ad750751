"""An offline snapshot as a source: its silence means something only where it claims completeness."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from citeproof.errors import SnapshotError
from citeproof.evidence.index.coverage import (
    CoverageClaim,
    SameVenue,
    find_reach,
    is_id_covered,
    is_same_folded,
)
from citeproof.evidence.index.snapshot import Snapshot
from citeproof.evidence.index.snapshot_questions import FactQuestion, RecordQuestion, find_facts, find_records
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
        stated = snapshot.covers if claims is None else claims
        self._describe(snapshot.source if name is None else name, stated, same_venue)

    def _describe(self, name: str, claims: Sequence[CoverageClaim], same_venue: SameVenue) -> None:
        self.name = name
        self.claims = tuple(claims)
        self._same_venue = same_venue
        self._whole = any(
            claim.what == "all" and not claim.since and not claim.until for claim in self.claims
        )

    async def lookup(self, question: Question) -> Lookup:
        """Return the records that may answer, or what their absence means."""
        try:
            records = find_records(self.snapshot, make_record_question(question))
        except SnapshotError as error:
            return Unchecked(self.name, question.by, Cause.MALFORMED, f"the snapshot is damaged: {error}")
        return self._make_lookup(question, records)

    def _make_lookup(self, question: Question, records: Sequence[Record]) -> Lookup:
        reach = self._find_reach(question)
        if records:
            whole = reach is Reach.COMPLETE and self._whole
            return Found(self.name, question.by, tuple(records), reach, whole=whole, value=question.value)
        if reach is not Reach.PARTIAL:
            return Absent(self.name, question.by, reach, question.value)
        return Unchecked(self.name, question.by, Cause.NOT_COVERED, NOT_COVERED, value=question.value)

    def facts(self, reference: Reference) -> SourceFacts:
        """Return whether the snapshot has seen the DOI prefix and the venue of the reference."""
        return find_facts(self.snapshot, make_fact_question(reference))

    def _find_reach(self, question: Question) -> Reach:
        """Return how far the snapshot claims to hold what is asked for."""
        if question.by in _SEARCHES:
            return find_reach(question.reference, self.claims, self._same_venue)
        covered = is_id_covered(question.by, question.value, self.claims)
        return Reach.COMPLETE if covered else Reach.PARTIAL


def make_record_question(question: Question) -> RecordQuestion:
    """Return what a snapshot is asked for; for a mention, with the words around it."""
    claimed = question.reference.claimed
    if question.by in ("title", "authors"):
        return RecordQuestion(question.by, question.value, claimed.authors)
    if question.by != "mention":
        return RecordQuestion(question.by, question.value)
    words = [word for text in question.reference.citing for word in split_words(text[:_AROUND])]
    return RecordQuestion("mention", "", claimed.authors, claimed.year, words)


def make_fact_question(reference: Reference) -> FactQuestion:
    """Return what a snapshot is asked around a reference."""
    doi = reference.claimed.ids.first("doi") or ""
    return FactQuestion(doi.partition("/")[0], reference.claimed.venue or "")

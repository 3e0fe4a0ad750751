"""A served snapshot as a source: its word counts as if it were here, its faults never count as silence."""

from __future__ import annotations

from citeproof.index.coverage import SameVenue, is_same_folded
from citeproof.index.served_snapshot import ServedSnapshot, SnapshotServerError
from citeproof.sources.snapshot import SnapshotSource, make_fact_question, make_record_question
from citeproof.vocabulary import Lookup, Question, Reach, Reference, SourceFacts, Unchecked


class ServedSnapshotSource(SnapshotSource):
    """A snapshot that a server has. It waits for its answers; one that never comes is `Unchecked`.

    Whoever named it wants it asked: as long as it was not, nothing counts as not found on the word of others
    that hold less. So its silence is told with the reach of a complete source.
    """

    def __init__(self, snapshot: ServedSnapshot, *, same_venue: SameVenue = is_same_folded) -> None:
        """Take the name and the claims from the snapshot itself."""
        self.served = snapshot
        self._describe(snapshot.source, snapshot.covers, same_venue)

    async def lookup(self, question: Question) -> Lookup:
        """Return the records that may answer, or what their absence means."""
        try:
            records = await self.served.find_records(make_record_question(question))
        except SnapshotServerError as error:
            return self._make_unchecked(question.by, error, question.value)
        return self._make_lookup(question, records)

    async def fetch_facts(self, reference: Reference, by: str) -> SourceFacts | Unchecked:
        """Return what `facts` returns for a snapshot that is here; `by`: what would be asked first."""
        try:
            return await self.served.find_facts(make_fact_question(reference))
        except SnapshotServerError as error:
            return self._make_unchecked(by, error)

    def _make_unchecked(self, by: str, error: SnapshotServerError, value: str = "") -> Unchecked:
        return Unchecked(self.name, by, error.cause, error.describe(), Reach.COMPLETE, value)

    def facts(self, reference: Reference) -> SourceFacts:  # noqa: ARG002 - of the base class
        """Return nothing: what it knows must be waited for, with `fetch_facts`."""
        return SourceFacts()

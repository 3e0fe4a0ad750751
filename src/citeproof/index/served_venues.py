"""The venues of a served snapshot as a list: fetched before it is looked into."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date

from citeproof.index.served_snapshot import ServedSnapshot, SnapshotServerError
from citeproof.index.venue_registry import NO_NAMES
from citeproof.vocabulary import VENUE_REGISTRY, ListAnswer, ListQuestion, VenueListing, VenueStanding

MOST_FAULTS = 10_000  # names that could not be asked for, of which the fault is kept


@dataclass(slots=True)
class ServedVenueRegistry:
    """The venue names of one served snapshot, in all their spellings."""

    snapshot: ServedSnapshot
    name: str = VENUE_REGISTRY
    _known: dict[str, bool] = field(default_factory=dict, init=False)
    _faults: dict[str, str] = field(default_factory=dict, init=False)

    async def fetch(self, question: ListQuestion) -> None:
        """Learn whether the first venue of the question, the cited one, is known."""
        cited = question.venues[0] if question.venues else ""
        if not cited or not self.snapshot.has_venue_names:
            return
        try:
            known = await self.snapshot.fetch_venue_name(cited)
        except SnapshotServerError as error:
            if len(self._faults) >= MOST_FAULTS:
                self._faults.clear()
            self._faults[cited] = error.message
            return
        self._faults.pop(cited, None)
        if len(self._known) >= MOST_FAULTS:
            self._known.clear()
        self._known[cited] = known

    def look_up(self, question: ListQuestion, day: date) -> ListAnswer:  # noqa: ARG002 - names do not get old
        """Return whether the first venue of the question is known, as far as it was fetched."""
        trouble = "" if self.snapshot.has_venue_names else NO_NAMES
        silent = ListAnswer(self.name, digest=self.snapshot.id, trouble=trouble, subject="venues")
        cited = question.venues[0] if question.venues else ""
        if trouble or not cited:
            return silent
        if cited in self._faults or cited not in self._known:
            return replace(silent, trouble=f"could not be asked: {self._faults.get(cited, 'no answer')}")
        if not self._known[cited]:
            return silent
        return replace(silent, listings=(VenueListing(VenueStanding.KNOWN, cited, "title"),))

    @classmethod
    def list_all(cls, snapshots: Iterable[ServedSnapshot]) -> tuple[ServedVenueRegistry, ...]:
        """Return the registries of the snapshots that have enough venues."""
        return tuple(cls(snapshot) for snapshot in snapshots if snapshot.tells_venues)

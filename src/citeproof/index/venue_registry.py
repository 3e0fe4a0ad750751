"""The venues of a snapshot as a list: what some record appeared in exists; its silence proves nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date

from citeproof.errors import SnapshotError
from citeproof.index.snapshot import Snapshot
from citeproof.vocabulary import VENUE_REGISTRY, ListAnswer, ListQuestion, VenueListing, VenueStanding

NO_NAMES = "was built without venue names; build it again with `citeproof index build`"


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
            found = self.snapshot.finds_venue_name(cited)
        except SnapshotError as error:
            self._silent = replace(silent, trouble=f"is damaged: {error}")
            return self._silent
        if not found:
            return silent
        known = VenueListing(VenueStanding.KNOWN, cited, "title")
        return replace(silent, listings=(known,))

    @classmethod
    def list_all(cls, snapshots: Iterable[Snapshot]) -> tuple[VenueRegistry, ...]:
        """Return the registries of the snapshots that have enough venues."""
        return tuple(cls(snapshot) for snapshot in snapshots if snapshot.tells_venues)

    def _say_nothing(self) -> ListAnswer:
        trouble = "" if self.snapshot.has_venue_names else NO_NAMES
        self._silent = ListAnswer(self.name, digest=self.snapshot.id, trouble=trouble, subject="venues")
        return self._silent

"""What `pruned` and `redacted` events excuse. Only an event under the signature excuses anything."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from citeproof.audit.verify.entry_pass import EntryPass
from citeproof.audit.verify.log_files import EntryHead


@dataclass(frozen=True, slots=True)
class Excuse:
    """What may be gone: all that only events before `since` name, and the values that were redacted."""

    since: int = 0
    redacted: frozenset[str] = field(default_factory=frozenset)
    by: tuple[int, ...] = ()  # the events that say so


@dataclass(frozen=True, slots=True)
class Excuses:
    """What proved events say may be gone, and what others say, which anybody could have written."""

    proved: Excuse = field(default_factory=Excuse)
    others: Excuse = field(default_factory=Excuse)

    @property
    def redacted(self) -> frozenset[str]:
        return self.proved.redacted | self.others.redacted


def collect_excuses(
    events: EntryPass, proved: Callable[[int], bool], heads_of: Callable[[int], Sequence[EntryHead]]
) -> Excuses:
    """Return what the events of a log excuse, by whether they are `proved`."""

    def said(*, by_proof: bool) -> Excuse:
        pruned = [one for one in events.pruned if proved(one[0]) == by_proof]
        redacted = [one for one in events.redacted if proved(one[0]) == by_proof]
        before = max((time for _, time in pruned), default="")
        return Excuse(
            events.find_first_since(before, heads_of) if before else 0,
            frozenset(name for _, names in redacted for name in names),
            tuple(sorted(seq for seq, _ in [*pruned, *redacted])),
        )

    return Excuses(said(by_proof=True), said(by_proof=False))

"""What anchors still hold, sorted for a verification: checkpoints to compare with, and what else they say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from citeproof.audit.anchors.base import Anchor, Standing
from citeproof.audit.looking.findings import Problem
from citeproof.audit.looking.seeing import Kept

MOST = 100_000  # checkpoints of one anchor that are compared


@dataclass(slots=True)
class Outside:
    """What was found outside of the folder."""

    kept: list[Kept] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def ask(anchors: Iterable[Anchor], origins: Iterable[str]) -> Outside:
    """Return what `anchors` hold of the logs with these origins; one anchor may serve many logs."""
    found = Outside()
    heads = tuple(f"{origin}\n".encode() for origin in origins)
    for anchor in anchors:
        for held, _ in zip(anchor.held(), range(MOST), strict=False):
            place, detail = held.place[:300], held.detail[:300]
            if held.checkpoint and held.checkpoint.startswith(heads):
                found.kept.append(Kept(place, held.checkpoint))
            if held.standing is Standing.NOTED:
                found.notes.append(f"{place}: {detail}")
            elif held.standing is Standing.UNREAD:
                found.unchecked.append(f"{place}: {detail}")
            elif held.standing is Standing.CONTRADICTED:
                found.problems.append(Problem("anchor", place, detail))
    return found

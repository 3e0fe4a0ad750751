"""What anchors still hold, sorted for a verification: checkpoints to compare with, and what else they say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from citeproof.audit.anchors.base import Anchor, HeldStatus
from citeproof.audit.verify.log_files import KeptCheckpoint
from citeproof.audit.verify.log_problems import LogProblem

MOST = 100_000  # checkpoints of one anchor that are compared


@dataclass(slots=True)
class AnchorReport:
    """What was found outside the folder."""

    kept: list[KeptCheckpoint] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)
    problems: list[LogProblem] = field(default_factory=list)


def ask_anchors(anchors: Iterable[Anchor], origins: Iterable[str]) -> AnchorReport:
    """Return what `anchors` hold of the logs with these origins; one anchor may serve many logs."""
    found = AnchorReport()
    heads = tuple(f"{origin}\n".encode() for origin in origins)
    for anchor in anchors:
        for held, _ in zip(anchor.list_held(), range(MOST), strict=False):
            place, detail = held.place[:300], held.detail[:300]
            if held.checkpoint and held.checkpoint.startswith(heads):
                found.kept.append(KeptCheckpoint(place, held.checkpoint))
            if held.standing is HeldStatus.NOTED:
                found.notes.append(f"{place}: {detail}")
            elif held.standing is HeldStatus.UNREAD:
                found.unchecked.append(f"{place}: {detail}")
            elif held.standing is HeldStatus.CONTRADICTED:
                found.problems.append(LogProblem("anchor", place, detail))
    return found

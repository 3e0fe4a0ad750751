"""A world on loopback for tests: every upstream, from records you give it, with faults on demand."""

from citeproof.testing.base import Call, Holdings, Reply
from citeproof.testing.faults import ALL_FAULTS, Fault, Faults
from citeproof.testing.holdings import Shelf, SnapshotHoldings
from citeproof.testing.world import Latency, Pace, Seen, World

__all__ = [
    "ALL_FAULTS",
    "Call",
    "Fault",
    "Faults",
    "Holdings",
    "Latency",
    "Pace",
    "Reply",
    "Seen",
    "Shelf",
    "SnapshotHoldings",
    "World",
]

"""A world on loopback for tests: every upstream, from records you give it, with faults on demand."""

from citeproof.laboratory.testing.base import Call, Holdings, Reply
from citeproof.laboratory.testing.faults import ALL_FAULTS, Fault, Faults
from citeproof.laboratory.testing.holdings import Shelf, SnapshotHoldings
from citeproof.laboratory.testing.world import Latency, Pace, Seen, World

__all__ = [
    "ALL_FAULTS", "Call", "Fault", "Faults", "Holdings", "Latency", "Pace", "Reply", "Seen", "Shelf",
    "SnapshotHoldings", "World",
]  # fmt: skip

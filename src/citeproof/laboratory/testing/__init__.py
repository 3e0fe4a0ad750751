"""A world on loopback for tests: every upstream, from records you give it, with faults on demand."""

from citeproof.laboratory.testing.base import Call, Holdings, Reply
from citeproof.laboratory.testing.faults import ALL_FAULTS, Fault, Faults
from citeproof.laboratory.testing.holdings import Shelf, SnapshotHoldings
from citeproof.laboratory.testing.model_calls import (
    LoopbackModel,
    ModelCall,
    ModelTurn,
    WireRules,
    make_model_error,
)
from citeproof.laboratory.testing.model_wires import make_model_apis
from citeproof.laboratory.testing.obedient_model import ObedientModel
from citeproof.laboratory.testing.world import Latency, Pace, Seen, World

__all__ = [
    "ALL_FAULTS", "Call", "Fault", "Faults", "Holdings", "Latency", "LoopbackModel", "ModelCall",
    "ModelTurn", "ObedientModel", "Pace", "Reply", "Seen", "Shelf", "SnapshotHoldings", "WireRules",
    "World", "make_model_apis", "make_model_error",
]  # fmt: skip

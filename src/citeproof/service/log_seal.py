"""The seal of a run: where it was logged, and the root of the log after it."""

from __future__ import annotations

from citeproof.audit.run_recorder import RunRecorder
from citeproof.vocabulary import Keeper, SealedLog


def find_sealed_log(keeper: Keeper | None) -> SealedLog | None:
    """Return the log that a run was kept in, once it is sealed; None: it has no log."""
    if not isinstance(keeper, RunRecorder) or (sealed := keeper.sealed) is None:
        return None
    return SealedLog(str(keeper.place), sealed.root.hex(), sealed.size)

"""The notice about the audit log on standard error at the end of a run."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from citeproof.reporters.wording import show_line

if TYPE_CHECKING:
    from citeproof.verifier import ReferenceVerifier


def print_audit_notice(verifier: ReferenceVerifier) -> None:
    """Print where the run was logged, the root that was signed, and what an anchor could not take."""
    if verifier.keeper is None:
        return
    from citeproof.audit.run_recorder import RunRecorder  # noqa: PLC0415 - a run without a log need not load it

    keeper = verifier.keeper
    if not isinstance(keeper, RunRecorder) or (sealed := keeper.sealed) is None:
        return
    sys.stdout.flush()  # the report comes first, wherever both go
    root = sealed.root.hex()
    print(f"audit log: {show_line(str(keeper.place))} (Merkle root: {root[:6]}…{root[-4:]})", file=sys.stderr)
    for outcome in sealed.outcomes:
        if not outcome.ok:
            told = f"{outcome.name}: {outcome.detail or outcome.place}"
            print(f"warning: the log is not anchored at {show_line(told)}", file=sys.stderr)

"""A rotation that was cut short: a part of the old log is in `closed/` already."""

from __future__ import annotations

import msgspec

from citeproof.audit.untrusted_files import UnreadableFileError, UntrustedFolder
from citeproof.audit.verify.closed_logs import FOLDER
from citeproof.audit.verify.log_files import BAD

PLAN = "rotating.json"
CUT_SHORT = "a rotation was cut short; the next writer completes it. Then verify again"
_LARGEST = 64 << 20  # bytes of a plan that carries much over


class UntrustedRotation(msgspec.Struct, frozen=True):
    """Where the old log goes."""

    to: str


def is_log_moving(files: UntrustedFolder) -> bool:
    """Return whether no whole log is here, since one is being moved."""
    try:
        to = msgspec.json.decode(files.read(PLAN, _LARGEST), type=UntrustedRotation).to
    except (UnreadableFileError, *BAD):
        return False
    moved = files.names(f"{FOLDER}/{to}") if to not in ("", ".", "..") and "/" not in to else []
    begun = "log.json" in moved and files.has("log.json")  # the new log is whole; only the plan is left
    return bool(moved) and not begun

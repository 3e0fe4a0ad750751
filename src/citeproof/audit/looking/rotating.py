"""A rotation that was cut short: a part of the old log stands in `closed/` already."""

from __future__ import annotations

import msgspec

from citeproof.audit.looking.closed import FOLDER
from citeproof.audit.looking.seeing import BAD
from citeproof.audit.untrusted import Unreadable, Untrusted

PLAN = "rotating.json"
CUT_SHORT = "a rotation was cut short; the next writer completes it. Then verify again"
_LARGEST = 64 << 20  # bytes of a plan that carries much over


class Plan(msgspec.Struct, frozen=True):
    """Where the old log goes."""

    to: str


def is_moving(files: Untrusted) -> bool:
    """Return whether no whole log stands here, since one is being moved."""
    try:
        to = msgspec.json.decode(files.read(PLAN, _LARGEST), type=Plan).to
    except (Unreadable, *BAD):
        return False
    moved = files.names(f"{FOLDER}/{to}") if to not in ("", ".", "..") and "/" not in to else []
    begun = "log.json" in moved and files.has("log.json")  # the new log is whole; only the plan is left
    return bool(moved) and not begun

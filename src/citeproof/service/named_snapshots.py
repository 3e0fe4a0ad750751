"""The snapshots of this machine: their names, how old they are, and where they come from."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from citeproof.evidence.index.manifest import Manifest
from citeproof.evidence.index.pulled_folder import PulledEdition, PulledFolder
from citeproof.plumbing.clock import Clock


def count_days(made: Manifest, clock: Clock) -> int | None:
    """Return how old the newest data of a snapshot is; None where that is unknown."""
    for stated in (max((s.read_at or "" for s in made.sources), default=""), made.created):
        with suppress(ValueError):
            moment = datetime.fromisoformat(stated)
            return (clock.now() - (moment if moment.tzinfo else moment.replace(tzinfo=UTC))).days
    return None


def describe_age(made: Manifest, clock: Clock) -> str:
    days = count_days(made, clock)
    if days is None:
        return "of unknown age"
    return f"built {made.created[:10]}, data {days} day{'' if days == 1 else 's'} old"


def load_pulled(path: Path) -> PulledEdition | None:
    """Return what is known of a snapshot that was pulled; None for any other."""
    return PulledFolder(path).load_current() if path.is_symlink() else None

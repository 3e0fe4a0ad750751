"""The snapshots of this machine: their names, how old they are, and where they come from."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from citeproof.errors import SnapshotError
from citeproof.evidence.index.manifest import Manifest
from citeproof.evidence.index.manifest import load as load_manifest
from citeproof.evidence.index.pulled_folder import PulledEdition, PulledFolder
from citeproof.plumbing.clock import Clock
from citeproof.settings import Settings


@dataclass(frozen=True, slots=True)
class SnapshotRow:
    """One snapshot. `trouble` says why it cannot be used."""

    name: str
    path: Path | str  # text is the address of a server, which is not asked
    used: bool  # by runs that name no other
    records: int = 0
    built: str = ""
    days: int | None = None
    age: str = ""
    pulled: PulledEdition | None = None
    trouble: str = ""

    def describe(self) -> str:
        if self.trouble:
            return f"{self.name}: {self.path}: {self.trouble}"
        if isinstance(self.path, str):
            return f"{self.name}: {self.path}"
        origin = f"; edition {self.pulled.edition} from {self.pulled.url}" if self.pulled else ""
        state = "" if self.used else "; not used: the setting snapshots names others"
        return f"{self.name}: {self.records:,} records, {self.age}{origin}; {self.path}{state}"

    def json(self) -> dict[str, object]:
        pulled = self.pulled
        return {
            "name": self.name,
            "path": str(self.path),
            "used": self.used,
            "records": self.records,
            "built": self.built or None,
            "days": self.days,
            "edition": pulled.edition if pulled else None,
            "url": pulled.url if pulled else None,
            "pulled": pulled.pulled if pulled else None,
            "trouble": self.trouble or None,
        }


def list_snapshots(settings: Settings, clock: Clock) -> list[SnapshotRow]:
    """Return the snapshots that runs use, then the others that were pulled."""
    used = settings.list_snapshot_folders()
    others = tuple(path for path in settings.list_pulled_folders() if path not in used)
    return [_describe_folder(path, clock, used=path in used) for path in used + others]


def _describe_folder(path: Path, clock: Clock, *, used: bool) -> SnapshotRow:
    try:
        made = load_manifest(path)
    except SnapshotError as error:
        return SnapshotRow(path.name, path, used, trouble=error.message)
    days, age = count_days(made, clock), describe_age(made, clock)
    return SnapshotRow(path.name, path, used, made.records, made.created, days, age, load_pulled(path))


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

"""Settings to a `Verifier`: the only module that knows every implementation."""

from __future__ import annotations

from pathlib import Path

from citeproof.clock import Clock, SystemClock
from citeproof.errors import UsageError
from citeproof.extractors import base as extractors
from citeproof.index.snapshot import Snapshot
from citeproof.judge import model
from citeproof.retrieve import Retriever
from citeproof.settings import Settings
from citeproof.sources.snapshot import SnapshotSource
from citeproof.text.journal import surely_same
from citeproof.verifier import Unobserved, Verifier
from citeproof.vocabulary import Document, Extraction, Observer, Source

KNOWN_SOURCES = ("snapshot",)


def assemble(settings: Settings, *, clock: Clock | None = None, observer: Observer | None = None) -> Verifier:
    """Return a verifier with everything that `settings` asks for."""
    snapshots = [Snapshot.open(folder) for folder in snapshot_folders(settings)]
    return Verifier(
        extract_with=_extract,
        retriever=Retriever(_sources(settings, snapshots)),
        model=model.default(),
        clock=clock or SystemClock(),
        snapshots=tuple(snapshot.id for snapshot in snapshots),
        offline=settings.offline,
        observer=observer or Unobserved(),
    )


def snapshot_folders(settings: Settings) -> tuple[Path, ...]:
    """Return the snapshots to open: those asked for, else the starter if it was built."""
    if settings.snapshots:
        return settings.snapshots
    return (settings.starter,) if settings.starter.is_dir() else ()


def _sources(settings: Settings, snapshots: list[Snapshot]) -> list[Source]:
    unknown = [name for name in settings.sources if name not in KNOWN_SOURCES]
    if unknown:
        raise UsageError(
            f"unknown source {unknown[0]!r}",
            place="--sources",
            mend=f"known sources: {', '.join(KNOWN_SOURCES)}",
        )
    if settings.sources and "snapshot" not in settings.sources:
        return []
    return [SnapshotSource(snapshot, same_venue=surely_same) for snapshot in snapshots]


def _extract(document: Document) -> Extraction:
    return extractors.detect(document).extract(document)

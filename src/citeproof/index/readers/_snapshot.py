"""Snapshots as input: their records as they are stored, without those that layers replaced or removed.

Given as folders. Records keep where they come from: licence, date and files of the first build. So several
snapshots are put into one, and one in layers is made whole again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import ClassVar

import numpy as np

from citeproof.index.index_entry import FamilyCache, IndexEntry
from citeproof.index.layer_links import read_stored_entry
from citeproof.index.manifest import FILE, SourceFact
from citeproof.index.readers.base import BadRecord, Bookmark
from citeproof.index.snapshot import Snapshot
from citeproof.vocabulary import Record


class SnapshotReader:
    name: ClassVar[str] = "snapshot"
    covers_note: ClassVar[str] = "what the snapshot holds"

    def read(self, paths: Sequence[Path], at: Bookmark | None = None) -> Iterator[Record | BadRecord]:
        """Yield the records of each snapshot, named by its folder or by the manifest in it."""
        at = at or Bookmark()
        for path in paths:
            with Snapshot.open(locate_snapshot(path)) as opened:
                for ordinal in at.list_rest(opened.list_shown()):
                    yield opened.read_packed(opened.read_stored(ordinal))

    def entries(self, paths: Sequence[Path], at: Bookmark | None = None) -> Iterator[IndexEntry | BadRecord]:
        """Yield the stored records as entries, with their abstracts."""
        families, at = FamilyCache(), at or Bookmark()
        for path in paths:
            with Snapshot.open(locate_snapshot(path)) as opened:
                for ordinal in at.list_rest(opened.list_shown()):
                    entry = read_stored_entry(opened.read_stored(ordinal), families)
                    entry.abstract = opened.read_stored_abstract(ordinal)
                    yield entry


def locate_snapshot(path: Path) -> Path:
    """Return the folder of a snapshot that is named by its manifest."""
    return path.parent if path.name == FILE else path


def list_shown_sources(folder: Path) -> list[SourceFact]:
    """Return where the records that a snapshot shows come from, in order."""
    with Snapshot.open(folder) as opened:
        made, hidden = opened.manifest, opened.hidden.ordinals
    ends = list(accumulate(source.records for source in made.sources))
    below = np.searchsorted(hidden, np.array([0, *ends])).tolist()
    return [
        replace(source, records=source.records - (after - before), bad=0)
        for source, before, after in zip(made.sources, below, below[1:], strict=False)
    ]


READER = SnapshotReader()

"""Reading: records stream in, and wait in files that grow; now and then all of it is made to last.

A checkpoint is a moment when everything that was read is on the disk. Its order matters: first the files,
then progress.json, then the commit of the words, which alone decides whether the checkpoint counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from citeproof.evidence.index.build_checkpoint import BuildCheckpoint, BuildLedger, ShardRun
from citeproof.evidence.index.build_workspace import Workspace
from citeproof.evidence.index.full_text import TextWriter
from citeproof.evidence.index.growing_files import sync_groups
from citeproof.evidence.index.key_table import KeyPartitions
from citeproof.evidence.index.manifest import BadFact
from citeproof.evidence.index.readers.base import (
    BadRecord,
    Bookmark,
    ShardShare,
    ShareBookmark,
    find_reader,
    read_entries,
    takes_whole_files,
)
from citeproof.evidence.index.record_blocks import ABSTRACTS, Spool, SpoolState
from citeproof.evidence.index.record_filing import RecordFiler
from citeproof.evidence.index.record_packing import IndexEntry
from citeproof.evidence.index.snapshot_facts import FactTally
from citeproof.plumbing.disk_files import sync_folder

EVERY = 2048  # records between two words of progress
CHECKPOINT = 500_000  # items between two checkpoints; with fewer, full text would end in more segments
KEPT_BAD = 50  # bad records named in the manifest


@dataclass(frozen=True, slots=True)
class BuildInput:
    """Files of one dump format. `licence` and `read_at` describe them in the manifest."""

    reader: str
    paths: tuple[Path, ...]
    licence: str = ""
    read_at: str | None = None


@dataclass(frozen=True, slots=True)
class BuildProgress:
    """How far a build is. `note` is a word to show the user, e.g. that a leftover was removed."""

    step: str  # "read", "text", "store", "abstracts", "keys", "links", "facts", "seal"
    records: int
    bad: int
    note: str = ""


Tell = Callable[[BuildProgress], None]


class RecordIntake:
    """The open files of a build while it reads; they continue from the ledger's last checkpoint."""

    def __init__(
        self,
        space: Workspace,
        ledger: BuildLedger,
        tell: Tell,
        every: int,
        *,
        abstracts: bool = False,
        share: ShardShare | None = None,
    ) -> None:
        now = ledger.now
        self._share, self._bad_units = share, list(now.bad_units)
        self._runs = {run.unit: [run.records] for run in now.runs}
        self._unit: object = None  # the one of the record stored last, and how many it has
        self._run = [0]
        self._ledger, self._tell, self._every = ledger, tell, every
        self._spool = Spool(space.folder / "spool", now.spool, *now.lengths.get("spool", ()))
        lengths = now.lengths.get(ABSTRACTS, ())
        self._abstracts = Spool(space.folder / ABSTRACTS, now.abstracts, *lengths) if abstracts else None
        self._with_abstract = now.with_abstract
        self._keys = KeyPartitions(space.folder / "partitions", now.lengths.get("partitions", ()))
        self._works = KeyPartitions(space.folder / "works", now.lengths.get("works", ()))
        self._tally = FactTally(space.folder / "tally", now.lengths.get("tally", ()))
        self._filer = RecordFiler(self._keys, self._works, self._tally)
        self._text = TextWriter(space.snapshot)
        for folder in ("partitions", "works", "tally", space.snapshot.name):
            sync_folder(space.folder / folder)
        self._bad = list(now.bad_records)
        self._bad_count = now.bad
        self._counts = list(now.counts)
        self._reached = now.pieces, now.items
        self._at = Bookmark()
        self._since = 0  # items since the last checkpoint

    def read(self, inputs: Sequence[BuildInput]) -> None:
        """Store all records of `inputs` that are not stored yet, and make them last."""
        for source in inputs[len(self._counts) :]:
            self._at = self._open_bookmark(source)
            reader, wanted = find_reader(source.reader), self._abstracts is not None
            for item in read_entries(reader, source.paths, self._at, abstracts=wanted):
                if isinstance(item, BadRecord):
                    self._note_bad(item)
                else:
                    self._store(item)
                self._since += 1
                if self._since >= self._every:
                    self._checkpoint()
            earlier = [sum(column) for column in zip((0, 0), *self._counts, strict=True)]
            self._counts.append((self._spool.count - earlier[0], self._bad_count - earlier[1]))
            self._reached = 0, 0
            self._at = Bookmark()
        self._checkpoint()
        self._tell(BuildProgress("text", self._spool.count, self._bad_count))
        self._text.finish()

    def _open_bookmark(self, source: BuildInput) -> Bookmark:
        if self._share is None:
            return Bookmark(*self._reached)
        whole = takes_whole_files(source.paths, self._share)
        return ShareBookmark(*self._reached, self._share, whole=whole)

    def _store(self, entry: IndexEntry) -> None:
        ordinal = self._spool.count
        self._spool.add(entry.packed)
        at = self._at
        if isinstance(at, ShareBookmark):
            if at.unit is not self._unit:
                self._unit = at.unit
                self._run = self._runs.setdefault((len(self._counts), *at.unit), [0])
            self._run[0] += 1
        if self._abstracts is not None:
            self._abstracts.add(entry.abstract)
            self._with_abstract += bool(entry.abstract)
        self._text.add(ordinal, self._filer.file(ordinal, entry))
        if ordinal % EVERY == 0:
            self._tell(BuildProgress("read", ordinal + 1, self._bad_count))

    def _note_bad(self, bad: BadRecord) -> None:
        self._bad_count += 1
        if len(self._bad) < KEPT_BAD:
            where = f"{bad.place.file}:{bad.place.line}" if bad.place.line else bad.place.file
            self._bad.append(BadFact(where, bad.message[:300]))
            if isinstance(at := self._at, ShareBookmark):
                self._bad_units.append((len(self._counts), *at.unit))

    def _checkpoint(self) -> None:
        self._filer.flush(self._spool.count - 1)
        groups: dict[str, Spool | KeyPartitions | FactTally]
        groups = {"spool": self._spool, "partitions": self._keys, "works": self._works, "tally": self._tally}
        if self._abstracts is not None:
            groups[ABSTRACTS] = self._abstracts
        lengths = dict(zip(groups, sync_groups(group.file for group in groups.values()), strict=True))
        now = BuildCheckpoint(
            records=self._spool.count,
            bad=self._bad_count,
            bad_records=tuple(self._bad),
            counts=tuple(self._counts),
            pieces=self._at.pieces,
            items=self._at.items,
            spool=self._spool.state(),
            abstracts=self._abstracts.state() if self._abstracts else SpoolState(),
            with_abstract=self._with_abstract,
            lengths=lengths,
            runs=tuple(ShardRun(unit, run[0]) for unit, run in self._runs.items()),
            bad_units=tuple(self._bad_units),
        )
        self._ledger.advance(now)
        self._text.commit()
        self._since = 0

    def close(self) -> None:
        """Let go of all files, also after a failure."""
        self._text.close()
        for group in (self._spool, self._abstracts, self._keys, self._works, self._tally):
            if group is not None:
                group.file.close()

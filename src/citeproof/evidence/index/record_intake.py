"""Reading: stretches of records stream in and wait in files that grow; now and then all is made to last.

A checkpoint is a moment when everything that was read is on the disk. Its order matters: first the files,
then progress.json, then the commit of the words, which alone decides whether the checkpoint counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from citeproof.evidence.index.build_checkpoint import BuildCheckpoint, BuildLedger
from citeproof.evidence.index.build_workspace import Workspace
from citeproof.evidence.index.full_text import TextWriter
from citeproof.evidence.index.growing_files import sync_groups
from citeproof.evidence.index.key_writer import KeyPartitions
from citeproof.evidence.index.manifest import BadFact
from citeproof.evidence.index.readers.base import BadRecord, Bookmark, find_reader, read_entries
from citeproof.evidence.index.record_blocks import ABSTRACTS, Spool, SpoolState
from citeproof.evidence.index.record_filing import FiledStretch, RecordFiler
from citeproof.evidence.index.snapshot_facts import FactTally
from citeproof.plumbing.disk_files import sync_folder
from citeproof.vocabulary.quick_dataclass import dataclass, field

CHECKPOINT = 500_000  # items between two checkpoints; with fewer, full text would end in more segments
KEPT_BAD = 50  # bad records named in the manifest
STRETCH = 8192  # items of one file


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
        self, space: Workspace, ledger: BuildLedger, tell: Tell, every: int, *, abstracts: bool = False
    ) -> None:
        now = ledger.now
        self._ledger, self._tell, self._every = ledger, tell, every
        self._spool = Spool(space.folder / "spool", now.spool, *now.lengths.get("spool", ()))
        lengths = now.lengths.get(ABSTRACTS, ())
        self._abstracts = Spool(space.folder / ABSTRACTS, now.abstracts, *lengths) if abstracts else None
        self._with_abstract = now.with_abstract
        self._keys = KeyPartitions(space.folder / "partitions", now.lengths.get("partitions", ()))
        self._works = KeyPartitions(space.folder / "works", now.lengths.get("works", ()))
        self._tally = FactTally(space.folder / "tally", now.lengths.get("tally", ()))
        self._text = TextWriter(space.snapshot)
        for folder in ("partitions", "works", "tally", space.snapshot.name):
            sync_folder(space.folder / folder)
        self._bad = list(now.bad_records)
        self._bad_count = now.bad
        self._counts = list(now.counts)
        self._reached = now.pieces, now.items
        self._since = 0  # items since the last checkpoint

    def read(self, inputs: Sequence[BuildInput]) -> None:
        """Store all records of `inputs` that are not stored yet, and make them last."""
        for source in inputs[len(self._counts) :]:
            stretches = read_stretches(
                source, self._reached, abstracts=self._abstracts is not None, most=self._every
            )
            for stretch in stretches:
                self._store(stretch)
                self._since += len(stretch.packed) + len(stretch.bad)
                if self._since >= self._every:
                    self._checkpoint()
            earlier = [sum(column) for column in zip((0, 0), *self._counts, strict=True)]
            self._counts.append((self._spool.count - earlier[0], self._bad_count - earlier[1]))
            self._reached = 0, 0
        self._checkpoint()
        self._tell(BuildProgress("text", self._spool.count, self._bad_count))
        self._text.finish()

    def _store(self, stretch: ReadStretch) -> None:
        first = self._spool.count
        for ordinal, (packed, words) in enumerate(zip(stretch.packed, stretch.words, strict=True), first):
            self._spool.add(packed)
            self._text.add(ordinal, words)
        if self._abstracts is not None:
            for abstract in stretch.abstracts:
                self._abstracts.add(abstract)
                self._with_abstract += bool(abstract)
        self._keys.add(*stretch.filed.list_keys(first))
        self._works.add(*stretch.filed.list_works(first))
        self._tally.add(*stretch.filed.list_facts())
        self._bad_count += len(stretch.bad)
        self._bad += [BadFact(*bad) for bad in stretch.bad][: KEPT_BAD - len(self._bad)]
        self._reached = stretch.unit[0], stretch.items
        self._tell(BuildProgress("read", self._spool.count, self._bad_count))

    def _checkpoint(self) -> None:
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
            pieces=self._reached[0],
            items=self._reached[1],
            spool=self._spool.state(),
            abstracts=self._abstracts.state() if self._abstracts else SpoolState(),
            with_abstract=self._with_abstract,
            lengths=lengths,
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


@dataclass(frozen=True, slots=True)
class BuildInput:
    """Files of one dump format. `licence` and `read_at` describe them in the manifest."""

    reader: str
    paths: tuple[Path, ...]
    licence: str = ""
    read_at: str | None = None


@dataclass(slots=True)
class ReadStretch:
    """What was read of one stretch: records in order, what could not be read, and where it ends."""

    unit: tuple[int, int]  # its piece of the input, and its number there
    items: int = 0  # of the piece, up to its end
    packed: list[bytes] = field(default_factory=list)
    words: list[str] = field(default_factory=list)  # of each record, for full text
    abstracts: list[bytes] = field(default_factory=list)  # of each record, if they were asked for
    bad: list[tuple[str, str]] = field(default_factory=list)  # place and message
    filed: FiledStretch = field(default_factory=FiledStretch)


def read_stretches(
    source: BuildInput, reached: tuple[int, int], *, abstracts: bool = False, most: int = STRETCH
) -> Iterator[ReadStretch]:
    """Yield the stretches that come after `reached` (piece, item), of `most` items or fewer."""
    at, size = Bookmark(*reached), min(most, STRETCH)
    filer = RecordFiler()
    made: ReadStretch | None = None
    for item in read_entries(find_reader(source.reader), source.paths, at, abstracts=abstracts):
        unit = at.pieces, (at.items - 1) // size
        if made is None or unit != made.unit:
            if made is not None:
                yield _end_stretch(made, filer)
            made = ReadStretch(unit)
        made.items = at.items
        if isinstance(item, BadRecord):
            place = f"{item.place.file}:{item.place.line}" if item.place.line else item.place.file
            made.bad.append((place, item.message[:300]))
            continue
        made.packed.append(item.packed)
        made.words.append(filer.file(item))
        if abstracts:
            made.abstracts.append(item.abstract)
    if made is not None:
        yield _end_stretch(made, filer)


def _end_stretch(made: ReadStretch, filer: RecordFiler) -> ReadStretch:
    made.filed = filer.take()
    return made

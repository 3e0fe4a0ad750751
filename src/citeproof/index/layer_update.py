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
from citeproof.index import build_checkpoint, layered_files, manifest, snapshot_facts
from citeproof.index.build import NoRecordsError, build_snapshot, make_plan, pause_collector
from citeproof.index.build_checkpoint import BuildPlan
from citeproof.index.build_order import BuildOrder
from citeproof.index.build_workspace import LOCK, SNAPSHOT, Workspace, name_build_folder, open_workspace
from citeproof.index.layer_links import LinkRevision, carry_over
from citeproof.index.layered_files import HiddenRecords, LayeredBlocks, LayeredKeys, locate_parts
from citeproof.index.manifest import FileFact, Manifest, PartFact
from citeproof.index.readers.base import DeletionReader, find_reader
from citeproof.index.record_intake import CHECKPOINT, BuildInput, BuildProgress, Tell
from citeproof.index.snapshot import Snapshot
from citeproof.index.snapshot_check import refuse_links
from citeproof.index.touched_records import TouchedRecords, WithdrawnId

MAX_LAYERS = 64
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
        _begin_update(space, UpdatePlan(old.id, make_plan(BuildOrder(inputs, out), None), removed))
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
            build_snapshot(BuildOrder(inputs, folder, every=every, abstracts=kept, like=like), tell)
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
        touched = TouchedRecords(self._blocks, self._keys, self._old_count, self._find_reader)
        touched.find_all(self._withdrawn)
        gone = touched.gone
        if not gone and not added:
            hint = "check the identifiers; nothing was written"
            raise UsageError("no record has these identifiers", place="--remove", hint=hint)
        ordinals = np.array(sorted({*self._old.hidden.ordinals.tolist(), *gone}), np.uint32)
        hidden = HiddenRecords(ordinals, total)
        if len(ordinals) == total:
            raise SnapshotError("no record would be left", place=str(self._old.path), hint="remove fewer")
        self._tell(BuildProgress("links", added, 0))
        saved = self._write_links(hidden, touched)
        self._tell(BuildProgress("facts", added, 0))
        self._write_facts(touched)
        ordinals.astype("<u4").tofile(self._space.snapshot / layered_files.HIDDEN)
        self._tell(BuildProgress("seal", added, 0))
        made = self._seal(ordinals, saved)
        return UpdateOutcome(made, added, len(touched.replaced), len(touched.removed))

    def _find_reader(self, ordinal: int) -> str:
        return self._sources[bisect_right(self._ends, ordinal)].reader

    def _write_links(self, hidden: HiddenRecords, touched: TouchedRecords) -> int:
        old = self._old
        keys = LayeredKeys(self._folders, self._starts, hidden)
        revision = LinkRevision(self._blocks, keys, old.links, old.hidden, hidden, self._old_count)
        new, gone = touched.list_changed(hidden)
        before = sorted(ordinal for ordinal in touched.gone if ordinal < self._old_count)
        linked: list[int] = old.links.find_linked(np.array(before, np.uint32)).tolist()
        made = revision.relink(new, sorted({*gone, *linked}))
        keys.close()
        rows = old.list_relinked()
        body = carry_over(rows, made, hidden.is_hidden)
        (self._space.snapshot / layered_files.RELINKED).write_bytes(body)
        return made.saved

    def _write_facts(self, touched: TouchedRecords) -> None:
        counts = self._old.count_facts()
        if self._layer is not None and self._layer_manifest is not None:
            more = snapshot_facts.KnownFacts(self._layer, self._layer_manifest.files)
            counts.add(more.count_all())
        counts.remove(touched.gone_dois, touched.gone_venues)
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


def link_file(source: Path, target: Path) -> None:
    """Give a file that never changes a second name; copy it where that cannot be done."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)

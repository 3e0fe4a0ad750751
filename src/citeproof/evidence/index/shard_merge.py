"""Shards, built and merged: records in order, as if one build had read them, then the steps of any build.

1. gather    counts, and of the words the segments as they are
2. finish    as a build in one go: the same records, keys and id; each step takes what it wants of the shards

A shard is a share of the records, read, filed and sealed. It is no snapshot: its keys are not sorted yet,
which is what makes merging cheap.

    shard.json   the plan, the share, counts, and the size of every file
    spool, abstracts, partitions/, works/, tally/, text/    what a build holds when it has read its input
"""

from __future__ import annotations

import shutil
from collections import ChainMap
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

import msgspec
import numpy as np

from citeproof.errors import InputError, SnapshotError
from citeproof.evidence.index import build_checkpoint, manifest, segment_ordinals
from citeproof.evidence.index.build import BuildOrder, make_plan, pause_collector, read_inputs, seal_manifest
from citeproof.evidence.index.build_checkpoint import BuildCheckpoint, BuildLedger, BuildPlan
from citeproof.evidence.index.build_steps import ShardSource, finish_build, write_sources
from citeproof.evidence.index.build_workspace import Workspace, open_workspace, sync_tree
from citeproof.evidence.index.full_text import FOLDER as TEXT
from citeproof.evidence.index.growing_files import GrowingFiles, sync_groups
from citeproof.evidence.index.manifest import Manifest
from citeproof.evidence.index.readers.base import ShardShare
from citeproof.evidence.index.record_blocks import ABSTRACTS
from citeproof.evidence.index.record_intake import KEPT_BAD, BuildProgress, RecordIntake, Tell
from citeproof.evidence.index.segment_ordinals import ShardText
from citeproof.evidence.index.snapshot_facts import list_tally_files
from citeproof.plumbing.clock import Clock, SystemClock
from citeproof.text.typed_decoding import decode_json

FILE = "shard.json"
MAX_BYTES = 200_000_000
_GROWN = ("spool", ABSTRACTS, "partitions", "works", "tally")


@dataclass(frozen=True, slots=True)
class _ShardPart:
    """One shard, and where each of its runs of records begins in it and in the whole."""

    folder: Path
    made: ShardManifest
    starts: tuple[int, ...]
    places: tuple[int, ...]

    def describe(self) -> ShardSource:
        """Return what the steps need to know to take records and keys out of the shard."""
        read = self.made.read
        return ShardSource(
            folder=str(self.folder.absolute()),
            starts=self.starts,
            places=self.places,
            lengths=tuple(run.records for run in read.runs),
            spools={"spool": read.spool, ABSTRACTS: read.abstracts},
            sizes=self.made.files,
        )


def merge_shards(
    folders: Sequence[Path],
    out: Path,
    *,
    progress: Tell | None = None,
    clock: Clock | None = None,
    like: Path | None = None,
) -> Manifest:
    """Return the manifest of the snapshot in the new folder `out` made of all shards of one build.

    A merge that was stopped continues.
    """
    if like is not None:
        manifest.load(like)
    tell = progress or (lambda _: None)
    made = sorted(((load_shard(folder), folder) for folder in folders), key=lambda pair: pair[0].share.number)
    plan = _join_plans(made)
    with open_workspace(out, build_checkpoint.find_reached_state) as space, pause_collector():
        ledger, note = build_checkpoint.begin_build(space, plan, fresh=False)
        tell(BuildProgress("merge", ledger.now.records, ledger.now.bad, note))
        parts = _place_runs(made)
        write_sources(space.folder, [part.describe() for part in parts])
        if not ledger.now.records:
            _ShardGathering(space, ledger, tell, parts).run()
        now = ledger.now
        finished = finish_build(
            space, ledger, lambda step: tell(BuildProgress(step, now.records, now.bad)), like, len(made)
        )
        tell(BuildProgress("seal", now.records, now.bad))
        return seal_manifest(space.snapshot, plan, now, finished, clock or SystemClock())


def _join_plans(made: Sequence[tuple[ShardManifest, Path]]) -> BuildPlan:
    """Return the plan of the whole; raise if no share has a record."""
    if not any(shard.read.records for shard, _ in made):
        bad = next((fact for shard, _ in made for fact in shard.read.bad_records), None)
        hint = "check that the files are of the format named by --from"
        problem = f"no record could be read: {bad.message}" if bad else "the input holds no records"
        raise InputError(problem, place=bad.place if bad else str(made[0][1]), hint=hint)
    digests = tuple(sha256(msgspec.json.encode(shard.files)).hexdigest() for shard, _ in made)
    return replace(made[0][0].plan, format=manifest.PARTED, share=(), shards=digests)


def _place_runs(made: Sequence[tuple[ShardManifest, Path]]) -> list[_ShardPart]:
    """Return the shards with the places of their runs: in the order of the input."""
    runs = sorted(
        (run.unit, number, at)
        for number, (shard, _) in enumerate(made)
        for at, run in enumerate(shard.read.runs)
    )
    placed: list[list[int]] = [[0] * len(shard.read.runs) for shard, _ in made]
    total = 0
    for _, number, at in runs:
        placed[number][at] = total
        total += made[number][0].read.runs[at].records
    parts = []
    for (shard, folder), places in zip(made, placed, strict=True):
        lengths = [run.records for run in shard.read.runs]
        starts = tuple(int(end) - length for end, length in zip(np.cumsum(lengths), lengths, strict=True))
        parts.append(_ShardPart(folder, shard, starts, tuple(places)))
    return parts


class _ShardGathering:
    """Brings the files of all shards together in the workspace of the whole."""

    def __init__(self, space: Workspace, ledger: BuildLedger, tell: Tell, parts: list[_ShardPart]) -> None:
        self._space, self._ledger, self._tell, self._parts = space, ledger, tell, parts
        self._open = ExitStack()
        self._records = sum(part.made.read.records for part in parts)

    def run(self) -> None:
        """Gather words and counts, make them last and write that it is done."""
        with ExitStack() as self._open:
            tally = self._gather_tally()
            lengths = sync_groups([tally])[0]
        self._gather_text()
        sync_tree(self._space.folder)
        self._tell(BuildProgress("merge", self._records, 0))
        self._write_checkpoint(lengths)

    def _write_checkpoint(self, tally: tuple[int, ...]) -> None:
        stays: tuple[str, ...] = ("spool", "partitions", "works")  # in the shards
        if self._parts[0].made.plan.abstracts:
            stays = (*stays, ABSTRACTS)
        read = [part.made.read for part in self._parts]
        bad = sorted(
            (unit, at, fact)
            for share in read
            for at, (unit, fact) in enumerate(zip(share.bad_units, share.bad_records, strict=True))
        )
        now = BuildCheckpoint(
            records=self._records,
            bad=sum(share.bad for share in read),
            bad_records=tuple(fact for _, _, fact in bad[:KEPT_BAD]),
            counts=tuple(
                (sum(good for good, _ in column), sum(wrong for _, wrong in column))
                for column in zip(*(share.counts for share in read), strict=True)
            ),
            with_abstract=sum(share.with_abstract for share in read),
            lengths={"tally": tally, **dict.fromkeys(stays, ())},
        )
        self._ledger.finish_reading(now, {"text": ""})  # tantivy would renumber the segments

    def _gather_tally(self) -> GrowingFiles:
        (self._space.folder / "tally").mkdir(exist_ok=True)
        targets = GrowingFiles(list_tally_files(self._space.folder / "tally"))
        self._open.callback(targets.close)
        for part in self._parts:
            for source, target in zip(list_tally_files(part.folder / "tally"), targets.files, strict=True):
                with source.open("rb") as file:
                    shutil.copyfileobj(file, target, 1 << 20)
        return targets

    def _gather_text(self) -> None:
        """Take over the segments of the words, and write down where their records are."""
        target = self._space.snapshot / TEXT
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir()
        shards = []
        for part in self._parts:
            folder = part.folder / TEXT
            for path in sorted(folder.iterdir()):
                if path.suffix != ".json":
                    shutil.copyfile(path, target / path.name)
            names = tuple(segment_ordinals.list_segments(folder))
            shards.append(ShardText(names, part.starts, part.places))
        segment_ordinals.join_segments([part.folder / TEXT for part in self._parts], target)
        runs = [segment_ordinals.load_runs(part.folder / TEXT) for part in self._parts]
        segment_ordinals.write_runs(target, dict(ChainMap(*runs)))
        (target / segment_ordinals.FILE).write_bytes(msgspec.json.encode(shards))


@dataclass(frozen=True, slots=True)
class ShardManifest:
    plan: BuildPlan
    read: BuildCheckpoint
    files: dict[str, int]  # bytes

    @property
    def share(self) -> ShardShare:
        return ShardShare(*self.plan.share)


def build_shard(order: BuildOrder, share: ShardShare, progress: Tell | None = None) -> ShardManifest:
    """Return what the shard holds that was built as ordered, without `like`; a stopped one continues."""
    tell = progress or (lambda _: None)
    with open_workspace(order.out, build_checkpoint.find_reached_state) as space, pause_collector():
        _move_grown(space.snapshot, space.folder)  # a run that was killed while it sealed
        known = None if order.fresh else build_checkpoint.load_plan(space.folder)
        plan = make_share_plan(order, share, known)
        ledger, note = build_checkpoint.begin_build(space, plan, fresh=order.fresh)
        tell(BuildProgress("read", ledger.now.records, ledger.now.bad, note))
        if len(ledger.now.counts) < len(order.inputs):
            intake = RecordIntake(space, ledger, tell, order.every, abstracts=order.abstracts, share=share)
            read_inputs(space, intake, order.inputs)
        tell(BuildProgress("seal", ledger.now.records, ledger.now.bad))
        return _seal_shard(space, plan, ledger.now)


def make_share_plan(order: BuildOrder, share: ShardShare, known: BuildPlan | None) -> BuildPlan:
    """Return the plan of one share; the digests of unchanged files are taken from the plan of before."""
    return replace(make_plan(order, known), share=(share.number, share.count, share.stretch))


def _seal_shard(space: Workspace, plan: BuildPlan, read: BuildCheckpoint) -> ShardManifest:
    _move_grown(space.folder, space.snapshot)
    files = {
        path.relative_to(space.snapshot).as_posix(): path.stat().st_size
        for path in sorted(space.snapshot.rglob("*"))
        if path.is_file() and path != space.snapshot / FILE
    }
    made = ShardManifest(plan, read, files)
    (space.snapshot / FILE).write_bytes(msgspec.json.encode(made))
    return made


def _move_grown(source: Path, target: Path) -> None:
    for name in _GROWN:
        if (source / name).exists() and not (target / name).exists():
            (source / name).rename(target / name)


def load_shard(folder: Path) -> ShardManifest:
    """Return what the shard in `folder` holds; say what is wrong when it is none."""
    path = folder / FILE
    try:
        with path.open("rb") as file:
            return decode_json(file.read(MAX_BYTES), type=ShardManifest)
    except OSError as error:
        hint = "give read permission, then try again"
        raise SnapshotError(f"cannot be read: {error.strerror}", place=str(path), hint=hint) from error
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise make_shard_error(f"is damaged: {error}", path) from error


def make_shard_error(problem: str, place: Path) -> SnapshotError:
    """Return the error for a shard that only a new build of it can fix."""
    return SnapshotError(problem, place=str(place), hint="run the same command again with --fresh")
